// Where the user's caches are.
#pragma once

#include <string>

namespace marshal {

// XDG_CACHE_HOME, else HOME/.cache. Empty where neither is an absolute path. Empty, too, where it lies in a folder of
// another user's, as root has it behind `sudo -E`: what is made there would be in that user's way.
std::string cache_folder();

}  // namespace marshal
