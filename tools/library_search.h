// Where the dynamic loader would find a library, worked out without running anything: RPATH, LD_LIBRARY_PATH, RUNPATH,
// ld.so.cache and the default directories, in the order of ld.so(8).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/elf_file.h"

namespace marshal::tools {

// Library name -> paths, from the text of ld.so.cache (new format, also behind the old one). Damaged: what could be
// read.
std::multimap<std::string, std::string, std::less<>> parse_loader_cache(std::string_view cache);

class LibrarySearch {
 public:
  // As this process would search: its LD_LIBRARY_PATH and the machine's /etc/ld.so.cache.
  LibrarySearch();
  LibrarySearch(std::string library_path, std::string_view cache);

  // An object on the way from the program to a library, with what its search directories depend on.
  struct Object {
    std::string path;
    std::string rpath, runpath;
    const Object* loader = nullptr;  // who needs it; null: the program
  };
  // The file for `name` as needed by `by`, empty when there is none of this machine's kind.
  std::string find(const std::string& name, const Object& by) const;

 private:
  std::string library_path_;
  std::multimap<std::string, std::string, std::less<>> cache_;
};

}  // namespace marshal::tools
