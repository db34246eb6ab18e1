// Reads small files, and writes whole ones, through interrupts and short transfers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace marshal {

inline constexpr std::size_t most_small_bytes = std::size_t{16} << 20;

// Puts the whole file that a user names into `text`, whatever stands under that name. Returns why it could not, as "it
// is a directory", or nothing. It reads regular files only, of at most `most_bytes`: a pipe may never end and is empty
// for its second reader, and a device has no end. Never blocks. `owner`, if given, becomes the user who owns the file;
// a pipe is nobody's.
std::string read_small_file(const std::string& path, std::string& text, std::size_t most_bytes = most_small_bytes,
                            std::optional<std::uint64_t>* owner = nullptr);
// For the one reader of a file: the same, but a pipe is read to its end, as `<(command)` and /dev/stdin are. It waits
// for who has opened the pipe to write, and never for somebody to open it.
std::string read_small_file_or_pipe(const std::string& path, std::string& text,
                                    std::size_t most_bytes = most_small_bytes,
                                    std::optional<std::uint64_t>* owner = nullptr);

// The same of a file that is open already; appends to `text`.
std::string read_open_file(int file, std::string& text, std::size_t most_bytes = most_small_bytes);
// 0 or an errno.
int write_whole(int file, std::string_view contents);

}  // namespace marshal
