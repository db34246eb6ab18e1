// Handles as programs pass them.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "host/handles.h"

namespace marshal {

// The kind of object that a handle names. (Some hosts use numbers for all kinds, so the handle's type does not tell.)
enum class HandleOf { comm, win, type };
template <HandleOf>
struct HandleTypeOf {
  using Type = MPI_Comm;
};
template <>
struct HandleTypeOf<HandleOf::win> {
  using Type = MPI_Win;
};
template <>
struct HandleTypeOf<HandleOf::type> {
  using Type = MPI_Datatype;
};

// A handle as a program passed it, from C or Fortran, so that steady traffic needs no conversion. Thread safe.
template <HandleOf what>
struct PassedHandle {
  using Handle = typename HandleTypeOf<what>::Type;
  // Numbers of Fortran lie apart from the handles of C, and windows apart from communicators.
  static constexpr std::uint64_t of_fortran = std::uint64_t{1} << 62;
  static constexpr std::uint64_t apart = what == HandleOf::win ? std::uint64_t{1} << 61 : 0;

  static PassedHandle from_c(Handle handle) { return {key_of(handle) | apart}; }
  static PassedHandle from_fortran_number(MPI_Fint number) {
    return {static_cast<std::uint32_t>(number) | of_fortran | apart};
  }
  Handle handle() const {
    if ((key & of_fortran) == 0) return handle_of<Handle>(key & ~apart);
    Handle converted{};
    from_fortran(static_cast<MPI_Fint>(static_cast<std::uint32_t>(key)), converted);
    return converted;
  }

  std::uint64_t key;
};

}  // namespace marshal
