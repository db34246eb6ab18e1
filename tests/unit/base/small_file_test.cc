#include "base/small_file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>

using marshal::read_small_file;
using marshal::read_small_file_or_pipe;

namespace {

struct Scratch {
  Scratch() { BOOST_REQUIRE(mkdtemp(directory) != nullptr); }
  ~Scratch() {
    unlink(path.c_str());
    rmdir(directory);
  }
  char directory[32] = "/tmp/marshal-test-XXXXXX";
  std::string path;
  const std::string& name(const char* leaf) { return path = std::string(directory) + "/" + leaf; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_regular_file_is_read_whole) {
  Scratch scratch;
  std::FILE* file = std::fopen(scratch.name("file").c_str(), "w");
  const std::string wanted(10000, 'x');
  std::fputs(wanted.c_str(), file);
  std::fclose(file);
  std::string text = "before";
  BOOST_TEST(read_small_file(scratch.path, text) == "");
  BOOST_TEST(text == wanted);
}

BOOST_AUTO_TEST_CASE(the_owner_of_a_file_is_told_and_a_pipe_is_nobodys) {
  Scratch scratch;
  std::fclose(std::fopen(scratch.name("file").c_str(), "w"));
  std::string text;
  std::optional<std::uint64_t> owner;
  BOOST_TEST(read_small_file_or_pipe(scratch.path, text, 10, &owner) == "");
  BOOST_TEST((owner == geteuid()));
  int ends[2];
  BOOST_REQUIRE(pipe(ends) == 0);
  BOOST_TEST(write(ends[1], "too much", 8) == 8);
  close(ends[1]);
  BOOST_TEST(read_small_file_or_pipe("/dev/fd/" + std::to_string(ends[0]), text, 7, &owner) == "it is too large");
  BOOST_TEST(!owner.has_value());
  close(ends[0]);
}

BOOST_AUTO_TEST_CASE(what_is_no_regular_file_is_refused_at_once) {
  Scratch scratch;
  BOOST_REQUIRE(mkfifo(scratch.name("fifo").c_str(), 0600) == 0);
  std::string text;
  BOOST_TEST(read_small_file(scratch.path, text) == "it is no regular file");
  BOOST_TEST(read_small_file("/dev/zero", text) == "it is no regular file");
  BOOST_TEST(read_small_file(scratch.directory, text) == "it is a directory");
  BOOST_TEST(read_small_file("/nowhere/at/all", text) == "No such file or directory");
  BOOST_TEST(text.empty());
}

BOOST_AUTO_TEST_CASE(a_pipe_is_read_to_its_end_where_that_is_asked_for) {
  int ends[2];
  BOOST_REQUIRE(pipe(ends) == 0);
  const std::string wanted(200'000, 'x');  // more than a pipe holds
  const pid_t writer = fork();
  if (writer == 0) {
    close(ends[0]);
    usleep(10'000);
    for (std::size_t at = 0; at < wanted.size();) {
      const ssize_t written = write(ends[1], wanted.data() + at, wanted.size() - at);
      if (written < 0) _exit(1);
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  BOOST_TEST(read_small_file_or_pipe("/dev/fd/" + std::to_string(ends[0]), text) == "");
  BOOST_TEST((text == wanted));
  close(ends[0]);
  waitpid(writer, nullptr, 0);
  Scratch scratch;
  BOOST_REQUIRE(mkfifo(scratch.name("fifo").c_str(), 0600) == 0);
  BOOST_TEST(read_small_file_or_pipe(scratch.path, text) == "");  // nobody writes to it
  BOOST_TEST(text.empty());
  BOOST_TEST(read_small_file_or_pipe("/dev/zero", text) == "it is no regular file");
  BOOST_TEST(read_small_file_or_pipe(scratch.directory, text) == "it is a directory");
}
