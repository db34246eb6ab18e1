#include "report/libdw.h"

#include <optional>

#include "base/dynamic_library.h"

namespace marshal::report {
namespace {

std::optional<Libdw> load() {
  DynamicLibrary library{"libdw.so.1"};
  Libdw found{};
  library.find("dwfl_begin", found.begin);
  library.find("dwfl_end", found.end);
  library.find("dwfl_report_offline", found.report_offline);
  library.find("dwfl_report_end", found.report_end);
  library.find("dwfl_module_getelf", found.module_getelf);
  library.find("dwfl_module_addrdie", found.module_addrdie);
  library.find("dwfl_module_addrname", found.module_addrname);
  library.find("dwfl_module_getsrc", found.module_getsrc);
  library.find("dwfl_lineinfo", found.lineinfo);
  library.find("dwfl_build_id_find_elf", found.build_id_find_elf);
  library.find("dwfl_standard_find_debuginfo", found.standard_find_debuginfo);
  library.find("dwfl_offline_section_address", found.offline_section_address);
  library.find("dwarf_getscopes", found.getscopes);
  library.find("dwarf_tag", found.tag);
  library.find("dwarf_diename", found.diename);
  library.find("dwarf_attr_integrate", found.attr_integrate);
  library.find("dwarf_formstring", found.formstring);
  return library.missing() == nullptr ? std::optional(found) : std::nullopt;
}

}  // namespace

const Libdw* libdw() {
  static const std::optional<Libdw> the = load();
  return the ? &*the : nullptr;
}

}  // namespace marshal::report
