// Reads and writes whole files that are open already, through interrupts and short transfers.
#pragma once

#include <string>
#include <string_view>

namespace marshal {

// Appends the file to `text`. Returns why it could not, as "it is a directory", or nothing. Regular files only, of at
// most 16 MiB.
std::string read_open_file(int file, std::string& text);
// The same, and pipes: until all who write to them have closed them.
std::string read_open_file_or_pipe(int file, std::string& text);

// 0 or an errno.
int write_whole(int file, std::string_view contents);

}  // namespace marshal
