// What Marshal knows of each datatype that is packed: its layout and plan, shared by equal layouts.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/last_found.h"
#include "datatype/layout_cache.h"
#include "host/committed_types.h"
#include "host/handles.h"
#include "report/record.h"

namespace marshal {

struct Datatype {
  std::shared_ptr<const datatype::SharedLayout> layout;  // null: the host packs it,
  const char* why_not = nullptr;                         // for this reason
  datatype::Span touched{};                              // by one instance
  std::optional<TypeKind> kind;                          // of what the host packs
  CommitSite committed_at = 0;
  mutable datatype::Work::Done by_host[2];  // to pack, to unpack, where the host does it
};

namespace books {

// What is known of a type, or null where it is not known to be committed, or not yet worth reading; `count` instances,
// about to be packed, count towards that. The first call that finds a type worth it reads it from the host. Lock free
// once read; valid until the type is freed.
const Datatype* find_packed_type(MPI_Datatype handle, std::int64_t count);

inline thread_local constinit LastFound<Datatype> last_type [[gnu::tls_model("initial-exec")]];
inline Departures type_departures{0};

// Null if this thread asked for another one last.
inline const Datatype* type_packed_last(MPI_Datatype handle) { return last_type.get(key_of(handle), type_departures); }

inline const Datatype* packed_type(MPI_Datatype handle, std::int64_t count) {
  return last_type.find(key_of(handle), type_departures, [=] { return find_packed_type(handle, count); });
}

// What is known of a type by now: nothing is read, and nothing counts.
const Datatype* known_type(MPI_Datatype handle);

// By MPI_Type_commit, called at `caller`, a return address in the program.
void note_committed(MPI_Datatype handle, const void* caller);

// Packed by the host, with success, in so many ns if that was timed. If it was not read yet (`type` is null), from now
// on it may be.
void note_packed_by_host(MPI_Datatype handle, const Datatype* type, bool unpack, std::int64_t count,
                         std::int64_t ns = 0);

// About to be freed, or made or freed unseen. (What was read is also forgotten when the host destroys the type, whoever
// frees it: by an attribute's delete function.)
void forget_type(MPI_Datatype handle);

void put_types_into(report::Record& record);

}  // namespace books

// Whether the engine packs at all: MARSHAL_PACK, and a small type packed by the host and by the engine at the first
// question. Constant from then on; not before MPI_Init, so never in a program of sessions only.
bool engine_is_on();

}  // namespace marshal
