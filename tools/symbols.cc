#include "tools/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "report/function_names.h"

namespace marshal::tools {
namespace {

// Arguments make a table's cell too wide, and say little.
std::string short_name(const char* name) {
  std::string text = report::demangled(name);
  if (const auto arguments = text.find('('); arguments != std::string::npos && arguments > 0) text.resize(arguments);
  return text;
}

// The innermost function as the source names it, which spares Fortran's and C++'s mangling.
std::string function_of(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias); unit != nullptr) {
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes(unit, address - bias, &scopes);
    const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owned(scopes, &std::free);
    for (int i = 0; i < count; ++i) {
      const int tag = dwarf_tag(&scopes[i]);
      if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
      if (const char* name = dwarf_diename(&scopes[i]); name != nullptr) return name;
    }
  }
  const char* name = dwfl_module_addrname(module, address);
  return name == nullptr ? std::string() : short_name(name);
}

}  // namespace

struct Symbols::Modules {
  struct Module {
    Dwfl* session = nullptr;
    Dwfl_Module* module = nullptr;
    Dwarf_Addr bias = 0;
  };
  std::map<std::string, Module> opened;

  const Module& of(const std::string& path) {
    static constexpr Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                              dwfl_offline_section_address, nullptr};
    const auto [at, fresh] = opened.try_emplace(path);
    if (!fresh) return at->second;
    Module& module = at->second;
    module.session = dwfl_begin(&callbacks);
    if (module.session == nullptr) return module;
    module.module = dwfl_report_offline(module.session, path.c_str(), path.c_str(), -1);
    dwfl_report_end(module.session, nullptr, nullptr);
    if (module.module != nullptr && dwfl_module_getelf(module.module, &module.bias) == nullptr) module.module = nullptr;
    return module;
  }
  ~Modules() {
    for (auto& [path, module] : opened)
      if (module.session != nullptr) dwfl_end(module.session);
  }
};

Symbols::Symbols() : modules_(std::make_unique<Modules>()) {
  // No debuginfod: reading a report must not wait for a network.
  unsetenv("DEBUGINFOD_URLS");
}
Symbols::~Symbols() = default;

std::string Symbols::name(const report::Frame& frame) {
  if (!frame.module.starts_with('/') || frame.offset == 0) return {};
  const Modules::Module& module = modules_->of(frame.module);
  if (module.module == nullptr) return {};
  // A return address may be the first of the next line: the call itself lies before it.
  const Dwarf_Addr address = frame.offset - 1 + module.bias;
  const std::string function = function_of(module.module, address);
  int line = 0;
  const char* file = nullptr;
  if (Dwfl_Line* found = dwfl_module_getsrc(module.module, address); found != nullptr)
    file = dwfl_lineinfo(found, nullptr, &line, nullptr, nullptr, nullptr);
  if (file == nullptr) return function;
  const char* slash = std::strrchr(file, '/');
  const std::string where = fmt::format("{}:{}", slash == nullptr ? file : slash + 1, line);
  return function.empty() ? where : fmt::format("{} at {}", function, where);
}

void add_symbols(report::Record& record) {
  Symbols symbols;
  const auto fill = [&](const report::CallSite& site, std::string& symbol) {
    if (site.frames.empty() || symbol.find(':') != std::string::npos) return;
    if (std::string name = symbols.name(site.frames.front()); !name.empty()) symbol = std::move(name);
  };
  record.communicators.each(
      [&](const report::CallSite& site, report::CommunicatorSite& row) { fill(site, row.symbol); });
  record.grids.each([&](const report::GridKey& key, report::Grid& row) { fill(key.site, row.symbol); });
}

}  // namespace marshal::tools
