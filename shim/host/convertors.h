// Open MPI's convertors: objects that pack or unpack one message, fragment by fragment. After Open MPI has prepared one
// of a type that is read, the function that advances it becomes Marshal's, or one that times Open MPI's own. All else
// of the convertor stays as Open MPI made it.
//
// Its layout is that of 4.1 and 5.0, of which no header is needed; tried_out() compares it with what the host does.
#pragma once

#include <cstddef>

#include "host/host_hooks.h"

namespace marshal::convertors {

// The functions that stand in front of libopen-pal's, each given the host's own.
template <bool unpack>
int prepare(PrepareConvertor* next, void* convertor, const void* type, std::size_t count, const void* user);
int set_position(SetConvertorPosition* next, void* convertor, std::size_t* position);
std::int32_t raw(RawConvertor* next, void* convertor, void* iovecs, std::uint32_t* iovec_count, std::size_t* length);

// Null if convertors are as expected; else why not. The host packs and unpacks a known type, watched, and again with
// the engine in its place. Calls MPI; before other threads do.
const char* try_out();

}  // namespace marshal::convertors
