// UCX's generic datatypes of types that were freed. Each thread keeps some for the types that it commits next, since
// programs make, use and free types in loops, and UCX takes longer to allocate a record and to give it back than MPICH
// to commit a small type. Thread safe.
#pragma once

#include <cstdint>

#include "host/ucx_datatype.h"

namespace marshal::spare_datatypes {

// Called once a record is found to be as ucx_datatype.h says. Before that none is kept.
void are_safe();

// One with this context and these operations; 0 where the thread has none.
std::uint64_t take(void* context, const ucx::GenericOperations& operations);

// False where it is not kept: then UCX must destroy it.
bool keep(std::uint64_t datatype);

}  // namespace marshal::spare_datatypes
