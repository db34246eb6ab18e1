#include "profile/program_key.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/unit/property_seed.h"

using namespace marshal;
using namespace marshal::profile;

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string build_in(const std::string& path) { return key_of_program({}, path, "").build; }

// Of a file of these bytes.
std::string build_of(const std::string& contents) {
  std::string path = "/tmp/marshal-elf-XXXXXX";
  close(mkstemp(path.data()));
  std::ofstream(path, std::ios::binary) << contents;
  std::string build = build_in(path);
  unlink(path.c_str());
  return build;
}

}  // namespace

BOOST_AUTO_TEST_CASE(words_and_directories_make_different_keys) {
  const ProgramFacts facts{"/bin/app", "app", {"app", "-n", "2"}}, other{"/bin/app", "app", {"app", "-n", "3"}};
  const ProgramKey key = key_of_program(facts, "", "/here");
  BOOST_TEST((key == key_of_program(facts, "", "/here")));
  BOOST_TEST(key.command == "-n 2");
  BOOST_TEST(key.is_alike(key_of_program(facts, "", "/there")));
  BOOST_TEST(key.directory != key_of_program(facts, "", "/there").directory);
  BOOST_TEST(!key.is_alike(key_of_program(other, "", "/here")));
}

BOOST_AUTO_TEST_CASE(a_program_is_known_by_its_build_id) {
  const std::string own = build_in("/proc/self/exe");
  BOOST_TEST(own.size() == 40U);
  BOOST_TEST(own.find_first_not_of("0123456789abcdef") == own.npos);
  BOOST_TEST(build_of(bytes_of("/proc/self/exe")) == own);
  BOOST_TEST(build_in("/bin/true") != own);
}

BOOST_AUTO_TEST_CASE(what_is_no_program_of_this_machine_has_none) {
  BOOST_TEST(build_of("") == "");
  BOOST_TEST(build_of("#!/bin/sh\n") == "");
  std::string other = bytes_of("/proc/self/exe");
  BOOST_TEST(build_of(other.substr(0, 40)) == "");
  other[4] = other[4] == 1 ? 2 : 1;  // the word length
  BOOST_TEST(build_of(other) == "");
  BOOST_TEST(build_in("/nonexistent") == "");
  BOOST_TEST(build_in("/tmp") == "");
}

BOOST_AUTO_TEST_CASE(a_damaged_file_never_crashes) {
  std::mt19937 random(property_seed());
  const std::string good = bytes_of("/bin/true");
  for (int round = 0; round < 800; ++round) {
    std::string bad = good;
    for (auto n = 1 + random() % 4; n > 0; --n) bad[16 + random() % 1000] = static_cast<char>(random());
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    BOOST_TEST(build_of(bad).size() <= 64U);
  }
  BOOST_TEST(!good.empty());
}
