// elfutils' libdw, loaded when names of call sites are needed: Marshal's library must load without it.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace marshal::report {

// The functions that are used, under their own names without the prefix.
struct Libdw {
  decltype(&::dwfl_begin) begin;
  decltype(&::dwfl_end) end;
  decltype(&::dwfl_report_offline) report_offline;
  decltype(&::dwfl_report_end) report_end;
  decltype(&::dwfl_module_getelf) module_getelf;
  decltype(&::dwfl_module_addrdie) module_addrdie;
  decltype(&::dwfl_module_addrname) module_addrname;
  decltype(&::dwfl_module_getsrc) module_getsrc;
  decltype(&::dwfl_lineinfo) lineinfo;
  decltype(&::dwfl_build_id_find_elf) build_id_find_elf;
  decltype(&::dwfl_standard_find_debuginfo) standard_find_debuginfo;
  decltype(&::dwfl_offline_section_address) offline_section_address;
  decltype(&::dwarf_getscopes) getscopes;
  decltype(&::dwarf_tag) tag;
  decltype(&::dwarf_diename) diename;
  decltype(&::dwarf_attr_integrate) attr_integrate;
  decltype(&::dwarf_formstring) formstring;
};

// Null if libdw.so.1 cannot be loaded or lacks any of them. Thread safe; loaded once.
const Libdw* libdw();

}  // namespace marshal::report
