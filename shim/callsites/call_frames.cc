#include "callsites/call_frames.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>

#include "base/immortal.h"
#include "base/process_facts.h"
#include "callsites/stack_walk.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

std::size_t frames_wanted() {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(settings().call_site_frames, 0, CallFrames::most));
}

// Marshal's own frames come first, then the program's: at most 14 where the compiler inlines nothing.
constexpr std::size_t own_frames = 16;

// A library found through a relative LD_LIBRARY_PATH has a relative name.
std::string absolute(const char* name) {
  char path[PATH_MAX];
  return *name != '/' && realpath(name, path) != nullptr ? path : name;
}

}  // namespace

CallFrames frames_above(const void* caller, std::size_t most) {
  const std::size_t wanted = std::min(frames_wanted(), most);
  CallFrames frames;
  if (wanted == 0) return frames;
  frames.address[frames.count++] = caller;
  if (wanted == 1) return frames;
  std::array<void*, CallFrames::most + own_frames> walked;
  const auto last = walked.begin() + walk_stack(std::span(walked).first(wanted + own_frames));
  for (auto at = std::find(walked.begin(), last, caller); at != last && frames.count < wanted; ++at)
    if (*at != caller && *at != nullptr) frames.address[frames.count++] = *at;
  return frames;
}

report::CallSite site_of(const char* call, const CallFrames& frames) {
  static const Immortal<std::string> executable(executable_path());
  report::CallSite site;
  site.call = call;
  for (const void* address : frames.span()) {
    Dl_info info;
    link_map* module = nullptr;
    if (!dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) || module == nullptr) continue;
    // l_addr is what the loader added to the addresses of the file: 0 where the executable was linked to a fixed place.
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) - module->l_addr;
    // The loader has no name for the executable.
    site.frames.push_back({*module->l_name == '\0' ? *executable : absolute(module->l_name), offset});
  }
  return site;
}

}  // namespace marshal
