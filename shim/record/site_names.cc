#include "record/site_names.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/cpu_time.h"
#include "base/dynamic_library.h"
#include "base/immortal.h"
#include "record/units.h"

namespace marshal::report {
// elfutils' libdw, loaded when names of call sites are needed: Marshal's library must load without it. The functions
// that are used have their own names without the prefix.
struct Libdw {
  DynamicLibrary library{"libdw.so.1"};
  decltype(&::dwfl_begin) begin = library["dwfl_begin"];
  decltype(&::dwfl_end) end = library["dwfl_end"];
  decltype(&::dwfl_report_offline) report_offline = library["dwfl_report_offline"];
  decltype(&::dwfl_report_end) report_end = library["dwfl_report_end"];
  decltype(&::dwfl_module_getelf) module_getelf = library["dwfl_module_getelf"];
  decltype(&::dwfl_module_addrdie) module_addrdie = library["dwfl_module_addrdie"];
  decltype(&::dwfl_module_addrname) module_addrname = library["dwfl_module_addrname"];
  decltype(&::dwfl_module_getsrc) module_getsrc = library["dwfl_module_getsrc"];
  decltype(&::dwfl_lineinfo) lineinfo = library["dwfl_lineinfo"];
  decltype(&::dwfl_build_id_find_elf) build_id_find_elf = library["dwfl_build_id_find_elf"];
  decltype(&::dwfl_standard_find_debuginfo) standard_find_debuginfo = library["dwfl_standard_find_debuginfo"];
  decltype(&::dwfl_offline_section_address) offline_section_address = library["dwfl_offline_section_address"];
  decltype(&::dwarf_getscopes) getscopes = library["dwarf_getscopes"];
  decltype(&::dwarf_tag) tag = library["dwarf_tag"];
  decltype(&::dwarf_diename) diename = library["dwarf_diename"];
  decltype(&::dwarf_attr_integrate) attr_integrate = library["dwarf_attr_integrate"];
  decltype(&::dwarf_formstring) formstring = library["dwarf_formstring"];
};

namespace {

// Null if libdw.so.1 cannot be loaded or lacks any of them. Thread safe; loaded once.
const Libdw* libdw() {
  static Immortal<Libdw> the;
  return the->library.missing() == nullptr ? &*the : nullptr;
}

int find_no_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
  return -1;
}

// The name as C++ qualifies it, else as the source has it, which spares Fortran's mangling.
std::string qualified_name(const Libdw& dw, Dwarf_Die* function) {
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute found;
    const char* name = dw.attr_integrate(function, attribute, &found) == nullptr ? nullptr : dw.formstring(&found);
    if (name != nullptr && std::string_view(name).starts_with("_Z")) return function_name(name);
  }
  const char* name = dw.diename(function);
  return name == nullptr ? std::string() : name;
}

std::string name_of_symbol(const Libdw& dw, Dwfl_Module* module, Dwarf_Addr address) {
  const char* name = dw.module_addrname(module, address);
  return name == nullptr ? std::string() : function_name(name);
}

// The innermost function, inlined ones included.
std::string function_at(const Libdw& dw, Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  if (Dwarf_Die* unit = dw.module_addrdie(module, address, &bias); unit != nullptr) {
    Dwarf_Die* scopes = nullptr;
    const int count = dw.getscopes(unit, address - bias, &scopes);
    const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owned(scopes, &std::free);
    for (int i = 0; i < count; ++i) {
      const int tag = dw.tag(&scopes[i]);
      if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
      if (std::string name = qualified_name(dw, &scopes[i]); !name.empty()) return name;
    }
  }
  return name_of_symbol(dw, module, address);
}

