#include "callsites/call_frames.h"

#include <dlfcn.h>
#include <libunwind.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/dynamic_library.h"
#include "base/immortal.h"
#include "base/launcher.h"
#include "base/message.h"
#include "base/process_facts.h"
#include "callsites/python_place.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

std::size_t frames_wanted() {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(settings().call_site_frames, 0, CallFrames::most));
}

// Marshal's own frames come first, then the program's: at most 14 where the compiler inlines nothing.
constexpr std::size_t own_frames = 16;

using Backtrace = decltype(unw_backtrace);

Backtrace* load() {
  DynamicLibrary library{"libunwind.so.8"};
  if (!library.is_loaded() && first_of_job())
    say(Level::warning, "MARSHAL_CALLSITES: libunwind.so.8 cannot be loaded; call sites show the innermost frame only");
  return library["unw_backtrace"];
}

// libunwind saves the x87 unit's state by fnstenv, which masks the exceptions that a program may have unmasked.
class ProgramsTraps {
 public:
  ProgramsTraps(const ProgramsTraps&) = delete;
  ProgramsTraps& operator=(const ProgramsTraps&) = delete;
#ifdef __x86_64__
  ProgramsTraps() { asm volatile("fnstcw %0" : "=m"(control_)); }
  ~ProgramsTraps() { asm volatile("fldcw %0" : : "m"(control_)); }

 private:
  std::uint16_t control_;
#else
  ProgramsTraps() {}
  ~ProgramsTraps() {}
#endif
};

// Fills `out` with the return addresses on this thread's stack, innermost first, the first of them in Marshal, and
// returns how many; 0 if libunwind cannot be loaded. The library is loaded at the first call, not linked: its unwinder
// must not replace that of the C++ runtime.
int walk_stack(std::span<void*> out) {
  static Backtrace* const backtrace = load();
  if (backtrace == nullptr) return 0;
  const ProgramsTraps kept;
  const int depth = backtrace(out.data(), static_cast<int>(out.size()));
  // On aarch64 libunwind gives addresses inside the calls, one byte before the return addresses. This function's own
  // shows which of the two it gave.
  const auto walked = out.first(static_cast<std::size_t>(std::max(depth, 0)));
  const void* const last_byte = static_cast<const std::byte*>(__builtin_return_address(0)) - 1;
  if (std::ranges::find(walked, last_byte) != walked.end())
    for (void*& address : walked) address = static_cast<std::byte*>(address) + 1;
  return static_cast<int>(walked.size());
}

void add_frame_in_c(report::CallSite& site, const void* address) {
  Dl_info info;
  link_map* module = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) || module == nullptr) return;
  // l_addr is what the loader added to the addresses of the file: 0 where the executable was linked to a fixed place.
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) - module->l_addr;
  site.frames.push_back({module_path(module->l_name), offset});
}

}  // namespace

// A library found through a relative LD_LIBRARY_PATH has a relative name.
std::string module_path(const char* name) {
  static const Immortal<std::string> executable(executable_path());
  if (*name == '\0') return *executable;
  char path[PATH_MAX];
  return *name != '/' && realpath(name, path) != nullptr ? path : name;
}

CallFrames frames_above(const void* caller, std::size_t most) {
  const std::size_t wanted = std::min(frames_wanted(), most);
  CallFrames frames;
  if (wanted == 0) return frames;
  frames.address[frames.count++] = caller;
  if (wanted == 1) return frames;
  const PythonPlace* const python = as_python_place(caller);
  if (python != nullptr && python->is_of_binding) {
    frames.count += python_places_around(*python, std::span(frames.address).first(wanted).subspan(1));
    return frames;
  }
  const void* const address = return_address_of(caller);
  std::array<void*, CallFrames::most + own_frames> walked;
  const auto last = walked.begin() + walk_stack(std::span(walked).first(wanted + own_frames));
  for (auto at = std::find(walked.begin(), last, address); at != last && frames.count < wanted; ++at)
    if (*at != address && *at != nullptr) frames.address[frames.count++] = *at;
  return frames;
}

report::CallSite site_of(const char* call, const CallFrames& frames) {
  report::CallSite site;
  site.call = call;
  for (const void* place : frames.span()) {
    const PythonPlace* const python = as_python_place(place);
    if (python == nullptr)
      add_frame_in_c(site, place);
    else if (python->caller != nullptr && !python->is_of_binding)
      add_frame_in_c(site, python->caller);
    if (python != nullptr) site.frames.push_back({python->file, 0, python->function, python->line});
  }
  return site;
}

namespace {

constexpr std::size_t most_sites = 4096;

struct Sites {
  std::mutex mutex;
  std::map<CallFrames, CommitSite> numbers;
  std::vector<CallFrames> frames;        // of site 1, 2, …
  std::deque<report::CallSite> as_told;  // the same, for the report; empty until asked for
};

Sites& sites() {
  static Immortal<Sites> the;
  return *the;
}

}  // namespace

CommitSite commit_site(const void* caller, bool is_first) {
  const CallFrames frames = frames_above(caller, is_first ? CallFrames::most : 1);
  if (frames.count == 0) return 0;
  Sites& the = sites();
  const std::lock_guard lock(the.mutex);
  if (const auto known = the.numbers.find(frames); known != the.numbers.end()) return known->second;
  if (the.frames.size() == most_sites) return 0;
  the.frames.push_back(frames);
  the.as_told.emplace_back();
  return the.numbers[frames] = static_cast<CommitSite>(the.frames.size());
}

const report::CallSite& call_site_of(CommitSite number) {
  static const Immortal<report::CallSite> unknown;
  if (number == 0) return *unknown;
  Sites& the = sites();
  const std::lock_guard lock(the.mutex);
  report::CallSite& told = the.as_told[number - 1u];
  if (told.call.empty()) told = site_of("MPI_Type_commit", the.frames[number - 1u]);
  return told;
}

namespace {

// The beginnings of the names of executables and shared libraries.
constexpr std::array<std::string_view, 3> known_beginnings{
    // LAMMPS, "processors * * * map cart/reorder": ProcMap::cart_map asks the grid for the ranks of all cells, and
    // frees the grid. From then on it sends to those ranks in its own communicator (seen in 2022-01-06 and in the
    // sources of 2024).
    "liblammps",
    "lammps",
    "lmp",
};

bool is_of_such_a_module(const void* place) {
  const void* const address = return_address_of(place);
  Dl_info module{};
  if (dladdr(address, &module) == 0 || module.dli_fname == nullptr) return false;
  std::string_view name = module.dli_fname;
  name.remove_prefix(name.find_last_of('/') + 1);
  return std::ranges::any_of(known_beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

}  // namespace

bool mixes_ranks(const CallFrames& frames) { return std::ranges::any_of(frames.span(), is_of_such_a_module); }

}  // namespace marshal
