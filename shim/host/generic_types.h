// UCX's generic datatypes: how MPICH over UCX sends and receives what is not contiguous. MPICH makes one for each type
// that it commits, with functions of its own that UCX calls for each message. Marshal puts its functions in their place
// and calls MPICH's where the type is not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "host/host_hooks.h"
#include "host/type_book.h"

namespace marshal::generic_types {

struct Made;  // the generic type of one committed type

// While this thread's host commits a type: where the generic type that it makes is noted. Null: not Marshal's business.
// Returns what stood there before.
Made** note_next_in(Made** place);

// The functions that stand in front of libucp's, each given the library's own.
UcsStatus create(CreateGeneric* next, const void* operations, void* context, std::uint64_t* made);
void destroy(DestroyGeneric* next, std::uint64_t datatype);

// From now on messages of the type, which is read, are the engine's: all, or only those that are packed whole.
void bind(Made& made, const Datatype& type, bool by_fragments);
// It stays the host's, of so many packed bytes (0: unknown); messages of it are noted under its key.
void leave(Made& made, std::uint64_t key, std::int64_t bytes);

// Null if it is none of MPICH's, or unknown. It stays until the host destroys the type.
Made* find(std::uint64_t datatype);
// Of a message of `count` instances; 0 if that is not known.
std::int64_t packed_bytes(const Made& made, std::size_t count);
// Packs a message, `bytes` in all, that UCX is to send as bytes. If false, UCX is to send it by the datatype.
bool pack_whole(Made& made, const void* user, std::size_t count, std::byte* packed, std::int64_t bytes);

// Whether every fragment that UCX may ask for can end between elements (`element`: bytes of each, 0 where they differ):
// the host's own receivers cannot take a part of one.
bool can_be_cut(const SharedLayout& layout, std::int64_t element);

// Where a fragment that begins at packed byte `from`, and has room until `to`, ends at best: between elements.
std::int64_t fragment_end(const SharedLayout& layout, std::int64_t element, std::int64_t from, std::int64_t to,
                          std::int64_t size);

// Null if MPICH makes generic types, and they pack as expected; else why not. Calls MPI; before other threads do.
const char* try_out();

}  // namespace marshal::generic_types
