// The implementation behind Marshal, whatever its ABI, for the things that one of them does differently.
#pragma once

namespace marshal {

namespace detail {
inline bool is_open_mpi = false;
}

// If not, it is MPICH or one of its kin. Constant from meet_host() on.
inline bool is_open_mpi() { return detail::is_open_mpi; }

}  // namespace marshal
