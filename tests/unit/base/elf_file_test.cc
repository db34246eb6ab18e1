#include "base/elf_file.h"

#include <dlfcn.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/unit/property_seed.h"

using namespace marshal;

namespace {

std::string own_bytes() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// True if a file of these bytes can be read.
bool is_readable(const std::string& contents) {
  std::string path = "/tmp/marshal-elf-XXXXXX";
  close(mkstemp(path.data()));
  std::ofstream(path, std::ios::binary) << contents;
  const auto elf = ElfFile::open(path);
  if (elf) (void)elf->function_at(0x1000);
  unlink(path.c_str());
  return elf.has_value();
}

}  // namespace

extern "C" void marshal_elf_test_landmark() { BOOST_TEST_MESSAGE("never called"); }

BOOST_AUTO_TEST_CASE(an_address_is_named_by_its_function) {
  const auto self = ElfFile::open("/proc/self/exe");
  BOOST_REQUIRE(self.has_value());
  Dl_info info{};
  void* code = reinterpret_cast<void*>(&marshal_elf_test_landmark);
  BOOST_REQUIRE(dladdr(code, &info) != 0);
  const auto offset =
      static_cast<std::uint64_t>(static_cast<const char*>(code) - static_cast<const char*>(info.dli_fbase));
  BOOST_TEST(self->function_at(offset) == "marshal_elf_test_landmark");
  BOOST_TEST(self->function_at(UINT64_MAX) == "");
}

BOOST_AUTO_TEST_CASE(what_is_no_program_of_this_machine_is_not_read) {
  BOOST_TEST(is_readable(own_bytes()));
  BOOST_TEST(!is_readable(""));
  BOOST_TEST(!is_readable("#!/bin/sh\n"));
  std::string other = own_bytes();
  other[4] = other[4] == 1 ? 2 : 1;  // the word length
  BOOST_TEST(!is_readable(other));
  other = own_bytes();
  other[18] = static_cast<char>(other[18] + 1);  // the processor
  BOOST_TEST(!is_readable(other));
  BOOST_TEST(!is_readable(own_bytes().substr(0, 40)));
  BOOST_TEST(!ElfFile::open("/nonexistent").has_value());
  BOOST_TEST(!ElfFile::open("/tmp").has_value());
}

BOOST_AUTO_TEST_CASE(a_damaged_file_never_crashes) {
  std::mt19937 random(property_seed());
  std::ifstream file("/bin/true", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (int round = 0; round < 800; ++round) {
    std::string bad = good;
    // Damage where the structure is: the headers at the front and the section headers at the end.
    for (auto n = 1 + random() % 4; n > 0; --n) {
      const std::size_t at = random() % 2 == 0 ? 16 + random() % 1000 : bad.size() - 1 - random() % 2000;
      bad[at] = static_cast<char>(random());
    }
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    is_readable(bad);
  }
  BOOST_TEST(!good.empty());
}
