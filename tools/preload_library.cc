#include "tools/preload_library.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/process_facts.h"

namespace marshal::tools {

namespace fs = std::filesystem;

std::vector<std::string> library_directories() {
  std::vector<fs::path> likely;
  // From bindir to libdir as configured, so that an installed tree can be moved.
  if (const fs::path here = fs::path(executable_path()).parent_path(); !here.empty())
    likely = {(here / fs::path(MARSHAL_LIBDIR).lexically_relative(MARSHAL_BINDIR)).lexically_normal(),
              here.parent_path(), here.parent_path() / "lib"};
  likely.emplace_back(MARSHAL_LIBDIR);
  std::vector<std::string> directories;
  for (const fs::path& directory : likely)
    if (std::find(directories.begin(), directories.end(), directory.string()) == directories.end())
      directories.push_back(directory.string());
  return directories;
}

std::string preload_library(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    std::string path = directory + "/libmarshal.so";
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

std::string library_for(const std::string& tag, const std::string& preload_library) {
  if (preload_library.empty()) return {};
  std::string path = (fs::path(preload_library).parent_path() / ("libmarshal-" + tag + ".so")).string();
  return access(path.c_str(), R_OK) == 0 ? path : std::string();
}

}  // namespace marshal::tools
