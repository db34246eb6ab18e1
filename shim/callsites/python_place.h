// Places of a Python program: its calls of MPI return to the same few addresses, in mpi4py. Where the calling thread is
// in Python, a line of Python stands for such an address, and all that knows places by address tells lines apart.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/always_inline.h"

namespace marshal {

struct PythonPlace {
  const void* caller = nullptr;  // the return address in C; null for a line further out
  const char *file = nullptr, *function = nullptr;
  std::uint64_t line = 0;
  bool is_of_binding = false;  // C is mpi4py here, of which the user knows nothing
};

namespace detail {
// From the moment on in which an interpreter was found, and what is known of it is written.
inline constinit std::atomic<bool> may_be_in_python{false};
// A line stays in the table until the process ends, so that its address is that of its place.
const void* python_place(const void* caller) noexcept;
}  // namespace detail

// The place of a call that returns to `caller`: that address, or the line of Python that led to it (as_python_place).
// A place is its own. To be asked within the call. Some ten nanoseconds in Python, a test elsewhere. Thread safe.
MARSHAL_ALWAYS_INLINE inline const void* place_of_call(const void* caller) noexcept {
  if (!detail::may_be_in_python.load(std::memory_order_acquire)) [[likely]]
    return caller;
  return detail::python_place(caller);
}

// To be called where a thread may be the first that is in Python: where MPI begins, and at new places.
void look_for_python() noexcept;

// Null if the place is a return address.
const PythonPlace* as_python_place(const void* place) noexcept;
// The address in C that a call at that place returns to.
inline const void* return_address_of(const void* place) noexcept {
  const PythonPlace* const python = as_python_place(place);
  return python != nullptr ? python->caller : place;
}

// Fills `out` with the lines of Python around `innermost`, which this thread runs now; returns how many.
std::size_t python_places_around(const PythonPlace& innermost, std::span<const void*> out) noexcept;

}  // namespace marshal
