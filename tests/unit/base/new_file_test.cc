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

boost::test_tools::assertion_result is_root(boost::unit_test::test_unit_id) { return getuid() == 0; }

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

BOOST_AUTO_TEST_CASE(a_name_that_many_files_have_gets_the_next_number) {
  const TemporaryDirectory directory;
  const std::string stem = directory.path + "/m";
  for (int number = 1; number <= 300; ++number) {
    const std::string wanted = stem + (number == 1 ? "" : "-" + std::to_string(number)) + ".json";
    BOOST_TEST(write_new_file(stem, ".json", "text").path == wanted);
  }
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
  // It has the program's arguments in it, and stands where all may look.
  BOOST_TEST(static_cast<int>(fs::status(written.path).permissions()) == 0600);
  unsetenv("TMPDIR");
}

BOOST_AUTO_TEST_CASE(an_empty_tmpdir_is_none) {
  setenv("TMPDIR", "", 1);
  BOOST_TEST(spare_folder() == "/tmp");
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

// A folder that all may write to, in which another user has made something.
struct Shared {
  Shared() {
    fs::create_directory(path);
    fs::permissions(path, fs::perms::all | fs::perms::sticky_bit);
  }
  static constexpr uid_t other = 65534;
  const Elsewhere elsewhere;
  const std::string path = elsewhere.directory.path + "/shared";
};

BOOST_AUTO_TEST_CASE(what_another_user_put_in_the_way_is_refused, *boost::unit_test::precondition(is_root)) {
  const Shared shared;
  const std::string folder = shared.path + "/me";
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::all);
  BOOST_REQUIRE(chown(folder.c_str(), Shared::other, Shared::other) == 0);
  const WrittenFile beside = write_new_file(folder + "/m", ".json", "text");
  BOOST_TEST(beside.error.find("/shared/me belongs to another user") != std::string::npos, beside.error);
  BOOST_TEST(files_in(folder) == 0u);
  fs::create_directory(shared.elsewhere.directory.path + "/own");
  const std::string link = shared.path + "/link";
  fs::create_directory_symlink(shared.elsewhere.directory.path + "/own", link);
  BOOST_REQUIRE(lchown(link.c_str(), Shared::other, Shared::other) == 0);
  const WrittenFile behind = write_new_file(link + "/m", ".json", "text");
  BOOST_TEST(behind.error.find("/shared/link belongs to another user") != std::string::npos, behind.error);
  BOOST_TEST(files_in(shared.elsewhere.directory.path + "/own") == 0u);
}

BOOST_AUTO_TEST_CASE(folders_of_others_that_nobody_slipped_in_are_taken, *boost::unit_test::precondition(is_root)) {
  const Shared shared;
  // The site's folder may belong to a user of its own, and so may a project's, with those in it.
  const std::string project = shared.elsewhere.directory.path + "/project", runs = project + "/runs";
  fs::create_directories(runs);
  fs::permissions(project, fs::perms::owner_all | fs::perms::group_all);
  for (const std::string& folder : {shared.path, project, runs})
    BOOST_REQUIRE(chown(folder.c_str(), Shared::other, Shared::other) == 0);
  BOOST_TEST(write_new_file(shared.path + "/new/m", ".json", "text").error == "");
  BOOST_TEST(write_new_file(runs + "/m", ".json", "text").error == "");
}
