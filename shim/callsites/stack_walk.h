// The return addresses on the calling thread's stack, by libunwind.
#pragma once

#include <cstddef>
#include <span>

namespace marshal {

// Fills `out` with return addresses, innermost first, the caller's own first; how many there were: 0 where libunwind
// cannot be loaded. The library is loaded at the first call, not linked: its unwinder must not take the place of the
// C++ runtime's.
int walk_stack(std::span<void*> out);

// A return address and where on the stack it stands.
struct ReturnSlot {
  const void* address;
  const void* const* slot;
};

// The same, with the places; about ten times as dear. None (0) on processors other than x86-64.
int walk_stack(std::span<ReturnSlot> out);

}  // namespace marshal
