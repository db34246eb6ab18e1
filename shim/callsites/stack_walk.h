// The return addresses on the calling thread's stack, by libunwind.
#pragma once

#include <cstddef>
#include <span>

namespace marshal {

// Fills `out` with return addresses, innermost first, the first of them in Marshal, and returns how many; 0 if
// libunwind cannot be loaded. The library is loaded at the first call, not linked: its unwinder must not replace that
// of the C++ runtime.
int walk_stack(std::span<void*> out);

}  // namespace marshal
