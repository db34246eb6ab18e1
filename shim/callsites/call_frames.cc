#include "callsites/call_frames.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>

#include "base/immortal.h"
#include "base/thread_end.h"
#include "callsites/stack_walk.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

std::size_t frames_wanted() {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(settings().call_site_frames, 0, CallFrames::most));
}

// Marshal's own frames come first, then the program's: at most 14 where the compiler inlines nothing.
constexpr std::size_t own_frames = 16;

CallFrames walk(const void* caller, std::size_t wanted) {
  CallFrames frames;
  frames.address[0] = caller;
  frames.count = 1;
  std::array<void*, CallFrames::most + own_frames> walked;
  const int depth = walk_stack(std::span(walked).first(wanted + own_frames));
  const auto last = walked.begin() + depth;
  for (auto at = std::find(walked.begin(), last, caller); at != last && frames.count < wanted; ++at)
    if (*at != caller && *at != nullptr) frames.address[frames.count++] = *at;
  return frames;
}

// A walk of this thread, with the places of its return addresses on the stack. A loop that makes communicators calls
// from the same depth again and again: as long as the same addresses are in the same places, no new walk is needed.
class RememberedWalk {
 public:
  CallFrames frames(const void* caller, const void* here, std::size_t wanted) {
    if (caller != caller_ || here != here_ || wanted != wanted_) {
      *this = RememberedWalk();
      caller_ = caller;
      here_ = here;
      wanted_ = wanted;
      return walk(caller, wanted);  // most places of a program call once only
    }
    if (still_there()) {
      ++hits_;
      return frames_;
    }
    // If several callers alternate at one depth, remembering costs more than it saves.
    if (misses_ > 8 + hits_ / 8) return walk(caller, wanted);
    ++misses_;
    remember();
    return frames_.count > 0 ? frames_ : walk(caller, wanted);
  }

 private:
  // From the innermost outwards: if an address is unchanged, the next place is still on the stack.
  bool still_there() const {
    for (std::size_t k = 0; k < frames_.count; ++k)
      if (*slot_[k] != frames_.address[k]) return false;
    return frames_.count > 0;
  }

  void remember() {
    frames_.count = 0;
    std::array<ReturnSlot, CallFrames::most + own_frames> walked;
    const int depth = walk_stack(std::span(walked).first(wanted_ + own_frames));
    const auto last = walked.begin() + depth;
    const auto first = std::find_if(walked.begin(), last, [&](const ReturnSlot& r) { return r.address == caller_; });
    for (auto at = first; at != last && frames_.count < wanted_; ++at) {
      if (at != first && at->address == caller_) continue;  // as walk() does
      if (*at->slot != at->address) {                       // a signal's frame, say
        frames_.count = 0;
        return;
      }
      slot_[frames_.count] = at->slot;
      frames_.address[frames_.count++] = at->address;
    }
    if (frames_ != walk(caller_, wanted_)) frames_.count = 0;  // else the report would show one site as two
  }

  const void* caller_ = nullptr;
  const void* here_ = nullptr;
  std::size_t wanted_ = 0;
  CallFrames frames_;
  std::array<const void* const*, CallFrames::most> slot_{};
  std::uint64_t hits_ = 0, misses_ = 0;
};

std::string executable_path() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

// A library found through a relative LD_LIBRARY_PATH has a relative name.
std::string absolute(const char* name) {
  char path[PATH_MAX];
  return *name != '/' && realpath(name, path) != nullptr ? path : name;
}

}  // namespace

CallFrames frames_above(const void* caller, std::size_t most) {
  const std::size_t wanted = std::min(frames_wanted(), most);
  if (wanted > 1) {
    static thread_local constinit std::array<RememberedWalk, 8>* own = nullptr;
    auto* const remembered = of_this_thread(own);
    if (remembered == nullptr) return walk(caller, wanted);
    const void* here = __builtin_frame_address(0);
    const std::size_t place = (reinterpret_cast<std::uintptr_t>(caller) ^ reinterpret_cast<std::uintptr_t>(here) >> 4) *
                                  0x9E3779B97F4A7C15ULL >>
                              61;
    return (*remembered)[place].frames(caller, here, wanted);
  }
  CallFrames innermost;
  if (wanted == 1) innermost.address[innermost.count++] = caller;
  return innermost;
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
