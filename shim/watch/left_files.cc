#include "watch/left_files.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include "watch/proc_files.h"

namespace marshal::watch {

bool is_over(const Head& file, std::string_view own_host, std::uint64_t now) noexcept {
  // In containers hosts may have the name of another one.
  return own_host == file.host.data() && file.process_names == namespace_of_processes() && now > file.written &&
         now - file.written > 3 * file.seconds && file.process > 1 && kill(file.process, 0) != 0 && errno == ESRCH;
}

bool take_left_file(std::string_view stem, std::string_view program, std::string_view own_host, std::uint64_t own_run,
                    std::uint64_t now, Head& file, std::array<char, 4096>& its_stem) noexcept {
  const std::string_view in = stem.substr(0, stem.rfind('/') + 1);
  FilePath folder{};
  alignas(dirent64) static std::array<char, 16384> entries;
  in.copy(folder.data(), folder.size() - 1);
  // Calls visit(stem, what its file says, whether a later run has named it) for other runs of this program that are
  // over.
  const auto each_left = [&](auto visit) {
    each_file(folder.data(), entries, [&](std::string_view name) {
      if (!name.ends_with(running_ending)) return;
      const FilePath of =
          text_in_array<std::tuple_size_v<FilePath>>("{}{}", in, name.substr(0, name.size() - running_ending.size()));
      Head read;
      const bool is_told = name.ends_with(told_ending);
      if (read_head(running_path(of.data(), "", 0).data(), read) && read.is_own && program == read.program.data() &&
          read.run != own_run && (is_told || is_over(read, own_host, now)))
        visit(of, read, is_told);
    });
  };
  bool is_found = false;
  each_left([&](const FilePath& of, const Head& read, bool is_told) {
    if (is_told || (is_found && read.written < file.written)) return;
    is_found = true;
    file = read;
    its_stem = of;
  });
  if (!is_found) return false;
  each_left([&](const FilePath& of, const Head& read, bool) {
    for (int node = 0; of != its_stem && node < read.nodes; ++node)
      if (unlink(running_path(of.data(), "", node).data()) != 0) break;
  });
  for (int node = 0; node < file.nodes; ++node)
    rename(running_path(its_stem.data(), "", node).data(), running_path(its_stem.data(), told_mark, node).data());
  return true;
}

}  // namespace marshal::watch
