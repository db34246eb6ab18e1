#include "report/function_names.h"

#include <dlfcn.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <climits>
#include <cstdlib>

using namespace marshal::report;

namespace {

Frame frame_of(const void* address) {
  Dl_info info{};
  BOOST_REQUIRE(dladdr(address, &info) != 0);
  std::array<char, PATH_MAX> path{};
  BOOST_REQUIRE(realpath(info.dli_fname, path.data()) != nullptr);
  return {path.data(), static_cast<std::uint64_t>(static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase))};
}

}  // namespace

namespace solver {
__attribute__((noinline)) const void* set_up() {
  const void* here = __builtin_return_address(0);
  BOOST_TEST_MESSAGE("not a leaf");
  return here;
}
__attribute__((noinline)) const void* caller() {
  const void* here = set_up();
  BOOST_TEST_MESSAGE("not a tail call");
  return here;
}
}  // namespace solver

BOOST_AUTO_TEST_CASE(a_site_is_named_after_the_innermost_function_that_has_a_name) {
  Record record;
  const CallSite nameless_first{"MPI_Comm_dup", {{"/nonexistent.so", 16}, frame_of(solver::caller())}};
  record.communicators[nameless_first].communicators = 1;
  record.grids[{{"MPI_Cart_create", {frame_of(solver::caller())}}, {2, 2}, {0, 0}, "search", true}].made = 1;
  add_function_names(record);
  BOOST_TEST(record.communicators.find(nameless_first)->symbol == "solver::caller()");
  record.grids.each([](const GridKey&, const Grid& grid) { BOOST_TEST(grid.symbol == "solver::caller()"); });
}

BOOST_AUTO_TEST_CASE(a_name_that_is_there_stays_and_a_site_without_frames_gets_none) {
  Record record;
  const CallSite named{"MPI_Comm_dup", {frame_of(solver::caller())}}, bare{"MPI_Comm_split", {}};
  record.communicators[named].symbol = "mine";
  record.communicators[bare].communicators = 1;
  add_function_names(record);
  BOOST_TEST(record.communicators.find(named)->symbol == "mine");
  BOOST_TEST(record.communicators.find(bare)->symbol == "");
}

BOOST_AUTO_TEST_CASE(only_mangled_names_are_demangled) {
  BOOST_TEST(demangled("main") == "main");
  BOOST_TEST(demangled("MAIN__") == "MAIN__");
  BOOST_TEST(demangled("_ZN2ns5solveEi") == "ns::solve(int)");
}
