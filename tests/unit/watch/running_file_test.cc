#include "watch/running_file.h"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../temporary_directory.h"
#include "watch/proc_files.h"

using namespace marshal;
using namespace marshal::watch;

namespace {

constexpr std::uint64_t now = 1'790'000'000, seconds = 300;

// A process that is no more.
pid_t ended_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

// The rest is a run that is over.
struct Made {
  std::string program = "heat", host = "n7";
  std::uint64_t run = 1, written = now - 3 * seconds - 1;
  int nodes = 1;
  pid_t process = ended_process();
  std::uint64_t process_names = namespace_of_processes();
};

void make(const std::string& stem, const Made& made) {
  for (int node = 0; node < made.nodes; ++node)
    std::ofstream(running_path(stem, "", node).data()) << fmt::format(
        "marshal-running\t1\njob\t{}\t{:x}\t{:x}\t4\t{}\t{}\nnode\t{}\t{}\t{}\t{}\t900\t0\nprocess\t0\t{}\t"
        "S\t0\t0\nend\n",
        made.program, made.run, made.run, made.nodes, seconds, node, made.host, made.process_names, made.written,
        made.process);
}

struct Folder : TemporaryDirectory {
  // The job that the next run of "heat" finds over, or nothing.
  std::string taken() {
    Head file;
    std::array<char, 4096> stem{};
    if (!take_left_file(path + "/next", "heat", "n7", 99, now, file, stem)) return {};
    BOOST_TEST(std::filesystem::exists(running_path(stem.data(), told_mark, 0).data()));
    return file.job.data();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path)) all.push_back(entry.path().filename());
    std::ranges::sort(all);
    return all;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_is_over_only_where_that_is_certain) {
  const auto is_taken = [](const Made& made) {
    Folder folder;
    make(folder.path + "/a", made);
    const std::string job = folder.taken();
    BOOST_TEST(folder.names().size() == 1U);
    return !job.empty();
  };
  BOOST_TEST(is_taken({}));
  BOOST_TEST(!is_taken({.program = "heat2"}));
  BOOST_TEST(!is_taken({.host = "n8"}));
  BOOST_TEST(!is_taken({.run = 99}));                                      // its own
  BOOST_TEST(!is_taken({.written = now - 3 * seconds}));                   // the next writing may be late
  BOOST_TEST(!is_taken({.written = now + 10}));                            // a clock went back
  BOOST_TEST(!is_taken({.process = getpid()}));                            // it lives
  BOOST_TEST(!is_taken({.process = 1}));                                   // that one is never gone
  BOOST_TEST(!is_taken({.process_names = namespace_of_processes() + 1}));  // of a container with the same host name
}

BOOST_AUTO_TEST_CASE(of_runs_that_are_over_the_newest_is_found_once_and_kept_alone) {
  Folder folder;
  make(folder.path + "/a", {.run = 0xa, .written = now - 5000, .nodes = 3});
  make(folder.path + "/b", {.run = 0xb, .written = now - 2000, .nodes = 2});
  make(folder.path + "/c", {.run = 0xc, .written = now - 4000});
  make(folder.path + "/lives", {.run = 0xd, .process = getpid()});
  make(folder.path + "/other", {.program = "other", .run = 0xe});
  BOOST_TEST(folder.taken() == "b");
  const std::vector<std::string> kept{"b-over.node0.running", "b-over.node1.running", "lives.node0.running",
                                      "other.node0.running"};
  BOOST_TEST(folder.names() == kept, boost::test_tools::per_element());
  BOOST_TEST(folder.taken() == "");
  BOOST_TEST(folder.names() == kept, boost::test_tools::per_element());
  make(folder.path + "/e", {.run = 0xf});
  BOOST_TEST(folder.taken() == "f");
  const std::vector<std::string> then{"e-over.node0.running", "lives.node0.running", "other.node0.running"};
  BOOST_TEST(folder.names() == then, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_no_file_of_a_run_is_left_alone) {
  Folder folder;
  std::ofstream(folder.path + "/x.node0.running") << "marshal-running\t1\njob\theat\tx\n";
  std::filesystem::create_symlink("/etc/passwd", folder.path + "/y.node0.running");
  std::filesystem::create_directory(folder.path + "/z.node0.running");
  BOOST_TEST(folder.taken() == "");
  BOOST_TEST(folder.names().size() == 3U);
}
