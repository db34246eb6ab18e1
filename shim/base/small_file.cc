#include "base/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace marshal {
namespace {

std::string read_to_end(int file, std::string& text, std::size_t most_bytes) {
  std::array<char, 4096> part;
  while (true) {
    const ssize_t got = read(file, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::strerror(errno);
    if (got == 0) return {};
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > most_bytes) return "it is too large";
  }
}

using Owner = std::optional<std::uint64_t>;

Owner owner_of(int file) {
  struct stat facts {};
  return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) ? Owner(facts.st_uid) : std::nullopt;
}

std::string read_open_file_or_pipe(int file, std::string& text, std::size_t most_bytes) {
  struct stat facts {};
  if (fstat(file, &facts) != 0) return std::strerror(errno);
  if (!S_ISFIFO(facts.st_mode)) return read_open_file(file, text, most_bytes);
  const int flags = fcntl(file, F_GETFL);
  if (flags < 0 || fcntl(file, F_SETFL, flags & ~O_NONBLOCK) != 0) return std::strerror(errno);
  return read_to_end(file, text, most_bytes);
}

template <class ReadOpen>
std::string read_named(const std::string& path, std::string& text, Owner* owner, ReadOpen read_open) {
  text.clear();
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // opening a pipe waits for its writer
  if (file < 0) return std::strerror(errno);
  std::string why_not = read_open(file);
  if (owner != nullptr) *owner = owner_of(file);
  close(file);
  if (!why_not.empty()) text.clear();
  return why_not;
}

}  // namespace

std::string read_open_file(int file, std::string& text, std::size_t most_bytes) {
  struct stat facts {};
  if (fstat(file, &facts) != 0) return std::strerror(errno);
  if (S_ISDIR(facts.st_mode)) return "it is a directory";
  if (!S_ISREG(facts.st_mode)) return "it is no regular file";
  if (static_cast<std::uintmax_t>(facts.st_size) > most_bytes) return "it is too large";
  return read_to_end(file, text, most_bytes);
}

std::string read_small_file(const std::string& path, std::string& text, std::size_t most_bytes, Owner* owner) {
  return read_named(path, text, owner, [&](int file) { return read_open_file(file, text, most_bytes); });
}

std::string read_small_file_or_pipe(const std::string& path, std::string& text, std::size_t most_bytes, Owner* owner) {
  return read_named(path, text, owner, [&](int file) { return read_open_file_or_pipe(file, text, most_bytes); });
}

int write_whole(int file, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace marshal
