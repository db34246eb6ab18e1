// Reading a small file that a setting names, whatever is there under that name.
#pragma once

#include <string>

namespace marshal {

// Puts the whole file into `text`. Why not, as "it is a directory"; empty: it was read. Only a regular file is read: a
// pipe may never come to an end, and a device has no end. Waits for nobody.
std::string read_small_file(const std::string& path, std::string& text);

}  // namespace marshal
