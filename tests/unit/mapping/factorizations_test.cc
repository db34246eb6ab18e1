#include <boost/test/unit_test.hpp>
#include <limits>
#include <set>

#include "mapping/dims.h"

using namespace marshal::mapping;

namespace {

constexpr std::int64_t any_sum = std::numeric_limits<std::int64_t>::max();

// By trying every number.
void by_hand(int left, std::size_t count, Factors& factors, std::set<Factors>& all) {
  const int most = factors.empty() ? left : std::min(left, factors.back());
  for (int f = 1; f <= most; ++f) {
    if (left % f != 0 || (count == 1 && f != left)) continue;
    factors.push_back(f);
    if (count == 1)
      all.insert(factors);
    else
      by_hand(left / f, count - 1, factors, all);
    factors.pop_back();
  }
}

std::set<Factors> all_by_hand(int number, std::size_t count) {
  std::set<Factors> all;
  Factors factors;
  by_hand(number, count, factors, all);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_factorization_within_the_limit_is_visited_once) {
  for (int number = 1; number <= 360; ++number)
    for (std::size_t count = 1; count <= 5; ++count) {
      const std::set<Factors> expected = all_by_hand(number, count);
      for (const std::int64_t limit : {any_sum, sum_of(most_balanced(number, count)) * 105 / 100}) {
        std::multiset<Factors> visited;
        std::int64_t most_sum = limit;
        each_factorization(number, count, most_sum, [&](const Factors& f) { visited.insert(f); });
        std::multiset<Factors> wanted;
        for (const Factors& f : expected)
          if (sum_of(f) <= limit) wanted.insert(f);
        BOOST_REQUIRE((visited == wanted));
      }
    }
}

BOOST_AUTO_TEST_CASE(the_most_balanced_has_the_least_sum_and_is_first_of_its_equals) {
  for (int number = 1; number <= 360; ++number)
    for (std::size_t count = 1; count <= 5; ++count) {
      const std::set<Factors> all = all_by_hand(number, count);
      const Factors& least = *std::min_element(
          all.begin(), all.end(), [](const Factors& a, const Factors& b) { return sum_of(a) < sum_of(b); });
      BOOST_REQUIRE((most_balanced(number, count) == least));
    }
}

// The numbers below 2^31 with most divisors (1536 and 1600), one with many small factors, a power of two, a prime.
BOOST_AUTO_TEST_CASE(few_divisors_are_tried_even_for_the_worst_numbers) {
  for (const int number : {735134400, 2095133040, 1551950400, 1 << 30, 2147483647})
    for (std::size_t count = 1; count <= 16; ++count) {
      std::int64_t least = any_sum;
      const std::int64_t tried = each_factorization(number, count, least, [&](const Factors& f) { least = sum_of(f); });
      BOOST_TEST(tried <= (count <= 8 ? 1000 : 100'000));
      std::int64_t most_sum = least * 105 / 100, visited = 0;
      const std::int64_t tried_again = each_factorization(number, count, most_sum, [&](const Factors&) { ++visited; });
      BOOST_TEST(tried_again <= (count <= 8 ? 5000 : 100'000));
      BOOST_TEST(visited > 0);
      BOOST_TEST(visited <= 500);
    }
}
