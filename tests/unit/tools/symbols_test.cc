#include "tools/symbols.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <climits>
#include <cstdlib>
#include <string>

using namespace marshal;
using namespace marshal::tools;

namespace {

report::Frame here;

// Where this very line is, as a return address of this function's caller.
__attribute__((noinline)) void take_place() {
  void* address = __builtin_return_address(0);
  Dl_info info{};
  BOOST_REQUIRE(dladdr(address, &info) != 0);
  std::array<char, PATH_MAX> path{};
  BOOST_REQUIRE(realpath(info.dli_fname, path.data()) != nullptr);
  here = {path.data(), static_cast<std::uint64_t>(static_cast<char*>(address) - static_cast<char*>(info.dli_fbase))};
}

}  // namespace

constexpr int kLineOfTheCall = __LINE__ + 2;
__attribute__((noinline)) void a_function_of_the_program() {
  take_place();
  BOOST_TEST_MESSAGE("not a tail call");
}

BOOST_AUTO_TEST_CASE(a_place_is_named_by_function_file_and_line) {
  a_function_of_the_program();
  Symbols symbols;
  const std::string name = symbols.name(here);
  BOOST_TEST(name.find("a_function_of_the_program") != std::string::npos, name);
  // With debug information the line, without it the function alone.
  if (name.find(" at ") != std::string::npos)
    BOOST_TEST(name.ends_with("symbols_test.cc:" + std::to_string(kLineOfTheCall)), name);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_found_has_no_name) {
  Symbols symbols;
  BOOST_TEST(symbols.name({"/nonexistent/module.so", 0x1000}) == "");
  BOOST_TEST(symbols.name({"relative.so", 0x1000}) == "");
  BOOST_TEST(symbols.name({here.module, 0}) == "");
  BOOST_TEST(symbols.name({here.module, UINT64_MAX}) == "");
  BOOST_TEST(symbols.name({"/dev/null", 16}) == "");
}

BOOST_AUTO_TEST_CASE(sites_of_a_record_get_their_names) {
  a_function_of_the_program();
  report::Record record;
  record.communicators[{"MPI_Comm_dup", {here}}].communicators = 1;
  record.communicators[{"MPI_Comm_split", {}}].communicators = 1;
  add_symbols(record);
  record.communicators.each([](const report::CallSite& site, const report::CommunicatorSite& row) {
    BOOST_TEST(row.symbol.empty() == site.frames.empty());
  });
}
