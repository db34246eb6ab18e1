#include "copies/gapped_buffer.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/immortal.h"
#include "base/reused_memory.h"
#include "host/gpu_devices.h"
#include "host/handles.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "types/type_book.h"

namespace marshal {

namespace {

// NVIDIA's library answers without a trace in the program. AMD's and Intel's do not: the first keeps an error that the
// program may ask for, the second wants a context. So all buffers may be on a device of theirs, if there is one: UCX
// and hwloc of Debian 13 load both libraries everywhere. OpenMP and UCX load AMD's lower library alone.
constexpr std::string_view asked_library = "libcuda.so";
constexpr std::array<std::string_view, 3> other_libraries{"libamdhip64.so", "libhsa-runtime64.so", "libze_loader.so"};

using PointerGetAttribute = int(void* value, int attribute, std::uint64_t pointer);
constexpr int memory_type = 2;  // the attribute
constexpr unsigned host_memory = 1;
constexpr int success = 0, invalid_value = 1, not_initialised = 3, no_context = 201;  // CUresult

struct Libraries {
  bool others = false, cuda = false;
  char path[1024] = {};  // of NVIDIA's
};

std::string_view library_name_of(const char* path) {
  const std::string_view text(path);
  return text.substr(text.find_last_of('/') + 1);  // npos + 1 is 0
}

int note_library(dl_phdr_info* info, std::size_t, void* into) {
  auto& found = *static_cast<Libraries*>(into);
  if (info->dlpi_name == nullptr) return 0;
  const std::string_view name = library_name_of(info->dlpi_name), path = info->dlpi_name;
  if (std::ranges::any_of(other_libraries, [&](std::string_view other) { return name.starts_with(other); }))
    found.others = true;
  if (name.starts_with(asked_library) && path.size() < sizeof(found.path)) {
    found.cuda = true;
    *std::ranges::copy(path, found.path).out = '\0';
  }
  return 0;
}

// The number of libraries that were ever loaded.
int note_loads(dl_phdr_info* info, std::size_t, void* into) {
  *static_cast<std::uint64_t*>(into) = info->dlpi_adds;
  return 1;
}

enum class GpuLibraries : std::uint8_t { not_seen, none, ask, unknown };
std::atomic<std::uint64_t> loads_seen{0};
std::atomic<GpuLibraries> libraries_seen{GpuLibraries::not_seen};
std::atomic<PointerGetAttribute*> pointer_get_attribute{nullptr};

GpuLibraries look_at_libraries() {
  Libraries found;
  dl_iterate_phdr(note_library, &found);
  if (found.others && could_open_gpu()) return GpuLibraries::unknown;
  if (!found.cuda) return GpuLibraries::none;
  void* const library = dlopen(found.path, RTLD_LAZY | RTLD_NOLOAD);  // it stays: a function of it may be in use
  void* const query = library != nullptr ? dlsym(library, "cuPointerGetAttribute") : nullptr;
  if (query == nullptr) return GpuLibraries::unknown;
  pointer_get_attribute.store(reinterpret_cast<PointerGetAttribute*>(query), std::memory_order_release);
  return GpuLibraries::ask;
}

GpuLibraries libraries_now() {
  std::uint64_t loads = 0;
  dl_iterate_phdr(note_loads, &loads);
  const GpuLibraries before = libraries_seen.load(std::memory_order_acquire);
  if (before != GpuLibraries::not_seen && loads == loads_seen.load(std::memory_order_relaxed)) return before;
  const GpuLibraries now = look_at_libraries();
  loads_seen.store(loads, std::memory_order_relaxed);
  libraries_seen.store(now, std::memory_order_release);
  return now;
}

// A process without a context has no memory on a device.
bool cuda_may_have(const void* address) {
  unsigned type = 0;
  const int code = pointer_get_attribute.load(std::memory_order_acquire)(&type, memory_type,
                                                                         reinterpret_cast<std::uint64_t>(address));
  if (code == success) return type != host_memory;
  return code != invalid_value && code != not_initialised && code != no_context;
}

}  // namespace

bool may_be_on_device(const void* address) {
  switch (libraries_now()) {
    case GpuLibraries::none:
      return false;
    case GpuLibraries::ask:
      return cuda_may_have(address);
    default:
      return true;
  }
}

namespace {

// Absolute addresses below were meant as displacements.
constexpr std::int64_t least_address = 64 * 1024;

}  // namespace

std::optional<GappedBuffer> find_gapped(const ProgramBuffer& buffer, Way way) {
  if (buffer.count <= 0 || (buffer.user == nullptr && !buffer.is_bottom)) return std::nullopt;
  const Datatype* const type = books::learn_copied_type(buffer.type, buffer.count, way);
  if (type == nullptr) return std::nullopt;
  const datatype::Plan& plan = type->layout->plan;
  if (has_no_gaps(plan, buffer.count)) return std::nullopt;
  GappedBuffer gapped{type->layout,           static_cast<std::byte*>(buffer.is_bottom ? nullptr : buffer.user),
                      buffer.count,           0,
                      predefined().type_byte, 0};
  std::int64_t reach;
  if (__builtin_mul_overflow(gapped.count, plan.size(), &gapped.bytes) ||
      __builtin_mul_overflow(gapped.count - 1, plan.extent(), &reach) || gapped.bytes == 0)
    return std::nullopt;
  const std::int64_t first = plan.touched().first + std::min<std::int64_t>(reach, 0);
  if (buffer.is_bottom && first < least_address) return std::nullopt;
  const bool has_one_element = type->element_key != 0;
  const std::int64_t elements = gapped.bytes / (has_one_element ? type->element : 1);
  if (elements > std::numeric_limits<int>::max() || may_be_on_device(gapped.user + plan.touched().first))
    return std::nullopt;
  gapped.elements = static_cast<int>(elements);
  if (has_one_element) gapped.element = handle_of<MPI_Datatype>(type->element_key);
  return gapped;
}

std::int64_t bytes_in(const MPI_Status& status) {
  MPI_Count bytes = 0;
  const int code = pmpi().Get_elements_x(&status, predefined().type_byte, &bytes);
  return code == MPI_SUCCESS ? std::max<MPI_Count>(bytes, 0) : 0;
}

namespace {

std::atomic<std::size_t> most_bytes_lent{0};

ReusedMemory& copy_pool() {
  static Immortal<ReusedMemory> the(most_bytes_lent.load(std::memory_order_relaxed));
  return *the;
}

}  // namespace

void PackedCopy::bound_memory(std::size_t bytes) { most_bytes_lent.store(bytes, std::memory_order_relaxed); }
std::size_t PackedCopy::most_memory() { return most_bytes_lent.load(std::memory_order_relaxed); }
void PackedCopy::free_unused_memory() { copy_pool().free_unused(); }

PackedCopy::PackedCopy(std::int64_t bytes)
    : data_(static_cast<std::byte*>(copy_pool().take(static_cast<std::size_t>(bytes)))) {}

PackedCopy::~PackedCopy() {
  if (data_ != nullptr) copy_pool().give_back(data_);
}

}  // namespace marshal
