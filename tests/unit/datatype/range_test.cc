// Any cut of the packed bytes into fragments gives the bytes of one pack, in both directions, whatever the order of the
// fragments.
//
// For millions of cuts: RANGE_CUTS=10000000 tests/unit/datatype/range_test; RANGE_SEED=N begins with that seed.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "datatype/flatten.h"
#include "datatype/plan.h"
#include "datatype/walk.h"
#include "random_type.h"
#include "tests/unit/messages_of_tests.h"

using namespace marshal::datatype;
using namespace marshal::datatype::testing;

namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Layouts that meet every kind of step; random trees are too small for that.
class Families {
 public:
  explicit Families(std::uint64_t seed) : random_(seed) {}

  struct Case {
    Type type;
    std::int64_t count;
  };

  Case operator()() {
    switch (number(0, 7)) {
      case 0:
        return {list(number(1, 1500), false), number(1, 3)};
      case 1:
        return {list(number(1, 1500), true), number(1, 3)};
      case 2:
        return {fields(), number(1, 300)};
      case 3:
        return columns();
      case 4:
        return {nest(static_cast<int>(number(1, 7))), number(1, 4)};
      case 5:
        return {Struct{{1, number(1, 3), 1}, {0, 200000, 500000}, {nest(2), fields(), list(number(1, 60), true)}},
                number(1, 3)};
      case 6:
        return {Resized{0, number(40, 400), list(number(1, 8), true)}, number(1, 60)};
      default:
        return {random_(3, 4096), number(1, 20)};
    }
  }

  std::int64_t number(std::int64_t least, std::int64_t most) { return random_.number(least, most); }

 private:
  Type list(std::int64_t blocks, bool mixed) {
    Hindexed t{{}, {}, basic(1)};
    const std::int64_t length = number(1, 70), unit = number(0, 1) ? 1 : 8, lengths = number(2, 12);
    std::int64_t at = number(-50, 50);
    for (std::int64_t i = 0; i < blocks; ++i) {
      t.blocklengths.push_back(mixed ? unit * number(1, lengths) : length);
      t.displacements.push_back(at);
      at += t.blocklengths.back() + number(0, 40);
    }
    return t;
  }

  Type fields() {
    Hindexed t{{}, {}, basic(1)};
    std::int64_t at = number(-20, 20);
    const std::int64_t each = number(0, 1) ? 8 : 0;
    for (std::int64_t i = number(1, 9); i > 0; --i) {
      t.blocklengths.push_back(each > 0 ? each : number(1, 20));
      t.displacements.push_back(at);
      at += t.blocklengths.back() + number(0, 20);
    }
    return Resized{0, at + number(0, 40), t};
  }

  Case columns() {
    // Now and then so many rows, a power of two of bytes apart, that they crowd into few sets of a cache.
    const std::int64_t size = std::int64_t{4} << number(0, 2), rows = number(2, 100);
    const std::int64_t width = number(0, 30) == 0 ? 2048 / size : number(2, 70);
    const Type column = Resized{0, size, Hvector{rows, 1, width * size, Contiguous{size, basic(1)}}};
    if (number(0, 1)) return {column, width};
    if (number(0, 1)) return {Contiguous{width, column}, number(1, 2)};
    return {Hvector{number(2, 4), 1, rows * width * size, Contiguous{width, column}}, 1};
  }

  Type nest(int depth) {
    Type t = Contiguous{number(1, 80), basic(1)};
    for (int d = 0; d < depth; ++d) {
      const std::int64_t stride = t.extent() + number(0, 30);
      t = Hvector{number(2, d == 0 ? 100 : 5), 1, number(0, 5) ? stride : -stride, t};
    }
    return t;
  }

  RandomType random_;
};

struct Layout {
  Pieces pieces;
  std::int64_t extent, count, size;
  Span span;  // of all instances
  bool overlaps = false;

  explicit Layout(const Families::Case& of)
      : pieces(flattened(of.type)),
        extent(of.type.extent()),
        count(of.count),
        size(packed_size(pieces) * count),
        span(touched(pieces)) {
    const std::int64_t reach = (count - 1) * extent;
    span = {span.first + std::min<std::int64_t>(reach, 0), span.end + std::max<std::int64_t>(reach, 0)};
    std::vector<bool> seen(static_cast<std::size_t>(span.end - span.first));
    for (std::int64_t i = 0; i < count; ++i)
      for_each_block(pieces, i * extent, 0, {0, size}, [&](std::int64_t disp, std::int64_t, std::int64_t length) {
        for (std::int64_t k = disp - span.first; k < disp - span.first + length; ++k) {
          overlaps = overlaps || seen[static_cast<std::size_t>(k)];
          seen[static_cast<std::size_t>(k)] = true;
        }
      });
  }
};

