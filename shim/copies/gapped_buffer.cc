#include "copies/gapped_buffer.h"

#include <algorithm>
#include <limits>

#include "copies/device_memory.h"
#include "host/handles.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "types/type_book.h"

namespace marshal {
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

}  // namespace marshal
