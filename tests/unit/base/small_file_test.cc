#include "base/small_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>

using marshal::read_small_file;

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
