#include "callsites/stack_walk.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/dynamic_library.h"
#include "base/launcher.h"
#include "base/message.h"

namespace marshal {
namespace {

struct Unwinder {
  int (*backtrace)(void**, int) = nullptr;
  int (*getcontext)(unw_context_t*) = nullptr;
  int (*init_local)(unw_cursor_t*, unw_context_t*) = nullptr;
  int (*step)(unw_cursor_t*) = nullptr;
  int (*get_reg)(unw_cursor_t*, int, unw_word_t*) = nullptr;

  bool has_cursor() const { return getcontext && init_local && step && get_reg; }
};

Unwinder load() {
  Unwinder unwinder;
  DynamicLibrary library{"libunwind.so.8"};
  if (!library.is_loaded()) {
    if (first_of_job())
      say(Level::warning,
          "MARSHAL_CALLSITES: libunwind.so.8 cannot be loaded; call sites show the innermost frame only");
    return unwinder;
  }
  library.find("unw_backtrace", unwinder.backtrace);
#ifdef __x86_64__
  // The names behind libunwind.h's macros unw_getcontext and so on.
  library.find("_Ux86_64_getcontext", unwinder.getcontext);
  library.find("_ULx86_64_init_local", unwinder.init_local);
  library.find("_ULx86_64_step", unwinder.step);
  library.find("_ULx86_64_get_reg", unwinder.get_reg);
#endif
  return unwinder;
}

const Unwinder& unwinder() {
  static const Unwinder the = load();
  return the;
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
  if (unwinder().backtrace == nullptr) return 0;
  const ProgramsTraps kept;
  const int depth = unwinder().backtrace(out.data(), static_cast<int>(out.size()));
  // On aarch64 libunwind gives addresses inside the calls, one byte before the return addresses. This function's own
  // shows which of the two it gave.
  const auto walked = out.first(static_cast<std::size_t>(std::max(depth, 0)));
  const void* const last_byte = static_cast<const std::byte*>(__builtin_return_address(0)) - 1;
  if (std::ranges::find(walked, last_byte) != walked.end())
    for (void*& address : walked) address = static_cast<std::byte*>(address) + 1;
  return depth;
}

int walk_stack(std::span<ReturnSlot> out) {
  const Unwinder& with = unwinder();
  const ProgramsTraps kept;
  unw_context_t context;
  unw_cursor_t cursor;
  if (!with.has_cursor() || with.getcontext(&context) != 0 || with.init_local(&cursor, &context) != 0) return 0;
  std::size_t depth = 0;
  while (depth < out.size() && with.step(&cursor) > 0) {
    unw_word_t address = 0, stack = 0;
    if (with.get_reg(&cursor, UNW_REG_IP, &address) != 0 || with.get_reg(&cursor, UNW_REG_SP, &stack) != 0) return 0;
    if (address == 0) break;
    // Returning has popped the address.
    out[depth++] = {reinterpret_cast<const void*>(address), reinterpret_cast<const void* const*>(stack) - 1};
  }
  return static_cast<int>(depth);
}

}  // namespace marshal
