// The memory that the program's allocator has handed out.
#pragma once

#include <cstdint>
#include <string>

namespace marshal {

// Bytes in use in glibc's heaps, all threads together; a walk over the free lists, so not for frequent calls.
std::uint64_t heap_in_use();

// Why that number means nothing in this process; empty if it does mean something.
const std::string& heap_unavailable();

}  // namespace marshal
