#include "profile/learning.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <set>

#include "mapping/stencil.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal;
using namespace marshal::profile;
using mapping::Grid;
using mapping::make_grid;

namespace {

// The bytes that each cell would send along the steps of a stencil, by displacement as the report has it: the short way
// in periodic dimensions, and forwards where both ways are as long.
SentByDisplacement sent_along(const Grid& grid, const mapping::Stencil& stencil) {
  SentByDisplacement sent;
  std::vector<int> at(grid.dims.size());
  for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
    std::set<std::string> used;
    for (const mapping::Step& step : stencil.steps) {
      mapping::coordinates_of(grid, cell, at);
      std::string displacement;
      bool is_there = true, is_self = true;
      for (int d = 0; d < grid.ndims(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        int to = at[i] + step.offset[i];
        if (grid.wraps(d)) to = ((to % grid.length(d)) + grid.length(d)) % grid.length(d);
        is_there = is_there && to >= 0 && to < grid.length(d);
        int move = to - at[i];
        if (grid.wraps(d) && 2 * move > grid.length(d)) move -= grid.length(d);
        if (grid.wraps(d) && 2 * move <= -grid.length(d)) move += grid.length(d);
        is_self = is_self && move == 0;
        displacement += (d == 0 ? "" : ",") + std::to_string(move);
      }
      if (!is_there || is_self) continue;
      sent[displacement].bytes += static_cast<std::uint64_t>(step.weight);
      used.insert(displacement);
    }
    for (const std::string& displacement : used) ++sent[displacement].processes;
  }
  return sent;
}

LearnedGrid taught(const std::string& stencil) {
  LearnedGrid grid;
  grid.grid = make_grid(std::vector{4, 4}, std::vector{0, 0});
  grid.stencil = stencil;
  grid.directories = {"here"};
  return grid;
}

LearnedGrid taught_in(const std::string& directory, const std::string& stencil) {
  LearnedGrid grid = taught(stencil);
  grid.directories = {directory};
  return grid;
}

const std::string rows = "0,1*64;0,-1*64;1,0*1;-1,0*1", columns = "1,0*64;-1,0*64;0,1*1;0,-1*1";

}  // namespace

BOOST_AUTO_TEST_CASE(the_stencil_that_a_program_sends_along_is_learned) {
  UniformDraw pick(property_seed());
  for (int round = 0; round < 200; ++round) {
    const int ndims = pick(1, 3);
    std::vector<int> dims, periods;
    std::vector<std::int64_t> weights;
    for (int d = 0; d < ndims; ++d) {
      dims.push_back(pick(3, 7));
      periods.push_back(pick(0, 1));
      weights.push_back(pick(100, 900));
    }
    const Grid grid = make_grid(dims, periods);
    const mapping::Stencil stencil =
        pick(0, 1) == 0 ? mapping::star_stencil(ndims, weights) : mapping::box_stencil(ndims, weights);
    const auto learned = learned_stencil(grid, sent_along(grid, stencil), 0);
    BOOST_REQUIRE(learned.has_value());
    const mapping::Stencil found = mapping::parse_stencil(*learned, ndims);
    BOOST_REQUIRE(found.steps.size() == stencil.steps.size());
    for (const mapping::Step& step : stencil.steps)
      BOOST_REQUIRE(std::any_of(found.steps.begin(), found.steps.end(), [&](const mapping::Step& other) {
        return other.offset == step.offset && other.weight == step.weight;
      }));
  }
}

// In a periodic dimension of two cells both ways lead to the same one.
BOOST_AUTO_TEST_CASE(a_step_that_is_its_own_opposite_is_learned_once) {
  const Grid grid = make_grid(std::vector{2, 4}, std::vector{1, 0});
  const auto learned = learned_stencil(grid, {{"1,0", {8, 800}}}, 0);
  BOOST_TEST(learned.value_or("") == "1,0*100");
}