// -1 for what is no regular file, or must not be opened. A device may do something as soon as it is opened.
int open_module(const std::string& path, const Effort& effort, std::uint64_t& size) {
  struct stat facts {};
  const auto may_open = [&](bool is_known) {
    const bool is_safe =
        !effort.is_foreign || ((facts.st_uid == 0 || facts.st_uid == geteuid()) && (facts.st_mode & S_IWOTH) == 0);
    return is_known && S_ISREG(facts.st_mode) && is_safe;
  };
  if (!may_open(stat(path.c_str(), &facts) == 0)) return -1;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0 && !may_open(fstat(file, &facts) == 0)) {
    close(file);
    return -1;
  }
  size = static_cast<std::uint64_t>(facts.st_size);
  return file;
}

// "a.c:12 in f", with or without the calling frame.
bool has_line(const std::string& symbol) {
  const auto colon = symbol.substr(0, symbol.find(" in ")).rfind(':');
  return colon != std::string::npos && colon + 1 < symbol.size() &&
         std::isdigit(static_cast<unsigned char>(symbol[colon + 1])) != 0;
}

}  // namespace

struct SourcePlaces::Module {
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;  // null: it cannot be read
  Dwarf_Addr bias = 0;
  bool is_too_large = false;  // to look for lines
};

struct SourcePlaces::Modules {
  explicit Modules(const Effort& allowed) : effort(allowed), began(thread_cpu_time()), dw(libdw()) {
    if (dw == nullptr) return;
    callbacks.find_elf = dw->build_id_find_elf;
    callbacks.find_debuginfo = effort.separate_files ? dw->standard_find_debuginfo : find_no_debug_file;
    callbacks.section_address = dw->offline_section_address;
  }
  ~Modules() {
    for (auto& [path, module] : opened)
      if (module.session != nullptr) dw->end(module.session);
  }

  Module& of(const std::string& path) {
    const auto [at, fresh] = opened.try_emplace(path);
    Module& module = at->second;
    if (!fresh || dw == nullptr || (effort.is_foreign && !has_time())) return module;
    std::uint64_t size = 0;
    const int file = open_module(path, effort, size);
    if (file < 0) return module;
    module.is_too_large = size > effort.largest_file;
    module.session = dw->begin(&callbacks);
    if (module.session != nullptr) {
      module.module = dw->report_offline(module.session, path.c_str(), path.c_str(), file);  // takes the descriptor
      dw->report_end(module.session, nullptr, nullptr);
    }
    if (module.module == nullptr) close(file);
    if (module.module != nullptr && dw->module_getelf(module.module, &module.bias) == nullptr) module.module = nullptr;
    return module;
  }
  // CPU time: a busy machine must not make reports poorer.
  bool has_time() const { return thread_cpu_time() - began < effort.time; }

  Effort effort;
  std::chrono::nanoseconds began;
  const Libdw* dw;
  Dwfl_Callbacks callbacks{};
  std::map<std::string, Module> opened;
};

SourcePlaces::SourcePlaces(const Effort& effort) : modules_(std::make_unique<Modules>(effort)) {}
SourcePlaces::~SourcePlaces() = default;

std::string SourcePlaces::name(const Frame& frame) {
  if (frame.is_python()) return place_text(frame);
  if (!frame.module.starts_with('/') || frame.offset == 0) return {};
  Module& module = modules_->of(frame.module);
  if (module.module == nullptr) return {};
  // A return address may be the first of the next line, or of the next function: the call itself lies before it.
  const std::uint64_t call = frame.offset - 1;
  const Libdw& dw = *modules_->dw;
  const Dwarf_Addr address = call + module.bias;
  if (module.is_too_large || !modules_->has_time()) return name_of_symbol(dw, module.module, address);
  std::string function = function_at(dw, module.module, address);
  int line = 0;
  const char* file = nullptr;
  if (Dwfl_Line* found = dw.module_getsrc(module.module, address); found != nullptr)
    file = dw.lineinfo(found, nullptr, &line, nullptr, nullptr, nullptr);
  if (file == nullptr) return function;
  const char* slash = std::strrchr(file, '/');
  const std::string where = fmt::format("{}:{}", slash == nullptr ? file : slash + 1, line);
  return function.empty() ? where : fmt::format("{} in {}", where, function);
}

