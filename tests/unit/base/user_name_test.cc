#include <boost/test/unit_test.hpp>

#include "base/process_facts.h"

using namespace marshal;

namespace {

constexpr std::string_view accounts =
    "root:x:0:0:root:/root:/bin/sh\n"
    "# a comment\n"
    ":x:1000:1000::/:\n"
    "broken:x:1000\n"
    "+::::::\n"
    "ann:x:1000:1000:Ann:/home/ann:/bin/sh\n"
    "also_ann:x:1000:1000::/:/bin/sh";

template <char variable>
const char* bob_in(const char* name) {
  return name[0] == variable ? "bob" : nullptr;
}
const char* root_in_user(const char* name) { return name[0] == 'U' ? "root" : "bob"; }
const char* empty(const char*) { return ""; }

}  // namespace

BOOST_AUTO_TEST_CASE(an_account_of_this_machine_has_its_name_whatever_the_environment_says) {
  BOOST_TEST(user_name(1000, accounts, bob_in<'U'>) == "ann");
  BOOST_TEST(user_name(0, accounts, bob_in<'U'>) == "root");
}

BOOST_AUTO_TEST_CASE(another_user_is_called_as_the_environment_says) {
  BOOST_TEST(user_name(2000, accounts, bob_in<'U'>) == "bob");
  BOOST_TEST(user_name(2000, accounts, bob_in<'L'>) == "bob");
  BOOST_TEST(user_name(2000, "", bob_in<'U'>) == "bob");
}

BOOST_AUTO_TEST_CASE(a_name_of_somebody_else_is_not_taken) {
  BOOST_TEST(user_name(2000, accounts, root_in_user) == "bob");
}

BOOST_AUTO_TEST_CASE(a_user_without_a_name_is_a_number) {
  BOOST_TEST(user_name(2000, accounts, empty) == "2000");
  BOOST_TEST(!user_name().empty());
}
