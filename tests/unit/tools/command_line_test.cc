#include "tools/command_line.h"

#include <boost/test/unit_test.hpp>

using namespace marshal::tools;

namespace {

struct Words {
  explicit Words(std::vector<std::string> typed) : kept(std::move(typed)) {
    for (std::string& word : kept) pointers.push_back(word.data());
  }
  std::vector<std::string> kept;
  std::vector<char*> pointers;
};

struct Parsed {
  std::string cart = "best", error;
  int ranks = 4;
  bool json = false;
  std::vector<std::string> rest;
};

Parsed parsed(std::vector<std::string> typed) {
  Parsed all;
  CommandLine line("marshal test", "Tests.");
  line.option("--cart", &all.cart, "a word");
  line.option("-n,--ranks", &all.ranks, "a number");
  line.flag("--json", all.json, "a flag");
  line.followed_by_command("marshal test [OPTIONS] [--] PROGRAM");
  Words words(std::move(typed));
  (void)line.parse(words.pointers, all.error);
  all.rest = line.rest();
  return all;
}

using Rest = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(an_empty_value_does_not_take_the_next_word) {
  const Parsed all = parsed({"test", "--cart=", "./app", "--cart="});
  BOOST_TEST(all.error == "");
  BOOST_TEST(all.cart == "");
  BOOST_TEST((all.rest == Rest{"./app", "--cart="}));
}

BOOST_AUTO_TEST_CASE(the_words_of_the_command_that_follows_are_its_own) {
  BOOST_TEST((parsed({"test", "--cart", "off", "-n", "8", "./app", "--ranks=", "-n"}).rest ==
              Rest{"./app", "--ranks=", "-n"}));
  BOOST_TEST((parsed({"test", "--json", "./app", "x="}).rest == Rest{"./app", "x="}));
  BOOST_TEST(parsed({"test", "--cart=off", "./app"}).cart == "off");
  BOOST_TEST(parsed({"test", "--cart", "a=", "./app"}).cart == "a=");
}

BOOST_AUTO_TEST_CASE(an_empty_number_is_refused) { BOOST_TEST(parsed({"test", "--ranks=", "./app"}).error != ""); }
