#include "base/cache_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace marshal {
namespace {

// By the nearest folder that exists.
bool lies_with_another_user(std::string path) {
  struct stat found {};
  while (stat(path.c_str(), &found) != 0) {
    path.resize(path.find_last_of('/'));
    if (path.empty()) return false;
  }
  return found.st_uid != geteuid() && found.st_uid != 0;
}

}  // namespace

std::string cache_folder() {
  std::string folder;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && cache[0] == '/')
    folder = cache;
  else if (home != nullptr && home[0] == '/')
    folder = std::string(home) + "/.cache";
  return folder.empty() || lies_with_another_user(folder) ? std::string() : folder;
}

}  // namespace marshal