CompileOptions random_options(Families& random) {
  CompileOptions options;
  const Kernels* all[] = {&best_kernels(), avx2_kernels(), &generic_kernels};
  if (const Kernels* chosen = all[random.number(0, 2)]) options.kernels = chosen;
  options.search = static_cast<Search>(random.number(0, 2));
  if (random.number(0, 3) > 0) return options;
  options.strategy = random.number(0, 1) ? Strategy::mars : Strategy::iovec;
  options.segment = {Segment::Unit::iterations, random.number(1, 40)};
  return options;
}

// Fragments of one size, as hosts make them, or of any; in any order.
std::vector<PackedRange> random_fragments(Families& random, std::int64_t size) {
  std::vector<std::int64_t> ends{size};
  const bool even = random.number(0, 1) != 0;
  const std::int64_t each = random.number(std::max<std::int64_t>(size / 100, 1), size);
  for (std::int64_t at = each; even && at < size; at += each) ends.push_back(at);
  for (std::int64_t n = random.number(1, 60); !even && n > 0; --n) ends.push_back(random.number(0, size));
  std::sort(ends.begin(), ends.end());
  std::vector<PackedRange> all;
  for (std::int64_t from = 0; const std::int64_t to : ends) all.push_back({std::exchange(from, to), to});
  for (std::size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(i) - 1))]);
  return all;
}

// Returns how many cuts it tried; what differs is said in `wrong`.
std::size_t try_cuts(std::uint64_t seed, std::string& wrong) {
  Families random(seed);
  const Layout layout(random());
  if (layout.size == 0) return 0;
  const Program program = compiled(layout.pieces, layout.extent, random_options(random));
  constexpr std::size_t around = 64;
  const std::size_t spanned = static_cast<std::size_t>(layout.span.end - layout.span.first);
  std::vector<std::byte> user(spanned + 2 * around), packed(static_cast<std::size_t>(layout.size) + 2 * around);
  for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<std::byte>((i + seed) * 2654435761U >> 11);
  const auto origin_of = [&](std::vector<std::byte>& bytes) { return bytes.data() + around - layout.span.first; };
  std::vector<std::byte> expected = packed, expected_user = user;
  reference_pack(layout.pieces, layout.extent, layout.count, origin_of(user), expected.data() + around,
                 {0, layout.size});
  std::vector<std::byte> other = packed;
  for (std::size_t i = 0; i < other.size(); ++i) other[i] = static_cast<std::byte>(37 * i + 11);
  reference_unpack(layout.pieces, layout.extent, layout.count, origin_of(expected_user), other.data() + around,
                   {0, layout.size});
  std::size_t cuts = 0;
  for (int round = 0; round < 8; ++round) {
    const std::vector<PackedRange> fragments = random_fragments(random, layout.size);
    cuts += fragments.size() - 1;
    std::fill(packed.begin(), packed.end(), std::byte{0});
    for (const PackedRange& f : fragments)
      run_pack_range(program, layout.count, origin_of(user), packed.data() + around + f.from, f);
    if (packed != expected) wrong = "packed";
    if (layout.overlaps) continue;
    std::vector<std::byte> unpacked = user;
    for (const PackedRange& f : fragments)
      run_unpack_range(program, layout.count, origin_of(unpacked), other.data() + around + f.from, f);
    if (unpacked != expected_user) wrong = "unpacked";
  }
  return cuts;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(range)

BOOST_AUTO_TEST_CASE(any_cut_into_fragments_gives_the_bytes_of_one_pack) {
  const std::uint64_t wanted = number_from("RANGE_CUTS", 20000), first = number_from("RANGE_SEED", 1);
  std::uint64_t cuts = 0, seed = first;
  for (; cuts < wanted; ++seed) {
    std::string wrong;
    cuts += try_cuts(seed, wrong);
    BOOST_TEST_REQUIRE(wrong == "", "seed " << seed << ": a fragment is " << wrong << " otherwise than in one pack");
  }
  BOOST_TEST_MESSAGE(cuts << " cuts of seeds " << first << " to " << seed - 1);
}

// A plan that is only ever asked for fragments is searched for as well.
BOOST_AUTO_TEST_CASE(a_plan_that_packs_fragments_settles_and_packs_the_same) {
  const Type type = Resized{0, 24, Struct{{1, 1, 3}, {0, 8, 16}, {basic(4), basic(8), basic(1)}}};
  const Plan plan(flattened(type), type.extent());
  const std::int64_t count = 2000, size = count * plan.size();
  std::vector<std::byte> user(static_cast<std::size_t>(count * type.extent())), packed(static_cast<std::size_t>(size)),
      expected(packed);
  for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<std::byte>(i * 2654435761U >> 13);
  reference_pack(plan.pieces(), plan.extent(), count, user.data(), expected.data(), {0, size});
  for (int round = 0; round < 40; ++round) {
    std::fill(packed.begin(), packed.end(), std::byte{0});
    for (std::int64_t at = 0; at < size; at += 8192)
      plan.pack_range(count, user.data(), packed.data() + at, {at, std::min<std::int64_t>(at + 8192, size)});
    BOOST_TEST_REQUIRE((packed == expected));
  }
  BOOST_TEST(plan.is_settled(count));
}

BOOST_AUTO_TEST_SUITE_END()
