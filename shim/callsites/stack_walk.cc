#include "callsites/stack_walk.h"

#include <libunwind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/dynamic_library.h"
#include "base/launcher.h"
#include "base/message.h"

namespace marshal {
namespace {

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

}  // namespace

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

}  // namespace marshal