namespace {

struct NamedSite {
  const CallSite* site;
  std::string* symbol;
};

std::string name_or_offset(SourcePlaces& places, const Frame& frame) {
  std::string name = places.name(frame);
  return name.empty() ? place_text(frame) : name;
}

// Functions that run before main or above a thread's function.
bool is_start_up(std::string_view name) {
  if (const auto in = name.find(" in "); in != std::string_view::npos) name.remove_prefix(in + 4);
  return name.starts_with("__libc_start") || name.starts_with("_start") || name.starts_with("start_thread") ||
         name.starts_with("clone");
}

// The innermost frame; if it has no name, with the next frame of the program that has one. A library that Python called
// has Python's line besides.
std::string name_of_site(SourcePlaces& places, const CallSite& site) {
  std::string name = places.name(site.frames.front());
  if (const auto python = std::ranges::find_if(site.frames, &Frame::is_python);
      python != site.frames.begin() && python != site.frames.end())
    return fmt::format("{}, from {}", name.empty() ? place_text(site) : name, place_text(*python));
  if (!name.empty()) return name;
  for (std::size_t f = 1; f < site.frames.size(); ++f)
    if (const std::string outer = places.name(site.frames[f]); !outer.empty() && !is_start_up(outer))
      return fmt::format("{}, from {}", place_text(site), outer);
  return {};
}

// Sites that a reader would take for one, as they have one name or place and one MPI call, get the frames in which they
// differ.
void tell_apart(SourcePlaces& places, const std::vector<NamedSite>& sites) {
  constexpr std::size_t most_frames = 16;
  for (std::size_t f = 1; f < most_frames; ++f) {
    std::map<std::pair<std::string, std::string>, std::vector<NamedSite>> alike;
    for (const NamedSite& named : sites)
      alike[{named.site->call, name_or_place(*named.symbol, *named.site)}].push_back(named);
    for (const auto& entry : alike) {
      const std::vector<NamedSite>& group = entry.second;
      const auto frame = [f](const NamedSite& n) { return f < n.site->frames.size() ? n.site->frames[f] : Frame{}; };
      const bool differ =
          std::ranges::any_of(group, [&](const NamedSite& n) { return frame(n) != frame(group.front()); });
      for (const NamedSite& named : group)
        if (differ && f < named.site->frames.size())
          *named.symbol = entry.first.second + ", from " + name_or_offset(places, frame(named));
    }
  }
}

}  // namespace

void name_sites(Record& record, const Effort& effort) {
  SourcePlaces places(effort);
  const auto name_all = [&](std::vector<NamedSite> sites) {
    std::erase_if(sites, [](const NamedSite& named) { return named.site->frames.empty() || has_line(*named.symbol); });
    for (const NamedSite& named : sites)
      if (std::string name = name_of_site(places, *named.site); !name.empty()) *named.symbol = std::move(name);
    tell_apart(places, sites);
  };
  std::vector<NamedSite> communicators, objects, grids, datatypes;
  record.communicators.each([&](const CallSite& site, CommunicatorSite& row) {
    communicators.push_back({&site, &row.symbol});
  });
  name_all(std::move(communicators));
  record.objects.each([&](const CallSite& site, ObjectSite& row) { objects.push_back({&site, &row.symbol}); });
  name_all(std::move(objects));
  record.grids.each([&](const GridKey& key, Grid& row) { grids.push_back({&key.site, &row.symbol}); });
  name_all(std::move(grids));
  record.datatypes.each([&](const LayoutKey&, DatatypeLayout& row) { datatypes.push_back({&row.site, &row.symbol}); });
  name_all(std::move(datatypes));
  std::vector<NamedSite> timed, timed_communicators, before;
  record.times.places.each([&](const PlaceKey& key, PlaceTime& row) {
    timed.push_back({&key.site, &row.symbol});
    before.push_back({&row.arrivals.before, &row.arrivals.before_symbol});
    timed_communicators.push_back({&key.communicator, &row.communicator_symbol});
  });
  name_all(std::move(timed));
  name_all(std::move(timed_communicators));
  name_all(std::move(before));
}

}  // namespace marshal::report
