#include "base/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/open_file.h"

namespace marshal {

namespace {

std::string read_named(const std::string& path, std::string& text, std::string (*read_open)(int, std::string&)) {
  text.clear();
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // opening a pipe waits for its writer
  if (file < 0) return std::strerror(errno);
  std::string why_not = read_open(file, text);
  close(file);
  if (!why_not.empty()) text.clear();
  return why_not;
}

}  // namespace

std::string read_small_file(const std::string& path, std::string& text) {
  return read_named(path, text, read_open_file);
}

std::string read_small_file_or_pipe(const std::string& path, std::string& text) {
  return read_named(path, text, read_open_file_or_pipe);
}

}  // namespace marshal
