// Reads a small file that a setting names, whatever stands under that name.
#pragma once

#include <string>

namespace marshal {

// Puts the whole file into `text`. Returns why it could not, as "it is a directory", or nothing. It reads regular files
// only: a pipe may never end, and a device has no end. Never blocks.
std::string read_small_file(const std::string& path, std::string& text);

}  // namespace marshal
