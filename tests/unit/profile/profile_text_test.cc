#include "profile/profile_text.h"

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
  const auto contents = from_text(text, why_not);
  BOOST_TEST(contents.has_value() == why_not.empty());
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
  RandomGrids random(property_seed());
  for (int round = 0; round < 200; ++round) {
    const Contents contents = random.contents(20);
    std::string why_not;
    const auto again = from_text(to_text(contents), why_not);
    BOOST_REQUIRE_MESSAGE(again.has_value(), why_not);
    BOOST_REQUIRE(*again == contents);
  }
}

BOOST_AUTO_TEST_CASE(a_text_that_is_cut_off_anywhere_is_refused) {
  RandomGrids random(7);
  const std::string text = to_text({{random.grid(), random.grid(), random.grid()}, {random.moved_run()}});
  for (std::size_t length = 0; length < text.size(); ++length)
    BOOST_REQUIRE(!problem_with(text.substr(0, length)).empty());
}

// Bytes that changed on the way may still be a profile, but never crash, hang or take memory.
BOOST_AUTO_TEST_CASE(any_bytes_are_read_or_refused) {
  RandomGrids random(property_seed());
  for (int round = 0; round < 3000; ++round) {
    std::string text = to_text(random.contents(3));
    for (int changes = random.number(1, 5); changes > 0; --changes)
      text[static_cast<std::size_t>(random.number(0, static_cast<int>(text.size()) - 1))] =
          static_cast<char>(random.number(0, 255));
    std::string why_not;
    if (const auto contents = from_text(text, why_not)) {
      const auto again = from_text(to_text(*contents), why_not);
      BOOST_REQUIRE_MESSAGE(again.has_value(), why_not);
      BOOST_REQUIRE(*again == *contents);
    } else {
      BOOST_REQUIRE(!why_not.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(each_kind_of_damage_is_named) {
  const std::string good = to_text({{four_by_four()}, {}});
  BOOST_TEST(problem_with(good) == "");
  BOOST_TEST(problem_with("") == "it is no profile of Marshal");
  BOOST_TEST(problem_with("#!/bin/sh\n") == "it is no profile of Marshal");
  BOOST_TEST(problem_with("marshal-profile 2") == "its end is missing");
  BOOST_TEST(problem_with("marshal-profile 2\n") == "its end is missing");
  BOOST_TEST(problem_with("marshal-profile 2\nend\n") == "");
  BOOST_TEST(problem_with(replaced(good, "profile 2", "profile 3")) == "a newer Marshal wrote it");
  BOOST_TEST(problem_with(replaced(good, "profile 2", "profile 0")) == "it is no profile of Marshal");
  for (const auto& [what, by] :
       {std::pair("4,4", "4,-4"), std::pair("4,4", "4"), std::pair("4,4", "99999,99999"), std::pair("4,4", "0,4"),
        std::pair("0,1*64", "0,0*64"), std::pair("0,1*64", "0,1*0"), std::pair("0,1*64", "0,1*1000001"),
        std::pair("0,1*64", "box"), std::pair("0,1*64", "0,1,0*64"), std::pair("move", "stay"),
        std::pair("\t16\t", "\t0\t"), std::pair("\t16\t", "\t99999999999\t"), std::pair("\t16\t", "\t16\t\t"),
        std::pair("-\t1,0*1", "|d\t1,0*1"), std::pair("grid", "gird"), std::pair("grid", "moved")})
    BOOST_TEST(problem_with(replaced(good, what, by)) == "line 2 is damaged", what << " -> " << by);
}

BOOST_AUTO_TEST_CASE(too_many_grids_dimensions_or_steps_are_refused) {
  BOOST_TEST(problem_with(to_text({std::vector<LearnedGrid>(most_grids, four_by_four()), {}})) == "");
  BOOST_TEST(problem_with(to_text({std::vector<LearnedGrid>(most_grids + 1, four_by_four()), {}})) != "");
  LearnedGrid grid = four_by_four();
  for (int step = 0; step < 100; ++step) grid.stencil += ";1,1*5";
  BOOST_TEST(problem_with(to_text({{grid}, {}})) == "line 2 is damaged");
  const std::string many = "1" + std::string(40, ',') + "1";
  BOOST_TEST(problem_with(replaced(to_text({{four_by_four()}, {}}), "4,4", many)) == "line 2 is damaged");
}

BOOST_AUTO_TEST_CASE(names_cannot_break_lines_or_control_a_terminal) {
  LearnedGrid grid = four_by_four();
  grid.program = "a\tb\nc\x1b[2J";
  grid.command = std::string(100'000, 'x') + "\n";
  std::string why_not;
  const auto again = from_text(to_text({{grid}, {}}), why_not);
  BOOST_REQUIRE_MESSAGE(again.has_value(), why_not);
  BOOST_TEST(again->grids.front().program == "abc[2J");
  BOOST_TEST(again->grids.front().command.size() < 1000u);
}

BOOST_AUTO_TEST_CASE(too_many_directories_or_moved_runs_are_refused) {
  BOOST_TEST(problem_with(to_text({{}, std::vector<MovedRun>(most_moved_runs, MovedRun{})})) == "");
  BOOST_TEST(problem_with(to_text({{}, std::vector<MovedRun>(most_moved_runs + 1, MovedRun{})})) != "");
  LearnedGrid grid = four_by_four();
  grid.directories.assign(most_directories, "d");
  BOOST_TEST(problem_with(to_text({{grid}, {}})) == "");
  grid.directories.emplace_back("d");
  BOOST_TEST(problem_with(to_text({{grid}, {}})) == "line 2 is damaged");
}

BOOST_AUTO_TEST_CASE(a_profile_of_an_older_marshal_is_as_none) {
  std::string why_not;
  const auto contents = from_text("marshal-profile 1\ntea\t-\t00c0ffee\t-\t16\t4,4\nend\n", why_not);
  BOOST_REQUIRE_MESSAGE(contents.has_value(), why_not);
  BOOST_TEST((*contents == Contents()));
}
