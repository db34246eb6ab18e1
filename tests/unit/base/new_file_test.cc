#include "base/new_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/unit/temporary_directory.h"

using namespace marshal;
namespace fs = std::filesystem;

namespace {

std::size_t files_in(const std::string& path) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_never_takes_the_place_of_another) {
  const TemporaryDirectory directory;
  const std::string stem = directory.path + "/deep/er/marshal";
  BOOST_TEST(write_new_file(stem, ".json", "first").path == stem + ".json");
  BOOST_TEST(write_new_file(stem, ".json", "second").path == stem + "-2.json");
  BOOST_TEST(write_new_file(stem, ".json", "third").path == stem + "-3.json");
  BOOST_TEST(contents(stem + ".json") == "first");
  BOOST_TEST(contents(stem + "-3.json") == "third");
  BOOST_TEST(files_in(directory.path + "/deep/er") == 3u);  // no temporary file is left
}

BOOST_AUTO_TEST_CASE(many_writers_at_once_each_get_a_file_of_their_own) {
  const TemporaryDirectory directory;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&] {
      for (int k = 0; k < 10; ++k) write_new_file(directory.path + "/m", ".json", "whole");
    });
  for (std::thread& writer : writers) writer.join();
  BOOST_TEST(files_in(directory.path) == 80u);
  for (const auto& entry : fs::directory_iterator(directory.path)) BOOST_TEST(contents(entry.path()) == "whole");
}

BOOST_AUTO_TEST_CASE(a_place_that_cannot_be_written_gives_way_to_tmpdir_with_a_line) {
  const TemporaryDirectory elsewhere;
  setenv("TMPDIR", elsewhere.path.c_str(), 1);
  const WrittenFile written = write_new_file("/proc/no/such/marshal-x", ".json", "text");
  BOOST_TEST(written.path == elsewhere.path + "/marshal-x.json");
  BOOST_TEST(written.error.starts_with("cannot write /proc/no/such/marshal-x.json ("));
  BOOST_TEST(written.error.ends_with("; wrote " + written.path + " instead"));
  BOOST_TEST(contents(written.path) == "text");
  unsetenv("TMPDIR");
}

BOOST_AUTO_TEST_CASE(nowhere_to_write_is_a_line_and_no_path) {
  setenv("TMPDIR", "/proc/nothing", 1);
  const WrittenFile written = write_new_file("/proc/no/marshal-x", ".json", "text");
  BOOST_TEST(written.path == "");
  BOOST_TEST(written.error.find(", nor in /proc/nothing (") != std::string::npos);
  unsetenv("TMPDIR");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_finished_leaves_nothing) {
  const TemporaryDirectory directory;
  {
    NewFile file(directory.path + "/m", ".traffic");
    file.append("the first half");
    BOOST_TEST(files_in(directory.path) == 1u);
  }
  BOOST_TEST(files_in(directory.path) == 0u);
}

BOOST_AUTO_TEST_CASE(a_file_written_in_parts_is_whole) {
  const TemporaryDirectory directory;
  NewFile file(directory.path + "/m", ".traffic");
  file.append("one, ");
  file.append("two");
  BOOST_TEST(contents(file.finish().path) == "one, two");
  BOOST_TEST(files_in(directory.path) == 1u);
}
