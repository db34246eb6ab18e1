#include "pages/table.h"

#include <boost/test/unit_test.hpp>

using namespace marshal::report;

namespace {

std::string table_of(std::vector<std::string> cells, std::size_t widest) {
  Table table({{"at", Align::left, widest}});
  for (std::string& cell : cells) table.add({std::move(cell)});
  return table.text();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_cell_too_long_for_its_column_keeps_both_ends) {
  BOOST_TEST(table_of({"solver.f90:120 in a_very_long_name, from main.f90:7"}, 21) ==
             "  at\n  solver.f9...ain.f90:7\n");
  BOOST_TEST(table_of({"ääääääääää"}, 7) == "  at\n  ää...ää\n");
  BOOST_TEST(table_of({"just fits"}, 9) == "  at\n  just fits\n");
}

BOOST_AUTO_TEST_CASE(two_cells_that_would_be_cut_alike_stay_whole) {
  const std::string one = "solver.f90:120 in a_very_long_name, from main.f90:7",
                    other = "solver.f90:120 in another_long_name, from main.f90:7";
  BOOST_TEST(table_of({one, other, one}, 21) == "  at\n  " + one + "\n  " + other + "\n  " + one + "\n");
}

BOOST_AUTO_TEST_CASE(a_cell_cannot_break_its_line) {
  BOOST_TEST(table_of({"a\nb\x1b[2J"}, 60) == "  at\n  a\\x0ab\\x1b[2J\n");
}
