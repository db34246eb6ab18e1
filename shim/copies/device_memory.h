// Tells whether a buffer of the program may be in the memory of a GPU, where only the host may read and write.
#pragma once

namespace marshal {

// False where the address is certainly in the host's memory: no library for GPUs is in the process, or that library
// says so. Thread safe. Source of the query: NVIDIA, CUDA Driver API, cuPointerGetAttribute.
bool may_be_on_device(const void* address);

}  // namespace marshal
