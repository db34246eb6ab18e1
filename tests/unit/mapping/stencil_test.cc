#include "mapping/stencil.h"

#include <boost/test/unit_test.hpp>
#include <set>
#include <stdexcept>

using namespace marshal::mapping;

BOOST_AUTO_TEST_CASE(star_box_and_hops_have_the_steps_that_their_names_say) {
  BOOST_TEST(star_stencil(3).steps.size() == 6u);
  BOOST_TEST(box_stencil(2).steps.size() == 8u);
  BOOST_TEST(box_stencil(3).steps.size() == 26u);
  BOOST_TEST(star_stencil(0).steps.empty());
  BOOST_TEST(box_stencil(0).steps.empty());
  for (const Stencil& stencil : {star_stencil(4), box_stencil(3), hops_stencil(2, 5)}) BOOST_TEST(symmetric(stencil));
}

BOOST_AUTO_TEST_CASE(hops_are_the_star_and_farther_neighbours_in_the_first_dimension) {
  const Stencil stencil = parse_stencil("hops:3", 2);
  const std::set<std::vector<int>> published{{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {2, 0}, {-2, 0}, {3, 0}, {-3, 0}};
  std::set<std::vector<int>> steps;
  for (const Step& step : stencil.steps) steps.insert(step.offset);
  BOOST_TEST((steps == published));
  BOOST_TEST(stencil.steps.size() == published.size());
  BOOST_TEST(stencil.name == "hops:3");
  for (const Step& step : hops_stencil(2, 2, parse_weights("8,1", 2)).steps)
    BOOST_TEST(step.weight == (step.offset[0] != 0 ? 8 : 1));
  BOOST_TEST(hops_stencil(3, 1).steps.size() == 6u);
  BOOST_TEST(hops_stencil(0, 3).steps.empty());
}

BOOST_AUTO_TEST_CASE(weights_belong_to_dimensions) {
  const auto weights = parse_weights("8, 1", 2);
  for (const Step& step : star_stencil(2, weights).steps) BOOST_TEST(step.weight == (step.offset[0] != 0 ? 8 : 1));
  for (const Step& step : box_stencil(2, weights).steps) BOOST_TEST(step.weight == (step.offset[1] == 0 ? 8 : 1));
}

BOOST_AUTO_TEST_CASE(a_list_of_offsets_is_taken_as_it_stands) {
  const Stencil stencil = parse_stencil("0,1; 0,-1*4 ;2,0*3", 2);
  BOOST_REQUIRE(stencil.steps.size() == 3u);
  BOOST_TEST((stencil.steps[1].offset == std::vector<int>{0, -1}));
  BOOST_TEST(stencil.steps[1].weight == 4);
  BOOST_TEST(stencil.steps[2].weight == 3);
  BOOST_TEST(!symmetric(stencil));
  BOOST_TEST(parse_stencil("", 2).name == "star");
}

BOOST_AUTO_TEST_CASE(what_is_no_stencil_is_refused_with_a_message) {
  for (const char* text :
       {"ball", "hops:", "hops:0", "hops:x", "1", "1,0,0", "0,0", "1,0*0", "1,0*-2", "1,a", "1,99999999"})
    BOOST_CHECK_THROW(parse_stencil(text, 2), std::invalid_argument);
  for (const char* text : {"1", "1,2,3", "0,1", "-1,1", "1,x", "1,,2"})
    BOOST_CHECK_THROW(parse_weights(text, 2), std::invalid_argument);
  const std::vector<std::int64_t> weights{1, 2};
  BOOST_CHECK_THROW(parse_stencil("1,0;-1,0", 2, weights), std::invalid_argument);
}
