#include "callsites/call_frames.h"

#include <dlfcn.h>
#include <libunwind.h>
#include <link.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

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

// A library found through a relative LD_LIBRARY_PATH has a relative name.
std::string absolute(const char* name) {
  char path[PATH_MAX];
  return *name != '/' && realpath(name, path) != nullptr ? path : name;
}

void add_frame_in_c(report::CallSite& site, const void* address) {
  static const Immortal<std::string> executable(executable_path());
  Dl_info info;
  link_map* module = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) || module == nullptr) return;
  // l_addr is what the loader added to the addresses of the file: 0 where the executable was linked to a fixed place.
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) - module->l_addr;
  // The loader has no name for the executable.
  site.frames.push_back({*module->l_name == '\0' ? *executable : absolute(module->l_name), offset});
}

}  // namespace

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

}  // namespace marshal
