// Which implementation stands behind Marshal, whatever its ABI: for what one of them does differently.
#pragma once

namespace marshal {

namespace detail {
inline bool is_open_mpi = false;
}

// Otherwise it is MPICH or one of its kin. Constant from meet_host() on.
inline bool is_open_mpi() { return detail::is_open_mpi; }

}  // namespace marshal
