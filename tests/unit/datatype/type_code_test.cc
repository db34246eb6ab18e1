#include <boost/test/unit_test.hpp>
#include <map>

#include "datatype/flatten.h"
#include "datatype/layout_text.h"
#include "datatype/type_tree.h"
#include "random_type.h"
#include "tests/unit/messages_of_tests.h"

using namespace marshal::datatype;

namespace {

const Type eight = basic(8);

}  // namespace

BOOST_AUTO_TEST_SUITE(type_codes)

BOOST_AUTO_TEST_CASE(types_with_equal_codes_have_equal_layouts) {
  std::map<std::vector<std::int64_t>, std::string> layouts;
  constexpr std::uint64_t first = 1, seeds = 40000;
  BOOST_TEST_MESSAGE("seeds from " << first);
  int again = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    testing::RandomType random(seed);
    const Type type = random(1, 40);  // small trees, so that some come twice
    const std::string layout = layout_text(flattened(type)) + " in " + std::to_string(type.extent());
    const auto [at, is_new] = layouts.emplace(encoded(type), layout);
    again += is_new ? 0 : 1;
    BOOST_TEST_REQUIRE(at->second == layout, "seed " << seed);
  }
  BOOST_TEST(again > 100);
}

BOOST_AUTO_TEST_CASE(every_number_and_every_node_counts) {
  const std::vector<Type> different{
      eight,
      basic(4),
      Dup{eight},
      Contiguous{1, eight},
      Contiguous{2, eight},
      Vector{2, 1, 3, eight},
      Hvector{2, 1, 3, eight},
      Vector{2, 3, 1, eight},
      Indexed{{1, 2}, {0, 3}, eight},
      Indexed{{1}, {2}, eight},
      Hindexed{{1, 2}, {0, 3}, eight},
      IndexedBlock{1, {2, 3}, eight},
      HindexedBlock{1, {2, 3}, eight},
      Struct{{1, 1}, {0, 8}, {eight, eight}},
      Struct{{1, 1}, {0, 8}, {eight, basic(4)}},
      Subarray{{4, 4}, {2, 2}, {0, 1}, Order::c, eight},
      Subarray{{4, 4}, {2, 2}, {0, 1}, Order::fortran, eight},
      Darray{4, 1, {100}, {Distribution::cyclic}, {2}, {4}, Order::c, eight},
      Darray{4, 1, {100}, {Distribution::block}, {25}, {4}, Order::c, eight},
      Resized{0, 16, eight},
      Resized{-8, 16, eight},
  };
  std::map<std::vector<std::int64_t>, std::size_t> seen;
  for (std::size_t i = 0; i < different.size(); ++i) {
    const auto [at, is_new] = seen.emplace(encoded(different[i]), i);
    BOOST_TEST(is_new, i << " has the code of " << at->second);
  }
}

BOOST_AUTO_TEST_SUITE_END()
