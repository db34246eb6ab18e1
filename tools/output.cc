#include "tools/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "base/printable_text.h"

namespace marshal::tools {

void print_whole(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  throw std::runtime_error(fmt::format("standard output: {}", std::strerror(errno)));
}

void print_lines(std::string_view text) {
  constexpr std::size_t most_of_a_line = 8192;
  print_whole(printable_lines(text, most_of_a_line));
}

void write_text_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace marshal::tools
