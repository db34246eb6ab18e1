#include "report/libdw.h"

#include <dlfcn.h>

#include <optional>

#include "base/dynamic_symbol.h"

namespace marshal::report {
namespace {

std::optional<Libdw> load() {
  void* library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  bool all = true;
  const auto find = [&](const char* name, auto& function) { all = find_symbol(library, name, function) && all; };
  Libdw found{};
  find("dwfl_begin", found.begin);
  find("dwfl_end", found.end);
  find("dwfl_report_offline", found.report_offline);
  find("dwfl_report_end", found.report_end);
  find("dwfl_module_getelf", found.module_getelf);
  find("dwfl_module_addrdie", found.module_addrdie);
  find("dwfl_module_addrname", found.module_addrname);
  find("dwfl_module_getsrc", found.module_getsrc);
  find("dwfl_lineinfo", found.lineinfo);
  find("dwfl_build_id_find_elf", found.build_id_find_elf);
  find("dwfl_standard_find_debuginfo", found.standard_find_debuginfo);
  find("dwfl_offline_section_address", found.offline_section_address);
  find("dwarf_getscopes", found.getscopes);
  find("dwarf_tag", found.tag);
  find("dwarf_diename", found.diename);
  find("dwarf_attr_integrate", found.attr_integrate);
  find("dwarf_formstring", found.formstring);
  return all ? std::optional(found) : std::nullopt;
}

}  // namespace

const Libdw* libdw() {
  static const std::optional<Libdw> the = load();
  return the ? &*the : nullptr;
}

}  // namespace marshal::report
