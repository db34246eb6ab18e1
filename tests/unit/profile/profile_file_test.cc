#include "profile/profile_file.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "random_grids.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/temporary_directory.h"

using namespace marshal;
using namespace marshal::profile;
namespace fs = std::filesystem;

namespace {

void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

LearnedGrid grid_of(const std::string& program, const std::string& arguments, int number) {
  LearnedGrid grid = RandomGrids(static_cast<unsigned>(number)).grid();
  grid.program = program;
  grid.arguments = arguments;
  grid.directories = {"here"};
  return grid;
}

// Nothing is read, one line says why, and nothing is written.
void is_left_alone(const std::string& path, const std::string& why) {
  const std::string before = contents(path);
  const Profile found = read_profile(path);
  BOOST_TEST(found.grids.empty());
  BOOST_TEST(!found.may_write);
  BOOST_TEST(contains(found.problem, path), found.problem);
  BOOST_TEST(contains(found.problem, why), found.problem);
  BOOST_TEST(!contains(found.problem, "\n"));
  BOOST_TEST(contains(add_to_profile(path, {grid_of("app", "1", 1)}), why));
  BOOST_TEST(contents(path) == before);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_directory_is_that_of_the_setting_else_the_users_cache) {
  setenv("HOME", "/home/me", 1);
  unsetenv("XDG_CACHE_HOME");
  BOOST_TEST(profile_directory("auto") == "/home/me/.cache/marshal");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  BOOST_TEST(profile_directory("auto") == "/cache/marshal");
  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  BOOST_TEST(profile_directory("auto") == "/home/me/.cache/marshal");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  BOOST_TEST(profile_directory("auto") == "");
  BOOST_TEST(profile_directory("off") == "");
  BOOST_TEST(profile_directory("/some/where//") == "/some/where");
  BOOST_TEST(profile_directory("./here") == fs::current_path().string() + "/./here");
}

BOOST_AUTO_TEST_CASE(a_program_of_any_name_has_a_file_of_its_own_in_the_directory) {
  BOOST_TEST(profile_path("/d", "heat", "0123456789abcdef0123") == "/d/heat-0123456789abcdef.profile");
  BOOST_TEST(profile_path("/d", "heat", "") == "/d/heat.profile");
  BOOST_TEST(!contains(profile_path("/d", "../../etc/x", "").substr(3), "/"));
  BOOST_TEST(profile_path("/d", ".hidden", "") == "/d/_hidden.profile");
}

BOOST_AUTO_TEST_CASE(what_is_added_is_read_again_and_takes_the_place_of_the_same_grids) {
  const TemporaryDirectory here;
  const std::string path = here.path + "/made/below/app.profile";
  BOOST_TEST(read_profile(path).grids.empty());
  BOOST_TEST(read_profile(path).problem == "");
  RandomGrids random(property_seed());
  std::vector<LearnedGrid> wanted;
  for (int round = 0; round < 20; ++round) {
    std::vector<LearnedGrid> news{random.grid()};
    news.front().directories = {"here"};
    BOOST_REQUIRE_EQUAL(add_to_profile(path, news), "");
    std::erase_if(wanted, [&](const LearnedGrid& grid) { return grid.same_grid(news.front()); });
    wanted.push_back(news.front());
    const Profile found = read_profile(path);
    BOOST_REQUIRE_EQUAL(found.problem, "");
    BOOST_REQUIRE(found.grids == wanted);
  }
  struct stat facts {};
  BOOST_REQUIRE(stat(path.c_str(), &facts) == 0);
  BOOST_TEST((facts.st_mode & 0777u) == 0600u);
  BOOST_TEST(std::distance(fs::directory_iterator(here.path + "/made/below"), {}) == 1);
}

BOOST_AUTO_TEST_CASE(the_oldest_grids_go_where_there_are_too_many) {
  const TemporaryDirectory here;
  const std::string path = here.path + "/app.profile";
  std::vector<LearnedGrid> many;
  for (std::size_t i = 0; i < most_grids + 3; ++i) many.push_back(grid_of("app", std::to_string(i), 1));
  BOOST_TEST(add_to_profile(path, many) == "");
  const std::vector<LearnedGrid> found = read_profile(path).grids;
  BOOST_REQUIRE(found.size() == most_grids);
  BOOST_TEST(found.front().arguments == "3");
}

BOOST_AUTO_TEST_CASE(a_moved_run_takes_the_place_of_one_that_is_alike_and_goes_by_its_own_process_only) {
  const TemporaryDirectory here;
  const std::string path = here.path + "/app.profile";
  const MovedRun first{{"app", "", "1"}, "p"}, second{{"app", "", "1"}, "q"}, other{{"app", "", "2"}, "p"};
  BOOST_TEST(remove_moved_run(path, first) == "");
  BOOST_TEST(!fs::exists(path));  // there was nothing to write
  BOOST_TEST(add_to_profile(path, {grid_of("app", "1", 1)}) == "");
  for (const MovedRun& run : {first, other, second}) BOOST_TEST(add_moved_run(path, run) == "");
  BOOST_TEST((read_profile(path).moved_runs == std::vector{other, second}));
  BOOST_TEST(remove_moved_run(path, first) == "");
  BOOST_TEST((read_profile(path).moved_runs == std::vector{other, second}));
  BOOST_TEST(remove_moved_run(path, second) == "");
  BOOST_TEST((read_profile(path).moved_runs == std::vector{other}));
  BOOST_TEST(read_profile(path).grids.size() == 1U);
  for (std::size_t i = 0; i < most_moved_runs + 3; ++i)
    BOOST_TEST(add_moved_run(path, {{"app", "", std::to_string(i)}}) == "");
  BOOST_TEST(read_profile(path).moved_runs.size() == most_moved_runs);
}

BOOST_AUTO_TEST_CASE(a_profile_of_an_older_marshal_is_written_over) {
  const TemporaryDirectory here;
  const std::string path = here.path + "/app.profile";
  put(path, "marshal-profile 1\nend\n");
  BOOST_TEST(read_profile(path).problem == "");
  BOOST_TEST(add_to_profile(path, {grid_of("app", "1", 1)}) == "");
  BOOST_TEST(read_profile(path).grids.size() == 1U);
}

BOOST_AUTO_TEST_CASE(jobs_that_end_at_once_lose_nothing_of_each_other) {
  const TemporaryDirectory here;
  const std::string path = here.path + "/app.profile";
  constexpr int jobs = 6, runs = 15;
  for (int job = 0; job < jobs; ++job)
    if (fork() == 0) {
      bool good = true;
      for (int run = 0; run < runs; ++run)
        good &= add_to_profile(path, {grid_of("app", std::to_string(job) + "." + std::to_string(run), job)}).empty();
      _exit(good ? 0 : 1);
    }
  for (int job = 0; job < jobs; ++job) {
    int status = 1;
    BOOST_REQUIRE(wait(&status) > 0);
    BOOST_TEST(status == 0);
  }
  const Profile found = read_profile(path);
  BOOST_TEST(found.problem == "");
  BOOST_TEST(found.grids.size() == static_cast<std::size_t>(jobs * runs));
  BOOST_TEST(std::distance(fs::directory_iterator(here.path), {}) == 1);
}

// A reader beside a writer sees the old profile or the new one, never a part.
BOOST_AUTO_TEST_CASE(a_profile_is_whole_at_every_moment) {
  const TemporaryDirectory here;
  const std::string path = here.path + "/app.profile";
  const pid_t writer = fork();
  if (writer == 0) {
    for (int run = 0; run < 200; ++run) add_to_profile(path, {grid_of("app", std::to_string(run), run)});
    _exit(0);
  }
  while (waitpid(writer, nullptr, WNOHANG) == 0) BOOST_REQUIRE_EQUAL(read_profile(path).problem, "");
}

BOOST_AUTO_TEST_CASE(files_that_are_no_profiles_are_left_alone) {
  const TemporaryDirectory here;
  const std::string path = here.path + "/app.profile";
  put(path, "something else\n");
  is_left_alone(path, "it is no profile of Marshal");
  put(path, "marshal-profile 9\n");
  is_left_alone(path, "a newer Marshal wrote it");
  put(path, to_text({{grid_of("app", "1", 1)}, {}}).substr(0, 80));
  is_left_alone(path, "its end is missing");
  put(path, std::string((4 << 20) + 1, 'x'));
  is_left_alone(path, "larger than 4 MiB");
  put(path, "");
  BOOST_TEST(read_profile(path).problem == "");
  fs::remove(path);
  BOOST_REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  BOOST_TEST(contains(read_profile(path).problem, "no regular file"));
  fs::remove(path);
  fs::create_directory(path);
  BOOST_TEST(contains(read_profile(path).problem, "no regular file"));
}

BOOST_AUTO_TEST_CASE(a_symbolic_link_in_the_place_of_the_file_is_not_followed_one_to_the_directory_is) {
  const TemporaryDirectory here;
  fs::create_directory(here.path + "/real");
  BOOST_TEST(add_to_profile(here.path + "/real/app.profile", {grid_of("app", "1", 1)}) == "");
  fs::create_symlink(here.path + "/real/app.profile", here.path + "/link.profile");
  is_left_alone(here.path + "/link.profile", "it is a symbolic link");
  // As those do whose home directory is small.
  fs::create_directory_symlink(here.path + "/real", here.path + "/elsewhere");
  BOOST_TEST(read_profile(here.path + "/elsewhere/app.profile").grids.size() == 1u);
  BOOST_TEST(add_to_profile(here.path + "/elsewhere/app.profile", {grid_of("app", "2", 1)}) == "");
  BOOST_TEST(read_profile(here.path + "/real/app.profile").grids.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_written_or_belongs_to_another_user_is_one_line) {
  const TemporaryDirectory here;
  put(here.path + "/file", "");
  const std::string below_a_file = here.path + "/file/app.profile";
  BOOST_TEST(contains(add_to_profile(below_a_file, {grid_of("app", "1", 1)}), "Not a directory"));
  BOOST_TEST(contains(read_profile(below_a_file).problem, "Not a directory"));
  BOOST_TEST(contains(add_to_profile("/proc/nowhere/app.profile", {grid_of("app", "1", 1)}), "cannot be made"));
  if (geteuid() != 0) {
    fs::create_directory(here.path + "/closed");
    fs::permissions(here.path + "/closed", fs::perms::owner_read | fs::perms::owner_exec);
    BOOST_TEST(contains(add_to_profile(here.path + "/closed/app.profile", {grid_of("app", "1", 1)}), "cannot be"));
    BOOST_TEST(contains(add_to_profile("/etc/app.profile", {grid_of("app", "1", 1)}), "belongs to another user"));
    return;
  }
  const passwd* const nobody = getpwnam("nobody");
  if (nobody == nullptr) return;
  const std::string theirs = here.path + "/theirs";
  fs::create_directory(theirs);
  BOOST_TEST(add_to_profile(theirs + "/app.profile", {grid_of("app", "1", 1)}) == "");
  BOOST_REQUIRE(chown((theirs + "/app.profile").c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
  is_left_alone(theirs + "/app.profile", "it belongs to another user");
  BOOST_REQUIRE(chown(theirs.c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
  const std::string problem = add_to_profile(theirs + "/new.profile", {grid_of("app", "1", 1)});
  BOOST_TEST(contains(problem, "belongs to another user"), problem);
  BOOST_TEST(!fs::exists(theirs + "/new.profile"));
}

BOOST_AUTO_TEST_CASE(whether_a_profile_can_be_written_is_told_beforehand_and_makes_nothing) {
  const TemporaryDirectory here;
  BOOST_TEST(why_not_changed(here.path + "/new/below/app.profile") == "");
  BOOST_TEST(!fs::exists(here.path + "/new"));
  BOOST_TEST(add_to_profile(here.path + "/app.profile", {grid_of("app", "1", 1)}) == "");
  BOOST_TEST(why_not_changed(here.path + "/app.profile") == "");
  put(here.path + "/file", "no profile");
  BOOST_TEST(contains(why_not_changed(here.path + "/file/below/app.profile"), "Not a directory"));
  BOOST_TEST(contains(why_not_changed(here.path + "/file"), "it is neither read nor written"));
  if (geteuid() != 0) {
    BOOST_TEST(contains(why_not_changed("/etc/marshal/app.profile"), "cannot be written"));
    return;
  }
  const passwd* const nobody = getpwnam("nobody");
  if (nobody == nullptr) return;
  const std::string theirs = here.path + "/theirs";
  fs::create_directory(theirs);
  BOOST_REQUIRE(chown(theirs.c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
  BOOST_TEST(contains(why_not_changed(theirs + "/app.profile"), "belongs to another user"));
}

BOOST_AUTO_TEST_CASE(the_profiles_of_a_directory_are_listed) {
  const TemporaryDirectory here;
  BOOST_TEST(profiles_in(here.path + "/nowhere").empty());
  for (const char* name : {"/b.profile", "/a-0123.profile", "/.a.profile.1.2", "/notes.txt"}) put(here.path + name, "");
  BOOST_TEST(profiles_in(here.path) == (std::vector{here.path + "/a-0123.profile", here.path + "/b.profile"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(roots_runs_keep_nothing_in_the_home_of_another_user) {
  if (getuid() != 0) return;
  const TemporaryDirectory home;
  setenv("HOME", home.path.c_str(), 1);
  unsetenv("XDG_CACHE_HOME");
  BOOST_TEST(profile_directory("auto") == home.path + "/.cache/marshal");
  BOOST_REQUIRE(chown(home.path.c_str(), 65534, 65534) == 0);
  BOOST_TEST(profile_directory("auto") == "");
}
