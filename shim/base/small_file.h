// Reads a small file that a user names, whatever stands under that name.
#pragma once

#include <string>

namespace marshal {

// Puts the whole file into `text`. Returns why it could not, as "it is a directory", or nothing. It reads regular files
// only: a pipe may never end and is empty for its second reader, and a device has no end. Never blocks.
std::string read_small_file(const std::string& path, std::string& text);

// For the one reader of a file: the same, but a pipe is read to its end, as `<(command)` and /dev/stdin are. It waits
// for who has opened the pipe to write, and never for somebody to open it.
std::string read_small_file_or_pipe(const std::string& path, std::string& text);

}  // namespace marshal
