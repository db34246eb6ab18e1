// The return addresses on the calling thread's stack, by libunwind.
#pragma once

#include <cstddef>
#include <span>

namespace marshal {

// Fills `out` with return addresses, innermost first, the first of them in Marshal, and returns how many; 0 if
// libunwind cannot be loaded. The library is loaded at the first call, not linked: its unwinder must not replace that
// of the C++ runtime.
int walk_stack(std::span<void*> out);

// A return address and where on the stack it stands.
struct ReturnSlot {
  const void* address;
  const void* const* slot;
};

// The same with the places, in about ten times the time. Returns 0 on processors other than x86-64.
int walk_stack(std::span<ReturnSlot> out);

}  // namespace marshal
