#include "datatype/seen_types.h"

#include <boost/test/unit_test.hpp>
#include <map>

#include "datatype/flatten.h"
#include "datatype/layout_text.h"
#include "datatype/type_code.h"
#include "random_type.h"

using namespace marshal::datatype;

namespace {

const Type eight = basic(8);

struct Seen {
  LayoutCache cache{[](const SharedLayout&) {}, {2}};
  SeenTypes types{100};

  std::shared_ptr<const SharedLayout> see(const Type& type) {
    auto layout = cache.share(flattened(type), type.extent(), {});
    types.remember(encoded(type), layout);
    return layout;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(seen_types)

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

BOOST_AUTO_TEST_CASE(a_type_seen_is_found_and_another_is_not) {
  Seen seen;
  const auto layout = seen.see(Vector{3, 1, 2, eight});
  BOOST_TEST(seen.types.find(encoded(Vector{3, 1, 2, eight})) == layout);
  BOOST_TEST(seen.types.find(encoded(Vector{3, 1, 4, eight})) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_layout_that_has_left_the_cache_is_not_found) {
  Seen seen;
  seen.see(Vector{3, 1, 2, eight});
  for (std::int64_t stride = 3; stride < 9; ++stride)
    seen.cache.share(flattened(Vector{3, 1, stride, eight}), 1000, {});
  BOOST_TEST(seen.types.find(encoded(Vector{3, 1, 2, eight})) == nullptr);
}

BOOST_AUTO_TEST_CASE(memory_is_bounded) {
  Seen seen;
  const Type first = Vector{3, 1, 2, eight};
  const auto kept = seen.see(first);
  const auto long_list = seen.see(IndexedBlock{1, std::vector<std::int64_t>(200, 7), eight});
  BOOST_TEST(seen.types.find(encoded(first)) == kept);  // the list was too long to be remembered
  for (std::int64_t stride = 3; stride < 40; ++stride) seen.types.remember(encoded(Vector{3, 1, stride, eight}), kept);
  BOOST_TEST(seen.types.find(encoded(first)) == nullptr);
  BOOST_TEST(seen.types.find(encoded(Vector{3, 1, 39, eight})) == kept);
}

BOOST_AUTO_TEST_SUITE_END()
