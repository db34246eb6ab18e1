// Conversion of handles to Fortran numbers and to keys of a table. Only after meet_host().
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/fixed_table.h"
#include "base/last_found.h"
#include "host/pmpi.h"

namespace marshal {

template <class Handle>
std::uint64_t key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return static_cast<std::uint32_t>(handle);
}

template <class Handle>
Handle handle_of(std::uint64_t key) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Handle>(key);
  else
    return static_cast<Handle>(key);
}

// The host's functions from the Fortran number to a kind of handle, and back.
#ifdef MARSHAL_HOST_ABI
#define MARSHAL_HANDLE(kind, type) \
  inline auto conversions(type*) { return std::pair(pmpi().kind##_fromint, pmpi().kind##_toint); }
#else
#define MARSHAL_HANDLE(kind, type) \
  inline auto conversions(type*) { return std::pair(pmpi().kind##_f2c, pmpi().kind##_c2f); }
#endif
#include "host/fortran_handles.table"

template <class Handle>
void from_fortran(MPI_Fint number, Handle& handle) {
  handle = conversions(&handle).first(number);
}
template <class Handle>
MPI_Fint to_fortran(Handle handle) {
  return conversions(&handle).second(handle);
}
#ifdef MARSHAL_HOST_MPICH
// MPICH's handles, except files, are the same numbers in both languages.
inline void from_fortran(MPI_Fint number, int& handle) { handle = number; }
inline MPI_Fint to_fortran(int handle) { return handle; }
#endif

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

// How often handles of communicators and windows may have come to mean others, by the handle as programs pass it. Few
// handles share a count, so that what is remembered of one outlives most others. Counted once the old one is off its
// book. Thread safe.
class HandleDepartures {
 public:
  MARSHAL_ALWAYS_INLINE const Departures& of(std::uint64_t passed) const {
    return has_own_fortran_numbers && (passed & of_fortran) != 0 ? of_any_ : by_handle_.home(passed);
  }
  template <HandleOf what = HandleOf::comm>
  void count(typename HandleTypeOf<what>::Type handle) {
    const std::uint64_t passed = PassedHandle<what>::from_c(handle).key;
    of_any_.fetch_add(1, std::memory_order_release);
    by_handle_.home(passed).fetch_add(1, std::memory_order_release);
    by_handle_.home(passed | of_fortran).fetch_add(1, std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t of_fortran = PassedHandle<HandleOf::comm>::of_fortran;
  // Elsewhere Fortran has the handles of C.
  static constexpr bool has_own_fortran_numbers = std::is_pointer_v<MPI_Comm>;
  Departures of_any_{0};
  FixedTable<Departures, 256> by_handle_{};
};
inline constinit HandleDepartures handle_departures;

}  // namespace marshal
