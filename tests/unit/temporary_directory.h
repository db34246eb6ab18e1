// A directory of a test's own, and what is in a file.
#pragma once

#include <stdlib.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace marshal {

// Removed with all that is in it when the test ends.
struct TemporaryDirectory {
  TemporaryDirectory() { BOOST_REQUIRE(mkdtemp(path.data()) != nullptr); }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string path = "/tmp/marshal-test-XXXXXX";
};

inline std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace marshal
