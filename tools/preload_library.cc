#include "tools/preload_library.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace marshal::tools {

namespace fs = std::filesystem;

std::vector<std::string> library_directories() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  // From bindir to libdir as configured, so that an installed tree can be moved.
  const fs::path moved = (here / fs::path(MARSHAL_LIBDIR).lexically_relative(MARSHAL_BINDIR)).lexically_normal();
  std::vector<std::string> directories;
  for (const fs::path& directory : {moved, here.parent_path(), here.parent_path() / "lib", fs::path(MARSHAL_LIBDIR)})
    if (std::find(directories.begin(), directories.end(), directory.string()) == directories.end())
      directories.push_back(directory.string());
  return directories;
}

std::string preload_library(MpiFamily family, const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    std::string path = directory + "/libmarshal-" + family_tag(family) + ".so";
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

std::string with_preload(const char* present, const std::string& library) {
  if (present == nullptr || *present == '\0') return library;
  const std::string_view all(present);
  for (std::size_t start = 0; start <= all.size();) {
    const std::size_t end = std::min(all.find_first_of(": ", start), all.size());
    if (all.substr(start, end - start) == library) return present;
    start = end + 1;
  }
  return std::string(present) + ":" + library;
}

}  // namespace marshal::tools
