#include "base/elf_file.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
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

ElfFile::Problem problem_of(const std::string& contents) {
  std::string path = "/tmp/marshal-elf-XXXXXX";
  close(mkstemp(path.data()));
  std::ofstream(path, std::ios::binary) << contents;
  ElfFile::Problem problem{};
  if (const auto elf = ElfFile::open(path, problem)) {
    (void)elf->defines("main");
    (void)elf->function_at(0x1000);
  }
  unlink(path.c_str());
  return problem;
}

}  // namespace

extern "C" void marshal_elf_test_landmark() { BOOST_TEST_MESSAGE("never called"); }

BOOST_AUTO_TEST_CASE(this_program_needs_the_c_library_and_has_a_loader) {
  ElfFile::Problem problem{};
  const auto self = ElfFile::open("/proc/self/exe", problem);
  BOOST_REQUIRE(self.has_value());
  BOOST_TEST(self->has_interpreter());
  BOOST_TEST(self->is_dynamic());
  const auto& needed = self->needed();
  BOOST_TEST(
      std::any_of(needed.begin(), needed.end(), [](const std::string& name) { return name.starts_with("libc.so"); }));
}

BOOST_AUTO_TEST_CASE(an_address_is_named_by_its_function) {
  ElfFile::Problem problem{};
  const auto self = ElfFile::open("/proc/self/exe", problem);
  BOOST_REQUIRE(self.has_value());
  Dl_info info{};
  void* code = reinterpret_cast<void*>(&marshal_elf_test_landmark);
  BOOST_REQUIRE(dladdr(code, &info) != 0);
  const auto offset =
      static_cast<std::uint64_t>(static_cast<const char*>(code) - static_cast<const char*>(info.dli_fbase));
  BOOST_TEST(self->function_at(offset) == "marshal_elf_test_landmark");
  BOOST_TEST(self->function_at(UINT64_MAX) == "");
}

BOOST_AUTO_TEST_CASE(the_c_library_defines_what_it_should) {
  Dl_info info{};
  BOOST_REQUIRE(dladdr(reinterpret_cast<void*>(&std::malloc), &info) != 0);
  ElfFile::Problem problem{};
  const auto library = ElfFile::open(info.dli_fname, problem);
  BOOST_REQUIRE(library.has_value());
  BOOST_TEST(library->defines("malloc"));
  BOOST_TEST(!library->defines("ompi_mpi_comm_world"));
  BOOST_TEST(!library->soname().empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_program_is_told_apart) {
  using Problem = ElfFile::Problem;
  BOOST_TEST((problem_of("") == Problem::kNotElf));
  BOOST_TEST((problem_of("#!/bin/sh\n") == Problem::kNotElf));
  std::string other = own_bytes();
  other[4] = other[4] == 1 ? 2 : 1;  // the word length
  BOOST_TEST((problem_of(other) == Problem::kOtherMachine));
  other = own_bytes();
  other[18] = static_cast<char>(other[18] + 1);  // the processor
  BOOST_TEST((problem_of(other) == Problem::kOtherMachine));
  BOOST_TEST((problem_of(own_bytes().substr(0, 40)) == Problem::kDamaged));
  Problem problem{};
  BOOST_TEST(!ElfFile::open("/nonexistent", problem).has_value());
  BOOST_TEST((problem == Problem::kUnreadable));
  BOOST_TEST(!ElfFile::open("/tmp", problem).has_value());
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
    problem_of(bad);
  }
  BOOST_TEST(!good.empty());
}
