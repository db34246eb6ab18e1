#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "tests/unit/property_seed.h"
#include "traffic/thread_counts.h"

using namespace marshal;

namespace {

struct Sum {
  std::uint64_t calls = 0, bytes = 0;
  bool operator==(const Sum&) const = default;
};
using Sums = std::map<CollectiveName, Sum>;

Sums sums_of(const CollectiveCounts& counts) {
  Sums sums;
  counts.each([&](const CollectiveName& name, std::uint64_t calls, std::uint64_t bytes) {
    sums[name] = {calls, bytes};
  });
  return sums;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_size_is_that_of_the_next_power_of_two) {
  BOOST_TEST(collective_name(1, 4, 0).up_to_bytes == 0U);
  BOOST_TEST(collective_name(1, 4, 1).up_to_bytes == 1U);
  BOOST_TEST(collective_name(1, 4, 64).up_to_bytes == 64U);
  BOOST_TEST(collective_name(1, 4, 65).up_to_bytes == 128U);
  BOOST_TEST(collective_name(1, 4, UINT64_MAX).up_to_bytes == std::uint64_t{1} << 63);
}

BOOST_AUTO_TEST_CASE(counts_are_those_of_a_plain_map) {
  std::mt19937_64 random(property_seed());
  CollectiveCounts counts;
  Sums expected;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bytes = random() % 3 == 0 ? 0 : random() >> (random() % 64);
    const bool is_large = random() % 2 == 0;
    const CollectiveName name = collective_name(is_large ? 65535 : 0, is_large ? UINT32_MAX : 1, bytes);
    counts.add(name, bytes);
    ++expected[name].calls;
    expected[name].bytes += bytes;
  }
  BOOST_TEST((sums_of(counts) == expected));
}

BOOST_AUTO_TEST_CASE(too_many_kinds_are_counted_by_their_call) {
  CollectiveCounts counts;
  constexpr std::uint32_t sizes = 2 * CollectiveCounts::most_kinds;
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t processes = 1; processes <= sizes; ++processes) counts.add(collective_name(3, processes, 8), 8);
  Sums sums = sums_of(counts);
  BOOST_TEST(sums.size() == CollectiveCounts::most_kinds + 1);
  BOOST_TEST((sums[{3, 1, 8}] == Sum{2, 16}));
  constexpr std::uint64_t others = 2 * (sizes - CollectiveCounts::most_kinds);
  BOOST_TEST((sums[{3, 0, 0}] == Sum{others, 8 * others}));
}
