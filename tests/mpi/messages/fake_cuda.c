// Stands for NVIDIA's library: says of one range of addresses that it is memory of a device.
#include <stdint.h>

static uintptr_t first, end;

void fake_device(const void* from, const void* to) {
  first = (uintptr_t)from;
  end = (uintptr_t)to;
}

int cuPointerGetAttribute(void* value, int attribute, uint64_t pointer) {
  enum { memory_type = 2, host_memory = 1, device_memory = 2, success = 0, invalid_value = 1 };
  if (attribute != memory_type) return invalid_value;
  *(unsigned*)value = pointer >= first && pointer < end ? device_memory : host_memory;
  return success;
}
