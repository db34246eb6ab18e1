#include "base/new_file.h"

#include <sys/fsuid.h>
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

BOOST_AUTO_TEST_CASE(a_directory_that_may_not_be_made_is_the_reason) {
  const TemporaryDirectory directory;
  const std::string closed = directory.path + "/closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
  setfsuid(getuid() == 0 ? 65534 : getuid());  // root may write anywhere
  const WrittenFile written = write_new_file(closed + "/new/m", ".json", "text");
  setfsuid(getuid());
  BOOST_TEST(written.error.find("/closed/new/m.json (Permission denied)") != std::string::npos, written.error);
  fs::remove(written.path);
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

BOOST_AUTO_TEST_CASE(files_and_directories_have_the_modes_that_the_umask_leaves) {
  const TemporaryDirectory directory;
  const mode_t before = umask(027);
  const WrittenFile written = write_new_file(directory.path + "/a/b/m", ".json", "text");
  umask(before);
  BOOST_TEST(written.error == "");
  const auto mode_of = [&](const std::string& path) {
    return static_cast<int>(fs::status(directory.path + path).permissions());
  };
  BOOST_TEST(mode_of("/a") == 0750);
  BOOST_TEST(mode_of("/a/b") == 0750);
  BOOST_TEST(mode_of("/a/b/m.json") == 0640);
}

BOOST_AUTO_TEST_CASE(a_directory_that_exists_may_be_a_symbolic_link) {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path + "/real");
  fs::create_symlink("real", directory.path + "/link");
  const WrittenFile written = write_new_file(directory.path + "/link/new/m", ".json", "text");
  BOOST_TEST(written.path == directory.path + "/link/new/m.json");
  BOOST_TEST(written.error == "");
  BOOST_TEST(contents(directory.path + "/real/new/m.json") == "text");
}

// The names of a file that goes elsewhere.
struct Elsewhere {
  Elsewhere() { setenv("TMPDIR", spare.path.c_str(), 1); }
  ~Elsewhere() { unsetenv("TMPDIR"); }
  TemporaryDirectory directory, spare;
  std::string line(const std::string& name, const std::string& why) const {
    return "cannot write " + directory.path + name + " (" + directory.path + why + "); wrote " + spare.path +
           "/m.json instead";
  }
};

BOOST_AUTO_TEST_CASE(a_directory_to_be_made_that_is_a_symbolic_link_is_refused) {
  const Elsewhere elsewhere;
  const std::string& here = elsewhere.directory.path;
  fs::create_symlink(here + "/nowhere", here + "/link");
  BOOST_TEST(write_new_file(here + "/link/m", ".json", "text").error ==
             elsewhere.line("/link/m.json", "/link is a symbolic link to no directory"));
  BOOST_TEST(!fs::exists(here + "/nowhere"));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_a_symbolic_link_is_refused) {
  const Elsewhere elsewhere;
  const std::string& here = elsewhere.directory.path;
  fs::create_symlink(here + "/target", here + "/m.json");
  BOOST_TEST(write_new_file(here + "/m", ".json", "text").error ==
             elsewhere.line("/m.json", "/m.json is a symbolic link"));
  BOOST_TEST(!fs::exists(here + "/target"));
  BOOST_TEST(files_in(here) == 1u);
}
