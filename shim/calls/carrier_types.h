// The datatypes of two blocks that carrier.h sends in. Thread safe.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace marshal::calls {

// The gap is as long as an element. The last element lies behind it, at `bytes`.
struct CarrierType {
  static constexpr std::int64_t most_of_an_element = 8;

  MPI_Datatype type{};
  std::int64_t element = 0;  // bytes
  bool is_kept = false;      // for later messages: not the caller's to free
};

// Hosts move elements of 8 bytes faster than bytes, or slower. Tries which one it is here. In MPI_Init, before a
// message is packed. `comm` returns its errors.
void try_carrier_elements(MPI_Comm comm);

// For so many bytes, at least two. `element` is 0 where the host has no datatype for them.
CarrierType carrier_type(std::int64_t bytes);

// Frees what was kept, and keeps nothing any more. In MPI_Finalize.
void free_carrier_types();

}  // namespace marshal::calls
