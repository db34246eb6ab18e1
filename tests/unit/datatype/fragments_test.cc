// Fragments that are packed in place, and staged ones: the bytes are those of one pack, before the plan has searched
// for a better program and after.
#include "datatype/fragments.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "datatype/flatten.h"
#include "datatype/walk.h"
#include "guarded_bytes.h"

using namespace marshal::datatype;
using namespace marshal::datatype::testing;

namespace {

struct Case {
  const char* name;
  Type type;
  std::int64_t count;
  bool transposes = false;
};

std::vector<Case> cases() {
  const Type d = basic(8);
  return {{"short blocks", Vector{3000, 1, 3, d}, 1},
          {"blocks of 600 bytes, for which no lines are asked when they arrive", Vector{60, 75, 80, d}, 1},
          {"blocks of 5000 bytes, which are copied", Vector{7, 625, 700, d}, 1},
          {"a transpose", Resized{0, 8, Vector{64, 1, 130, d}}, 130, true},
          {"a transpose of more than is asked for at once", Resized{0, 8, Vector{64, 1, 130, d}}, 100, true},
          {"structs", Resized{0, 24, Struct{{1, 1, 3}, {0, 8, 16}, {basic(4), d, basic(1)}}}, 1200}};
}

std::vector<std::byte> numbered(std::int64_t bytes) {
  std::vector<std::byte> all(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i * 2654435761U >> 13);
  return all;
}

void move_in_fragments(const Case& c, bool staged, std::int64_t fragment) {
  CompileOptions options;
  options.stages_fragments = staged;
  const Plan plan(flattened(c.type), c.type.extent(), options);
  BOOST_TEST_REQUIRE(plan.stages_fragments() == staged);
  const std::int64_t size = c.count * plan.size();
  std::vector<std::byte> user = numbered(std::max(plan.touched().end, plan.extent()) + (c.count - 1) * plan.extent());
  GuardedBytes packed(static_cast<std::size_t>(size), Against::high_guard);
  std::vector<std::byte> expected(packed.size()), unpacked(user.size()), expected_user(user.size());
  reference_pack(plan.pieces(), plan.extent(), c.count, user.data(), expected.data(), {0, size});
  reference_unpack(plan.pieces(), plan.extent(), c.count, expected_user.data(), expected.data(), {0, size});
  for (int round = 0; round < 60; ++round) {
    std::fill_n(packed.data(), packed.size(), std::byte{0});
    std::fill(unpacked.begin(), unpacked.end(), std::byte{0});
    for (std::int64_t at = 0; at < size; at += fragment) {
      const PackedRange range{at, std::min(at + fragment, size)};
      move_fragment<false>(Instances{plan, c.count, user.data(), size}, packed.data() + at, range);
      move_fragment<true>(Instances{plan, c.count, unpacked.data(), size}, packed.data() + at, range);
    }
    BOOST_TEST_REQUIRE(std::equal(expected.begin(), expected.end(), packed.data()));
    BOOST_TEST_REQUIRE((unpacked == expected_user));
  }
  BOOST_TEST_REQUIRE(plan.is_settled(c.count));
  BOOST_TEST(plan.program(c.count).transposes == c.transposes);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fragments)

BOOST_AUTO_TEST_CASE(fragments_in_place_and_staged_give_the_bytes_of_one_pack) {
  for (const Case& c : cases())
    for (const bool staged : {false, true})
      for (const std::int64_t fragment : {1000, 8192, 20000, 1 << 20}) {
        BOOST_TEST_CONTEXT(c.name << (staged ? ", staged" : ", in place") << ", fragments of " << fragment)
        move_in_fragments(c, staged, fragment);
      }
}

BOOST_AUTO_TEST_SUITE_END()
