// Commits of MPI types at many places of the program. Marshal judges the types of a place by how those before them
// lived there: a program commits its types at places of their own, and so do its benchmarks. Only for files compiled
// for one host.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>

namespace marshal::bench {

using Commit = int(MPI_Datatype*);

inline constexpr std::size_t commit_places = 64;

namespace detail {

template <std::size_t place>
[[gnu::noinline]] int commit_at(MPI_Datatype* type) {
  const int code = MPI_Type_commit(type);
  volatile std::size_t none = place;
  static_cast<void>(none);  // no jump instead of the call
  return code;
}

template <std::size_t... place>
Commit* commit_of(std::size_t number, std::index_sequence<place...>) {
  static constexpr Commit* places[] = {commit_at<place>...};
  return places[number % sizeof...(place)];
}

}  // namespace detail

// For the type of this number.
inline Commit* commit_at_place(std::size_t number) {
  return detail::commit_of(number, std::make_index_sequence<commit_places>());
}

}  // namespace marshal::bench
