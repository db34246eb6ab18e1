// What /proc says of other processes of this machine, read without allocating.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/attempt.h"

namespace marshal::watch {

// As much of the text as there is room for; returns its length.
template <class... Parts>
std::size_t format_into(std::span<char> room, fmt::format_string<Parts...> format, const Parts&... parts) noexcept {
  std::size_t length = 0;
  attempt_to_the_end([&] {
    length =
        fmt::vformat_to_n(room.data(), room.size(), fmt::string_view(format), fmt::make_format_args(parts...)).size;
  });
  return length < room.size() ? length : room.size();
}

// The same in an array, with a zero behind it.
template <std::size_t size, class... Parts>
std::array<char, size> text_in_array(fmt::format_string<Parts...> format, const Parts&... parts) noexcept {
  std::array<char, size> text{};
  format_into(std::span(text).template first<size - 1>(), format, parts...);
  return text;
}

// As much of a file as there is room for.
std::string_view read_file(const char* path, std::span<char> into) noexcept;
// The text until `end`, which is removed from the text with it.
std::string_view next_word(std::string_view& text, char end) noexcept;
std::uint64_t number_in(std::string_view word, int base = 10) noexcept;  // 0 if it is none

// Calls visit(name) for what is in a folder. `room` is for a part of it.
template <class Visit>
void each_file(const char* folder, std::span<char> room, Visit visit) {
  const int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  for (long length = 0; (length = syscall(SYS_getdents64, opened, room.data(), room.size())) > 0;)
    for (long at = 0; at < length;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(room.data() + at);
      visit(std::string_view(entry->d_name));
      at += entry->d_reclen;
    }
  close(opened);
}

struct ProcessFacts {
  char state = 0;           // R, S, D, T, Z …; 0: not known
  bool is_gone = false;     // there is no such process, or none of its threads is left
  std::uint64_t began = 0;  // in clock ticks since the machine started
  std::uint64_t cpu = 0;    // clock ticks of a core that it has used
};
ProcessFacts facts_of(pid_t process) noexcept;
bool has_thread(pid_t process, std::uint32_t thread) noexcept;
// The inode of this process's namespace of process numbers; 0: not known.
std::uint64_t namespace_of_processes() noexcept;

// True if an absolute path lies in a file system of a server in user space (FUSE), as the table of mounts says: the
// file system is not asked, as its server may have stopped answering. `room` is for the table.
bool is_of_user_space(std::string_view path, std::span<char> room) noexcept;

}  // namespace marshal::watch
