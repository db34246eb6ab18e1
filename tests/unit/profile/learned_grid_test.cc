#include "profile/learned_grid.h"

#include <boost/test/unit_test.hpp>

#include "random_grids.h"
#include "tests/unit/messages_of_tests.h"
#include "tests/unit/property_seed.h"

using namespace marshal;
using namespace marshal::profile;

namespace {

// Why the text is no profile; empty if it is one.
std::string problem_with(const std::string& text) {
  std::string why_not;
  const auto grids = from_text(text, why_not);
  BOOST_TEST(grids.has_value() == why_not.empty());
  return why_not;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

LearnedGrid four_by_four() {
  LearnedGrid grid;
  grid.program = "tea";
  grid.arguments = "00c0ffee";
  grid.processes = 16;
  grid.grid = mapping::make_grid(std::vector{4, 4}, std::vector{0, 1});
  grid.stencil = "1,0*1;-1,0*1;0,1*64;0,-1*64";
  return grid;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read_again) {
  const unsigned seed = property_seed();
  BOOST_TEST_CONTEXT("seed " << seed) {
    RandomGrids random(seed);
    for (int round = 0; round < 200; ++round) {
      const std::vector<LearnedGrid> grids = random.grids(20);
      std::string why_not;
      const auto again = from_text(to_text(grids), why_not);
      BOOST_REQUIRE_MESSAGE(again.has_value(), why_not);
      BOOST_REQUIRE(*again == grids);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_text_that_is_cut_off_anywhere_is_refused) {
  RandomGrids random(7);
  std::vector<LearnedGrid> grids{random.grid(), random.grid(), random.grid()};
  const std::string text = to_text(grids);
  for (std::size_t length = 0; length < text.size(); ++length)
    BOOST_REQUIRE(!problem_with(text.substr(0, length)).empty());
}

// Bytes that changed on the way may still be a profile, but never crash, hang or take memory.
BOOST_AUTO_TEST_CASE(any_bytes_are_read_or_refused) {
  const unsigned seed = property_seed();
  BOOST_TEST_CONTEXT("seed " << seed) {
    RandomGrids random(seed);
    for (int round = 0; round < 3000; ++round) {
      std::string text = to_text(random.grids(3));
      for (int changes = random.number(1, 5); changes > 0; --changes)
        text[static_cast<std::size_t>(random.number(0, static_cast<int>(text.size()) - 1))] =
            static_cast<char>(random.number(0, 255));
      std::string why_not;
      if (const auto grids = from_text(text, why_not)) {
        const auto again = from_text(to_text(*grids), why_not);
        BOOST_REQUIRE_MESSAGE(again.has_value(), why_not);
        BOOST_REQUIRE(*again == *grids);
      } else {
        BOOST_REQUIRE(!why_not.empty());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(each_kind_of_damage_is_named) {
  const std::string good = to_text(std::vector{four_by_four()});
  BOOST_TEST(problem_with(good) == "");
  BOOST_TEST(problem_with("") == "it is no profile of Marshal");
  BOOST_TEST(problem_with("#!/bin/sh\n") == "it is no profile of Marshal");
  BOOST_TEST(problem_with("marshal-profile 1") == "its end is missing");
  BOOST_TEST(problem_with("marshal-profile 1\n") == "its end is missing");
  BOOST_TEST(problem_with("marshal-profile 1\nend\n") == "");
  BOOST_TEST(problem_with(replaced(good, "profile 1", "profile 2")) == "a newer Marshal wrote it");
  BOOST_TEST(problem_with(replaced(good, "profile 1", "profile 0")) == "it is no profile of Marshal");
  for (const auto& [what, by] :
       {std::pair("4,4", "4,-4"), std::pair("4,4", "4"), std::pair("4,4", "99999,99999"), std::pair("4,4", "0,4"),
        std::pair("0,1*64", "0,0*64"), std::pair("0,1*64", "0,1*0"), std::pair("0,1*64", "0,1*1000001"),
        std::pair("0,1*64", "box"), std::pair("0,1*64", "0,1,0*64"), std::pair("move", "stay"),
        std::pair("\t16\t", "\t0\t"), std::pair("\t16\t", "\t99999999999\t"), std::pair("\t16\t", "\t16\t\t")})
    BOOST_TEST(problem_with(replaced(good, what, by)) == "line 2 is damaged", what << " -> " << by);
}

BOOST_AUTO_TEST_CASE(too_many_grids_dimensions_or_steps_are_refused) {
  BOOST_TEST(problem_with(to_text(std::vector<LearnedGrid>(most_grids, four_by_four()))) == "");
  BOOST_TEST(problem_with(to_text(std::vector<LearnedGrid>(most_grids + 1, four_by_four()))) != "");
  LearnedGrid grid = four_by_four();
  for (int step = 0; step < 100; ++step) grid.stencil += ";1,1*5";
  BOOST_TEST(problem_with(to_text(std::vector{grid})) == "line 2 is damaged");
  const std::string many = "1" + std::string(40, ',') + "1";
  BOOST_TEST(problem_with(replaced(to_text(std::vector{four_by_four()}), "4,4", many)) == "line 2 is damaged");
}

BOOST_AUTO_TEST_CASE(names_cannot_break_lines_or_control_a_terminal) {
  LearnedGrid grid = four_by_four();
  grid.program = "a\tb\nc\x1b[2J";
  grid.command = std::string(100'000, 'x') + "\n";
  std::string why_not;
  const auto again = from_text(to_text(std::vector{grid}), why_not);
  BOOST_REQUIRE_MESSAGE(again.has_value(), why_not);
  BOOST_TEST(again->front().program == "abc[2J");
  BOOST_TEST(again->front().command.size() < 1000u);
}
