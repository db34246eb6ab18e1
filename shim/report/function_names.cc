#include "report/function_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>

#include "base/elf_file.h"

namespace marshal::report {
namespace {

class FunctionNames {
 public:
  std::string name(const CallSite& site) {
    for (const Frame& frame : site.frames) {
      if (frame.offset == 0) continue;
      const auto [at, fresh] = files_.try_emplace(frame.module);
      ElfFile::Problem problem{};
      if (fresh) at->second = ElfFile::open(frame.module, problem);
      if (!at->second) continue;
      // The call lies before the return address, which may be the next function's first.
      const std::string name = at->second->function_at(frame.offset - 1);
      if (!name.empty()) return demangled(name);
    }
    return {};
  }

 private:
  std::map<std::string, std::optional<ElfFile>> files_;
};

}  // namespace

std::string demangled(const std::string& name) {
  int status = -1;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                          &std::free);
  return status == 0 ? plain.get() : name;
}

void add_function_names(Record& record) {
  FunctionNames names;
  record.communicators.each([&](const CallSite& site, CommunicatorSite& row) {
    if (row.symbol.empty()) row.symbol = names.name(site);
  });
  record.grids.each([&](const GridKey& key, Grid& row) {
    if (row.symbol.empty()) row.symbol = names.name(key.site);
  });
}

}  // namespace marshal::report