BOOST_AUTO_TEST_CASE(weights_are_scaled_to_a_million_and_none_becomes_zero) {
  const Grid grid = make_grid(std::vector{2, 2}, std::vector{0, 0});
  const auto learned = learned_stencil(grid, {{"1,0", {2, 4'000'000'000'000}}, {"0,1", {2, 4'000'000'000}}}, 0);
  BOOST_TEST(learned.value_or("") == "1,0*1000000;-1,0*1000000;0,1*1000;0,-1*1000");
}

BOOST_AUTO_TEST_CASE(traffic_that_is_not_that_of_a_stencil_teaches_nothing) {
  const Grid grid = make_grid(std::vector{8, 8}, std::vector{0, 0});
  BOOST_TEST(!learned_stencil(grid, {}, 0).has_value());
  BOOST_TEST(!learned_stencil(grid, {{"1,0", {0, 0}}}, 0).has_value());
  BOOST_TEST(!learned_stencil(grid, {{"1,0", {56, 1000}}}, 900).has_value());
  BOOST_TEST(learned_stencil(grid, {{"1,0", {56, 1000}}}, 100).has_value());
  // Everybody with everybody.
  SentByDisplacement all;
  for (int i = -7; i <= 7; ++i)
    for (int j = -7; j <= 7; ++j)
      if (const auto pairs = static_cast<std::uint64_t>((8 - std::abs(i)) * (8 - std::abs(j))); i != 0 || j != 0)
        all[std::to_string(i) + "," + std::to_string(j)] = {pairs, pairs};
  BOOST_TEST(!learned_stencil(grid, all, 0).has_value());
}

// As heat3d: an exchange with all neighbours, and a gather to the process of cell 0 that carries a tenth as much.
BOOST_AUTO_TEST_CASE(a_process_that_gathers_from_all_is_no_neighbour_of_theirs) {
  const Grid grid = make_grid(std::vector{4, 2, 2}, std::vector{0, 0, 0});
  const mapping::Stencil star = mapping::star_stencil(3, std::vector<std::int64_t>{100, 100, 100});
  SentByDisplacement sent = sent_along(grid, star);
  const auto exchange = learned_stencil(grid, sent, 0);
  std::vector<int> at(3);
  for (std::int64_t cell = 1; cell < grid.cells(); ++cell) {
    mapping::coordinates_of(grid, cell, at);
    SentAlong& along = sent[mapping::text_of(std::vector{-at[0], -at[1], -at[2]})];
    along.bytes += 10;
    if (along.bytes == 10) along.processes = 1;
  }
  const auto learned = learned_stencil(grid, sent, 0);
  BOOST_REQUIRE(learned.has_value());
  BOOST_TEST(mapping::parse_stencil(*learned, 3).steps.size() == mapping::parse_stencil(*exchange, 3).steps.size());
}

// A pipeline sends one way only.
BOOST_AUTO_TEST_CASE(a_step_that_is_sent_one_way_is_learned) {
  const Grid grid = make_grid(std::vector{4, 4}, std::vector{0, 0});
  BOOST_TEST(learned_stencil(grid, {{"1,0", {12, 2400}}}, 0).value_or("") == "1,0*100;-1,0*100");
}

BOOST_AUTO_TEST_CASE(stencils_are_similar_up_to_a_tenth_of_their_bytes) {
  BOOST_TEST(similar("1,0*100;0,1*100", "0,1*1000;1,0*1000", 2));
  BOOST_TEST(similar("1,0*100;0,1*100", "1,0*104;0,1*96", 2));
  BOOST_TEST(!similar("1,0*100;0,1*100", "1,0*120;0,1*80", 2));
  BOOST_TEST(!similar("1,0*100", "0,1*100", 2));
}

BOOST_AUTO_TEST_CASE(an_order_that_sent_more_is_not_made_again_while_the_traffic_stays) {
  LearnedGrid grid = after_another_run(taught(rows), taught(rows), false);
  BOOST_TEST(!grid.keep_order);
  grid = after_another_run(grid, taught(rows), true);
  BOOST_TEST(grid.keep_order);
  grid = after_another_run(grid, taught(rows), false);
  BOOST_TEST(grid.keep_order);
  grid = after_another_run(grid, taught(columns), false);
  BOOST_TEST(!grid.keep_order);
}

BOOST_AUTO_TEST_CASE(stencils_of_earlier_runs_stay_known_newest_first) {
  LearnedGrid grid = after_another_run(taught(rows), taught(columns), false);
  BOOST_TEST(grid.stencil == columns);
  BOOST_TEST(grid.earlier == std::vector{rows}, boost::test_tools::per_element());
  grid = after_another_run(grid, taught(rows), false);
  BOOST_TEST(grid.stencil == rows);
  BOOST_TEST(grid.earlier == std::vector{columns}, boost::test_tools::per_element());
  for (const char* other : {"1,1*5;-1,-1*5", "2,0*5;-2,0*5", "0,2*5;0,-2*5"})
    grid = after_another_run(grid, taught(other), false);
  BOOST_TEST(grid.earlier.size() == most_earlier);
  BOOST_TEST(grid.earlier.front() == "2,0*5;-2,0*5");
}

BOOST_AUTO_TEST_CASE(what_runs_with_other_arguments_taught_alike_counts_for_any) {
  const auto with = [](const char* arguments, const std::string& stencil) {
    LearnedGrid grid = taught(stencil);
    grid.arguments = arguments;
    return grid;
  };
  const LearnedGrid program = with("now", rows);
  using Kept = std::vector<LearnedGrid>;
  BOOST_TEST(known_of_program({}, program).empty());
  BOOST_TEST(known_of_program({with("a", rows)}, program).empty());  // chance, perhaps
  const Kept two = known_of_program({with("a", rows), with("b", rows)}, program);
  BOOST_REQUIRE(two.size() == 1);
  BOOST_TEST(two.front().arguments == "b");
  BOOST_TEST(two.front().job == program.job + " with other arguments");
  BOOST_TEST(known_of_program({with("a", rows), with("b", columns), with("c", columns)}, program).empty());
  LearnedGrid kept_in_order = with("b", rows), changing = with("b", rows), elsewhere = with("b", rows);
  kept_in_order.keep_order = true;
  changing.earlier = {columns};
  elsewhere.site = "other+0x1";
  for (const LearnedGrid& other : {kept_in_order, changing, elsewhere})
    BOOST_TEST(known_of_program({with("a", rows), other}, program).empty());
  LearnedGrid larger = with("b", rows);
  larger.processes += 1;
  BOOST_TEST(known_of_program({with("a", rows), larger}, program).empty());
  // A run with these arguments counts before anything else.
  const Kept own = known_of_program({with("a", rows), with("now", columns), with("b", rows)}, program);
  BOOST_REQUIRE(own.size() == 1);
  BOOST_TEST(own.front().stencil == columns);
}

BOOST_AUTO_TEST_CASE(what_was_taught_in_this_directory_counts_before_anything_else) {
  std::vector<LearnedGrid> kept;
  add_taught(kept, taught_in("here", columns));
  for (const char* directory : {"a", "b", "c"}) add_taught(kept, taught_in(directory, rows));
  const std::vector<LearnedGrid> known = known_of_program(kept, taught_in("here", ""));
  BOOST_REQUIRE(known.size() == 1);
  BOOST_TEST(known.front().stencil == columns);
  BOOST_TEST(known.front().earlier.empty());
  BOOST_TEST(known.front().directories == std::vector<std::string>{"here"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(two_directories_that_agree_lend_to_a_third_and_one_that_differs_ends_that) {
  std::vector<LearnedGrid> kept;
  const LearnedGrid elsewhere = taught_in("elsewhere", "");
  add_taught(kept, taught_in("a", rows));
  BOOST_TEST(known_of_program(kept, elsewhere).empty());  // chance, perhaps
  add_taught(kept, taught_in("b", rows));
  const std::vector<LearnedGrid> known = known_of_program(kept, elsewhere);
  BOOST_REQUIRE(known.size() == 1);
  BOOST_TEST(known.front().stencil == rows);
  BOOST_TEST(known.front().job == " in other directories");
  BOOST_TEST(known.front().directories.empty());
  BOOST_TEST(known.front().earlier.empty());
  add_taught(kept, taught_in("c", columns));
  BOOST_TEST(known_of_program(kept, elsewhere).empty());
  for (const char* own : {"a", "b", "c"}) BOOST_TEST(known_of_program(kept, taught_in(own, "")).size() == 1U);
}

// So an order for it is no worse than the order given by any of them.
BOOST_AUTO_TEST_CASE(what_is_lent_knows_the_faces_of_all_other_runs_of_the_grid) {
  std::vector<LearnedGrid> kept;
  LearnedGrid other = taught_in("a", columns);
  other.arguments = "other";
  add_taught(kept, other);
  for (const char* directory : {"a", "b"}) add_taught(kept, taught_in(directory, rows));
  const auto lent = known_of_program(kept, taught_in("elsewhere", ""));
  BOOST_REQUIRE(lent.size() == 1);
  BOOST_TEST(lent.front().earlier == std::vector{columns}, boost::test_tools::per_element());
  other.earlier = {"1,1*5;-1,-1*5", "2,0*5;-2,0*5", "0,2*5;0,-2*5"};
  add_taught(kept, other);
  BOOST_TEST(known_of_program(kept, taught_in("elsewhere", "")).empty());  // more than can be kept in mind
}

BOOST_AUTO_TEST_CASE(directories_that_agree_share_one_entry) {
  std::vector<LearnedGrid> kept;
  for (int i = 0; i < 1000; ++i) add_taught(kept, taught_in(std::to_string(i), rows));
  BOOST_REQUIRE(kept.size() == 1);
  BOOST_TEST(kept.front().directories.size() == most_directories);
  BOOST_TEST(kept.front().directories.front() == "999");
  // One that changes leaves the others, and comes back alone, as its traffic changes.
  const LearnedGrid before = known_of_program(kept, taught_in("990", "")).front();
  add_taught(kept, after_another_run(before, taught_in("990", columns), false));
  BOOST_TEST(kept.size() == 2U);
  BOOST_TEST(known_of_program(kept, taught_in("991", "")).front().stencil == rows);
  const LearnedGrid changed = known_of_program(kept, taught_in("990", "")).front();
  BOOST_TEST(changed.stencil == columns);
  BOOST_TEST(changed.earlier == std::vector{rows}, boost::test_tools::per_element());
  add_taught(kept, after_another_run(changed, taught_in("990", rows), false));
  BOOST_TEST(kept.size() == 2U);
}
