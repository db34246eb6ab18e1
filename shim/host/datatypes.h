// What Marshal knows of each datatype that is packed: its layout and plan, shared by equal layouts.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "datatype/layout_cache.h"
#include "report/record.h"

namespace marshal {

struct Datatype {
  std::shared_ptr<const datatype::SharedLayout> layout;  // null: the host packs it,
  const char* why_not = nullptr;                         // for this reason
};

namespace books {

// What is known of a type, or null where it is not known to be committed, or not yet worth reading; `count` instances,
// about to be packed, count towards that. The first call that finds a type worth it reads it from the host. Lock free
// once read; valid until the type is freed.
const Datatype* packed_type(MPI_Datatype handle, std::int64_t count);

// Committed, or used with success: it may be read.
void note_committed(MPI_Datatype handle);

// About to be freed, or made or freed unseen. (What was read is also forgotten when the host destroys the type, whoever
// frees it: by an attribute's delete function.)
void forget_type(MPI_Datatype handle);

void put_types_into(report::Record& record);

}  // namespace books

// Whether the engine packs at all: MARSHAL_PACK, and a small type packed by the host and by the engine at the first
// question. Constant from then on.
bool engine_is_on();

}  // namespace marshal
