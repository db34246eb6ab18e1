// Tries out whether convertors are as convertor.h says, and whether the engine can advance them.
#pragma once

#include <cstddef>

#include "host/host_hooks.h"

namespace marshal::convertors {

// Null if convertors are as expected; else why not. The host packs and unpacks a known type, watched, and again with
// the engine in its place. Before each, its convertor is moved by fragments, set to positions, asked for places and
// cloned. Calls MPI; before other threads do.
const char* try_out();

// While messages are not on: prepared by the host, and looked at if try_out() waits for it.
template <bool unpack>
int prepare_to_try(PrepareConvertor* next, void* convertor, const void* type, std::size_t count, const void* user);

}  // namespace marshal::convertors
