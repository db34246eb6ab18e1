// UCX's generic datatypes: how MPICH over UCX sends and receives what is not contiguous. MPICH makes one for each type
// that it commits, with functions of its own that UCX calls for each message. Marshal gives UCX functions that watch
// MPICH's, which cost no memory. Once a type is read, the engine's functions take their place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/host_hooks.h"
#include "types/type_book.h"

namespace marshal::generic_types {

// While this thread's host commits a type: where the number of the generic type that it makes is noted. Null: not
// Marshal's business. Returns what stood there before.
std::uint64_t* note_next_in(std::uint64_t* place);

// The functions that stand in front of libucp's, each given the library's own.
UcsStatus create(CreateGeneric* next, const void* operations, void* context, std::uint64_t* made);
void destroy(DestroyGeneric* next, std::uint64_t datatype);

// From now on messages of the type, which is read, are the engine's: all, or only broadcasts and those that UCX gets as
// bytes. No other thread may begin one of them meanwhile. Throws std::bad_alloc.
void bind(std::uint64_t datatype, const Datatype& type, bool by_fragments);

// Types that move outside of UCX, by their handles. Only while one thread at a time is in MPI.
//
// False for types of which MPICH has made nothing in UCX.
bool may_move(std::uint64_t key);
// A type of which a message of so many instances and bytes is the engine's; it is counted as one. False where it is
// left to the host. Valid while the type lives.
struct MovedType {
  const SharedLayout* layout = nullptr;
  MessageLife* life = nullptr;
  bool is_one_block = false;  // the message needs no packing, even if the host moves the type otherwise
};
bool find_moved(std::uint64_t key, std::int64_t count, std::int64_t bytes, MovedType& found);

// A message that MPICH gives to UCX. It is sent in one of three ways: as a whole block, packed, or by its datatype.
struct Outgoing {
  std::uint64_t datatype;
  const void* user;
  std::size_t count;
  std::int64_t bytes;  // packed; 0 where the datatype is none of MPICH's generic ones
  void* host_state;    // MPICH's, made already where only that tells the bytes; else null
};
Outgoing begin_to_send(std::uint64_t datatype, const void* user, std::size_t count);
// From where UCX is to send it as bytes: a single block. Null for all others.
const std::byte* take_whole_block(const Outgoing& message);
// Packs it, and UCX is to send it as bytes. If false, UCX is to send it by the datatype.
bool pack_whole(const Outgoing& message, std::byte* packed);
// While it lives, this thread asks UCX to send the message by its datatype.
class SendsByDatatype {
 public:
  explicit SendsByDatatype(const Outgoing& message);
  ~SendsByDatatype();
  SendsByDatatype(const SendsByDatatype&) = delete;
  SendsByDatatype& operator=(const SendsByDatatype&) = delete;
};

// Null if MPICH makes generic types, and they pack as expected; else why not. MPICH's functions are learnt here alone.
// Until then, and if it is refused, Marshal stands in no datatype. Calls MPI; before other threads do.
const char* try_out();

}  // namespace marshal::generic_types
