// Python's frames are read where there are any. This program has the names of an interpreter, and behind them memory
// that is none.
#include "callsites/python_frames.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "tests/unit/property_seed.h"

using namespace marshal;

namespace {

void* state_of_thread = nullptr;
std::array<std::uintptr_t, 8192> memory;

}  // namespace

extern "C" {
unsigned long Py_Version = 0;
std::array<std::uintptr_t, 64> PyCode_Type, PyUnicode_Type, PyBytes_Type;
void* PyGILState_GetThisThreadState() { return state_of_thread; }
void* PyInterpreterState_Head() { return &memory; }
void* PyInterpreterState_Main() { return &memory; }
int Py_IsFinalizing() { return 0; }
}

namespace {

// Does a process of its own find an interpreter, of any version?
bool is_found(const std::function<void()>& prepare) {
  bool is = false;
  for (const unsigned long version : {0x030b02f0UL, 0x030c00f0UL, 0x030d05f0UL, 0x030e00f0UL, 0x020712f0UL, ~0UL}) {
    Py_Version = version;
    const pid_t child = fork();
    if (child == 0) {
      prepare();
      _exit(find_python() || find_python() ? 1 : 0);
    }
    int status = -1;
    BOOST_TEST_REQUIRE(waitpid(child, &status, 0) == child);
    BOOST_TEST(WIFEXITED(status));
    is = is || WEXITSTATUS(status) != 0;
  }
  return is;
}

}  // namespace

BOOST_AUTO_TEST_CASE(addresses_of_no_interpreter_are_none) {
  const long page = sysconf(_SC_PAGESIZE);
  auto* const pages = static_cast<std::byte*>(
      mmap(nullptr, static_cast<std::size_t>(2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  BOOST_TEST_REQUIRE(mprotect(pages + page, static_cast<std::size_t>(page), PROT_NONE) == 0);
  const std::array<void*, 7> none{nullptr, reinterpret_cast<void*>(1), reinterpret_cast<void*>(~std::uintptr_t{0}),
                                  pages,   pages + page - 60,          pages + page,
                                  &memory};
  for (void* const state : none) BOOST_TEST(!is_found([state] { state_of_thread = state; }));
  munmap(pages, static_cast<std::size_t>(2 * page));
}

BOOST_AUTO_TEST_CASE(memory_that_points_to_itself_anywhere_is_none) {
  std::mt19937_64 random(property_seed());
  for (int round = 0; round < 30; ++round) {
    const auto seed = random();
    BOOST_TEST(!is_found([seed] {
      std::mt19937_64 own(seed);
      const auto draw = [&own](std::size_t n) { return static_cast<std::size_t>(own() % n); };
      for (std::uintptr_t& word : memory) {
        const std::array words{reinterpret_cast<std::uintptr_t>(&memory[draw(memory.size())]),
                               reinterpret_cast<std::uintptr_t>(&PyCode_Type),
                               reinterpret_cast<std::uintptr_t>(&PyUnicode_Type),
                               reinterpret_cast<std::uintptr_t>(&PyBytes_Type),
                               std::uintptr_t{draw(8)},
                               static_cast<std::uintptr_t>(own())};
        word = words[draw(2) == 0 ? 0 : draw(words.size())];
      }
      state_of_thread = &memory[draw(memory.size())];
    }));
  }
}

BOOST_AUTO_TEST_CASE(a_line_is_that_of_its_instruction) {
  // By Python 3.11:
  // def f(a, b):
  //   for i in a:
  //     b(1,
  //       2)
  //
  //   return [b(3, a)
  //           for x in a]
  const std::array<unsigned char, 97> bytes{
      0xf8, 0xf8, 0x80, 0x00, 0xd8, 0x0b, 0x0c, 0xf0, 0x00, 0x02, 0x03, 0x09, 0xf0, 0x00, 0x02, 0x03, 0x09,
      0x80, 0x61, 0xd8, 0x04, 0x05, 0x80, 0x41, 0x80, 0x61, 0xd8, 0x06, 0x07, 0xf1, 0x03, 0x01, 0x05, 0x09,
      0xf4, 0x00, 0x01, 0x05, 0x09, 0xf0, 0x00, 0x01, 0x05, 0x09, 0xf0, 0x00, 0x01, 0x05, 0x09, 0xf0, 0x06,
      0x01, 0x0a, 0x16, 0xf0, 0x00, 0x01, 0x0a, 0x16, 0xf0, 0x00, 0x01, 0x0a, 0x16, 0xf0, 0x00, 0x01, 0x0a,
      0x16, 0xf0, 0x00, 0x01, 0x0a, 0x16, 0xd8, 0x13, 0x14, 0xf0, 0x03, 0x01, 0x0a, 0x16, 0xf1, 0x00, 0x01,
      0x0a, 0x16, 0xf4, 0x00, 0x01, 0x0a, 0x16, 0xf0, 0x00, 0x01, 0x03, 0x16};
  const std::array<int, 35> lines{1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 3, 3, 3, 3, 3, 3, 3,
                                  3, 3, 6, 6, 6, 6, 6, 7, 6, 6, 6, 6, 6, 6, 6, 6, 6};
  for (std::size_t i = 0; i < lines.size(); ++i)
    BOOST_TEST(python_line(std::as_bytes(std::span(bytes)), 1, 2 * static_cast<std::int64_t>(i)) == lines[i]);
  BOOST_TEST(python_line(std::as_bytes(std::span(bytes)), 1, -2) == 1);
}

BOOST_AUTO_TEST_CASE(any_bytes_are_a_table_of_lines) {
  std::mt19937_64 random(property_seed());
  std::vector<std::byte> bytes;
  for (int round = 0; round < 2000; ++round) {
    bytes.resize(random() % 100);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    python_line(bytes, static_cast<std::int64_t>(random() >> 33), static_cast<std::int64_t>(random()));
  }
}
