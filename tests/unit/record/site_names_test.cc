#include "record/site_names.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "tests/unit/temporary_directory.h"

using namespace marshal::report;

namespace {

// A return address in this program as the library records it.
Frame frame_of(const void* address) {
  Dl_info info{};
  link_map* module = nullptr;
  BOOST_REQUIRE(dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) != 0);
  std::array<char, PATH_MAX> path{};
  BOOST_REQUIRE(realpath(info.dli_fname, path.data()) != nullptr);
  return {path.data(), reinterpret_cast<std::uintptr_t>(address) - module->l_addr};
}

}  // namespace

namespace solver {
__attribute__((noinline)) const void* set_up() {
  const void* here = __builtin_return_address(0);
  BOOST_TEST_MESSAGE("not a leaf");
  return here;
}
constexpr int line_of_the_call = __LINE__ + 2;
__attribute__((noinline)) const void* caller() {
  const void* here = set_up();
  BOOST_TEST_MESSAGE("not a tail call");
  return here;
}
__attribute__((noinline)) const void* other_caller() {
  const void* here = set_up();
  BOOST_TEST_MESSAGE("not a tail call either");
  return here;
}
}  // namespace solver

namespace {

const std::string cache_line = "site_names_test.cc:" + std::to_string(solver::line_of_the_call) + " in ";
// Built with debug information, or without.
bool is_name_of_caller(const std::string& name) {
  return name == "solver::caller" || name == cache_line + "solver::caller";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_place_is_named_by_function_file_and_line) {
  SourcePlaces places(when_read);
  const std::string name = places.name(frame_of(solver::caller()));
  BOOST_TEST(is_name_of_caller(name), name);
}

BOOST_AUTO_TEST_CASE(without_time_or_in_a_large_file_a_place_is_named_by_function) {
  BOOST_TEST(SourcePlaces({.time = std::chrono::nanoseconds(0)}).name(frame_of(solver::caller())) == "solver::caller");
  BOOST_TEST(SourcePlaces({.largest_file = 1}).name(frame_of(solver::caller())) == "solver::caller");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_found_has_no_name) {
  SourcePlaces places(when_read);
  BOOST_TEST(places.name({"/nonexistent/module.so", 0x1000}) == "");
  BOOST_TEST(places.name({"relative.so", 0x1000}) == "");
  BOOST_TEST(places.name({frame_of(solver::caller()).module, 0}) == "");
  BOOST_TEST(places.name({frame_of(solver::caller()).module, UINT64_MAX}) == "");
  BOOST_TEST(places.name({"/dev/null", 16}) == "");
}

BOOST_AUTO_TEST_CASE(a_report_of_another_user_opens_no_file_that_he_may_have_made) {
  const marshal::TemporaryDirectory scratch;
  const Frame frame = frame_of(solver::caller());
  const std::string copy = scratch.path + "/program", pipe = scratch.path + "/pipe";
  std::filesystem::copy_file(frame.module, copy);
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const auto name = [](const std::string& module, std::uint64_t offset) {
    return SourcePlaces(when_read_of_others).name({module, offset});
  };
  BOOST_REQUIRE(chmod(copy.c_str(), 0755) == 0);
  BOOST_TEST(is_name_of_caller(name(copy, frame.offset)));
  BOOST_REQUIRE(chmod(copy.c_str(), 0777) == 0);
  BOOST_TEST(name(copy, frame.offset) == "");
  BOOST_TEST(name(pipe, frame.offset) == "");
  BOOST_REQUIRE(chmod(copy.c_str(), 0755) == 0);
  if (chown(copy.c_str(), 1, 1) != 0) return;  // only root may
  BOOST_TEST(name(copy, frame.offset) == (geteuid() == 1 ? SourcePlaces(when_read).name({copy, frame.offset}) : ""));
  BOOST_TEST(is_name_of_caller(SourcePlaces(when_read).name({copy, frame.offset})));
}

BOOST_AUTO_TEST_CASE(communicators_grids_and_datatypes_get_the_names_of_their_sites) {
  Record record;
  const CallSite site{"MPI_Comm_dup", {frame_of(solver::caller())}}, bare{"MPI_Comm_split", {}};
  record.communicators[site].communicators = 1;
  record.communicators[bare].communicators = 1;
  record.grids[{site, {2, 2}, {0, 0}, "search", true}].made = 1;
  record.datatypes[{"64 B", 0}].site = site;
  name_sites(record, when_read);
  BOOST_TEST(is_name_of_caller(record.communicators.find(site)->symbol));
  BOOST_TEST(record.communicators.find(bare)->symbol == "");
  record.grids.each([](const GridKey&, const Grid& grid) { BOOST_TEST(is_name_of_caller(grid.symbol)); });
  record.datatypes.each([](const LayoutKey&, const DatatypeLayout& d) { BOOST_TEST(is_name_of_caller(d.symbol)); });
}

BOOST_AUTO_TEST_CASE(a_nameless_innermost_frame_says_from_where_it_was_reached) {
  Record record;
  const CallSite site{"MPI_Comm_dup", {{"/opt/lib/libclosed.so", 16}, frame_of(solver::caller())}};
  record.communicators[site].communicators = 1;
  name_sites(record, when_read);
  const std::string symbol = record.communicators.find(site)->symbol;
  BOOST_TEST(symbol.starts_with("libclosed.so+0x10, from "), symbol);
  BOOST_TEST(symbol.ends_with("solver::caller"), symbol);
}

BOOST_AUTO_TEST_CASE(sites_of_one_name_are_told_apart_by_the_frame_in_which_they_differ) {
  Record record;
  const Frame inner = frame_of(solver::caller()), outer = frame_of(solver::other_caller());
  const CallSite one{"MPI_Comm_dup", {inner, inner}}, two{"MPI_Comm_dup", {inner, outer}};
  const CallSite by_another_call{"MPI_Comm_split", {inner, inner}};
  for (const CallSite& site : {one, two, by_another_call}) record.communicators[site].communicators = 1;
  name_sites(record, when_read);
  const auto reached_from = [&](const CallSite& site, const char* function) {
    const std::string symbol = record.communicators.find(site)->symbol;
    const auto from = symbol.find(", from ");
    return from != std::string::npos && symbol.substr(from).ends_with(function);
  };
  BOOST_TEST(reached_from(one, "solver::caller"));
  BOOST_TEST(reached_from(two, "solver::other_caller"));
  BOOST_TEST(is_name_of_caller(record.communicators.find(by_another_call)->symbol));
}

// A stripped program has such sites.
BOOST_AUTO_TEST_CASE(sites_without_a_name_are_told_apart_too) {
  Record record;
  const Frame inner{"/opt/lib/closed.so", 16}, a{"/opt/lib/closed.so", 32}, b{"/opt/lib/closed.so", 48};
  const CallSite one{"MPI_Comm_dup", {inner, a, a}}, two{"MPI_Comm_dup", {inner, a, b}},
      three{"MPI_Comm_dup", {inner, b}};
  const CallSite alone{"MPI_Comm_split", {inner, a}};
  for (const CallSite& site : {one, two, three, alone}) record.communicators[site].communicators = 1;
  const auto words = [&](const CallSite& site) { return name_or_place(record.communicators.find(site)->symbol, site); };
  for (int times_read = 0; times_read < 2; ++times_read) {
    name_sites(record, when_read);
    BOOST_TEST(words(one) == "closed.so+0x10, from closed.so+0x20, from closed.so+0x20");
    BOOST_TEST(words(two) == "closed.so+0x10, from closed.so+0x20, from closed.so+0x30");
    BOOST_TEST(words(three) == "closed.so+0x10, from closed.so+0x30");
    BOOST_TEST(words(alone) == "closed.so+0x10");
  }
}

BOOST_AUTO_TEST_CASE(a_name_with_a_line_stays_and_one_without_is_looked_for_again) {
  Record record;
  const CallSite lined{"MPI_Comm_dup", {frame_of(solver::caller())}},
      bare{"MPI_Comm_split", {frame_of(solver::caller())}};
  record.communicators[lined].symbol = "my.c:7 in mine";
  record.communicators[bare].symbol = "ns::mine";
  name_sites(record, when_read);
  BOOST_TEST(record.communicators.find(lined)->symbol == "my.c:7 in mine");
  BOOST_TEST(is_name_of_caller(record.communicators.find(bare)->symbol));
}
