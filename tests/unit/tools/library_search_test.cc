#include "tools/library_search.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <random>

#include "tests/unit/property_seed.h"

using namespace marshal;
using namespace marshal::tools;

namespace {

void append(std::string& bytes, std::uint32_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A cache of one library, in glibc's new format.
std::string small_cache() {
  const std::string strings("libx.so.1\0/opt/libx.so.1", 25);
  std::string cache = "glibc-ld.so.cache1.1";
  append(cache, 1);  // entries
  append(cache, static_cast<std::uint32_t>(strings.size()));
  for (int i = 0; i < 5; ++i) append(cache, 0);  // flags, extensions, unused
  const auto at = static_cast<std::uint32_t>(cache.size() + 24);
  append(cache, 0x0303), append(cache, at), append(cache, at + 10), append(cache, 0), append(cache, 0),
      append(cache, 0);
  return cache + strings;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_cache_names_libraries_and_their_files) {
  const auto libraries = parse_loader_cache(small_cache());
  BOOST_REQUIRE_EQUAL(libraries.size(), 1u);
  BOOST_TEST(libraries.find("libx.so.1")->second == "/opt/libx.so.1");
}

BOOST_AUTO_TEST_CASE(a_cache_behind_the_old_format_is_found) {
  std::string cache = "ld.so-1.7.0";
  cache.push_back('\0');
  append(cache, 1);
  cache += std::string(12, '\0');
  cache += std::string((8 - cache.size() % 8) % 8, '\0');
  BOOST_TEST(parse_loader_cache(cache + small_cache()).size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_damaged_cache_never_crashes) {
  std::mt19937 random(property_seed());
  const std::string good = small_cache();
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good.substr(0, random() % (good.size() + 1));
    for (auto n = random() % 4; n > 0 && !bad.empty(); --n) bad[random() % bad.size()] = static_cast<char>(random());
    BOOST_TEST(parse_loader_cache(bad).size() <= 64u * 1024u);
  }
}

BOOST_AUTO_TEST_CASE(the_c_library_of_this_program_is_found) {
  ElfFile::Problem problem{};
  const auto self = ElfFile::open("/proc/self/exe", problem);
  BOOST_REQUIRE(self.has_value());
  const LibrarySearch search;
  for (const std::string& name : self->needed())
    BOOST_TEST(!search.find(name, {"/proc/self/exe", self->rpath(), self->runpath(), nullptr}).empty(), name);
  BOOST_TEST(search.find("libnosuch.so.99", {"/x", "", "", nullptr}).empty());
}
