#include "watch/proc_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace marshal::watch {

std::string_view read_file(const char* path, std::span<char> into) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::size_t length = 0;
  for (ssize_t got = 1; got > 0 && length < into.size(); length += static_cast<std::size_t>(got > 0 ? got : 0))
    got = ::read(file, into.data() + length, into.size() - length);
  close(file);
  return {into.data(), length};
}

std::string_view next_word(std::string_view& text, char end) noexcept {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return word;
}

std::uint64_t number_in(std::string_view word, int base) noexcept {
  std::uint64_t value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value, base);
  return value;
}

ProcessFacts facts_of(pid_t process) noexcept {
  std::array<char, 1024> text;
  errno = 0;
  std::string_view rest = read_file(text_in_array<64>("/proc/{}/stat", process).data(), text);
  ProcessFacts facts;
  facts.is_gone = rest.empty() && (errno == ENOENT || errno == ESRCH);
  const std::size_t name_ends = rest.rfind(')');  // the name may have anything in it
  if (name_ends == std::string_view::npos || name_ends + 2 >= rest.size()) return facts;
  rest.remove_prefix(name_ends + 2);
  // proc(5): the state is field 3, utime and stime are 14 and 15, num_threads is 20, and starttime is 22.
  std::uint64_t threads = 0;
  for (int field = 3; field <= 22 && !rest.empty(); ++field) {
    const std::string_view word = next_word(rest, ' ');
    if (field == 3 && !word.empty()) facts.state = word[0];
    if (field == 14 || field == 15) facts.cpu += number_in(word);
    if (field == 20) threads = number_in(word);
    if (field == 22) facts.began = number_in(word);
  }
  facts.is_gone = (facts.state == 'Z' || facts.state == 'X') && threads <= 1;
  return facts;
}

bool has_thread(pid_t process, std::uint32_t thread) noexcept {
  return access(text_in_array<64>("/proc/{}/task/{}", process, thread).data(), F_OK) == 0;
}

std::uint64_t namespace_of_processes() noexcept {
  struct stat facts {};
  return stat("/proc/self/ns/pid", &facts) == 0 ? facts.st_ino : 0;
}

namespace {

// As the table of mounts writes a path: a blank is \040.
bool is_below(std::string_view path, std::string_view point) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < point.size(); ++i, ++at) {
    char wanted = point[i];
    if (wanted == '\\' && i + 3 < point.size())
      wanted = static_cast<char>(number_in(point.substr(i + 1, 3), 8)), i += 3;
    if (at >= path.size() || path[at] != wanted) return false;
  }
  return at == path.size() || path[at] == '/';
}

bool is_mounted_from_user_space(std::string_view path, std::string_view table) {
  std::size_t longest = 0;
  bool is_fuse = false;
  while (!table.empty()) {
    // proc(5): the mount point is field 5, and the type of the file system follows a field of a minus.
    std::string_view line = next_word(table, '\n');
    for (int field = 1; field < 5; ++field) next_word(line, ' ');
    std::string_view point = next_word(line, ' ');
    if (point == "/") point = {};
    if (point.size() < longest || !is_below(path, point)) continue;
    longest = point.size();
    const std::size_t type = line.find(" - ");
    is_fuse = type != std::string_view::npos && line.substr(type + 3).starts_with("fuse");
  }
  return is_fuse;
}

}  // namespace

bool is_of_user_space(std::string_view path, std::span<char> room) noexcept {
  const std::string_view table = read_file("/proc/self/mountinfo", room);
  using Path = std::array<char, 4096>;
  Path whole{}, link{};
  path.copy(whole.data(), whole.size() - 1);
  int links = 0;
  // Each part is looked at before anything below it is asked for: a link may lead to such a file system.
  for (std::size_t end = 1; whole[end - 1] != '\0'; ++end) {
    if (whole[end] != '/' && whole[end] != '\0') continue;
    const char after = whole[end];
    whole[end] = '\0';
    if (is_mounted_from_user_space(whole.data(), table)) return true;
    const ssize_t length = readlink(whole.data(), link.data(), link.size() - 1);
    whole[end] = after;
    if (length <= 0) continue;
    constexpr int most_links = 40;
    if (++links > most_links) return true;
    link[static_cast<std::size_t>(length)] = '\0';
    const std::size_t parent = std::string_view(whole.data(), end).rfind('/');
    whole = text_in_array<std::tuple_size_v<Path>>(
        "{}{}{}", link[0] == '/' ? std::string_view() : std::string_view(whole.data(), parent + 1), link.data(),
        whole.data() + end);
    end = 0;
  }
  return false;
}

}  // namespace marshal::watch
