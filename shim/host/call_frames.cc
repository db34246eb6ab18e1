#include "host/call_frames.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "base/message.h"
#include "host/settings.h"

namespace marshal {
namespace {

using Backtrace = int (*)(void**, int);

Backtrace find_backtrace() {
  void* library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    if (first_of_job())
      say(Level::kWarning,
          "MARSHAL_CALLSITES: libunwind.so.8 cannot be loaded; call sites show the innermost frame only");
    return nullptr;
  }
  return reinterpret_cast<Backtrace>(dlsym(library, "unw_backtrace"));
}

std::size_t frames_wanted() {
  const Options& options = settings();
  if (options.is(Option::kCallsites, "off")) return 0;
  if (options.is(Option::kCallsites, "on")) return 4;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(options.integer(Option::kCallsites), 0, CallFrames::most));
}

std::string executable_path() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

}  // namespace

CallFrames frames_above(const void* caller) {
  CallFrames frames;
  const std::size_t wanted = frames_wanted();
  if (wanted == 0) return frames;
  frames.address[0] = caller;
  frames.count = 1;
  if (wanted == 1) return frames;
  static const Backtrace backtrace = find_backtrace();
  if (backtrace == nullptr) return frames;
  // Marshal's own frames come first, a handful, then `caller`.
  constexpr std::size_t own = 8;
  void* walked[CallFrames::most + own];
  const int depth = backtrace(walked, static_cast<int>(wanted + own));
  void** const last = walked + std::max(depth, 0);
  for (void** at = std::find(walked, last, caller); at != last && frames.count < wanted; ++at)
    if (*at != caller && *at != nullptr) frames.address[frames.count++] = *at;
  return frames;
}

report::CallSite site_of(const char* call, const CallFrames& frames) {
  static const std::string executable = executable_path();
  report::CallSite site;
  site.call = call;
  for (const void* address : frames.span()) {
    Dl_info info;
    if (!dladdr(address, &info) || info.dli_fname == nullptr) continue;
    const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    // The loader names the executable as it was typed.
    Dl_info main;
    static const void* const main_base = dladdr(dlsym(RTLD_DEFAULT, "_start"), &main) ? main.dli_fbase : nullptr;
    const bool shared = std::string_view(info.dli_fname).find(".so") != std::string_view::npos;
    site.frames.push_back({!shared || info.dli_fbase == main_base ? executable : std::string(info.dli_fname), offset});
  }
  return site;
}

}  // namespace marshal
