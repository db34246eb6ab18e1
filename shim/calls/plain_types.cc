#include "calls/plain_types.h"

#include <algorithm>
#include <vector>

#include "base/immortal.h"
#include "host/handles.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "types/type_book.h"
#include "types/unread_types.h"

namespace marshal::calls {
namespace {

struct Plain {
  std::uint64_t key;
  std::int64_t size;
};

std::vector<Plain>& plain_types() {
  static Immortal<std::vector<Plain>> the;
  return *the;
}

}  // namespace

void note_plain_types() {
  std::vector<Plain>& all = plain_types();
  all.clear();
  for (const MPI_Datatype type : predefined_datatypes()) {
    MPI_Count size = 0;
    MPI_Aint least = 0, extent = 0;
    if (pmpi().Type_size_x(type, &size) == MPI_SUCCESS && size > 0 &&
        pmpi().Type_get_extent(type, &least, &extent) == MPI_SUCCESS && least == 0 && extent == size)
      all.push_back({key_of(type), size});
  }
  std::ranges::sort(all, {}, &Plain::key);
}

std::int64_t plain_size(MPI_Datatype type) {
  const std::vector<Plain>& all = plain_types();
  const std::uint64_t key = key_of(type);
  const auto at = std::ranges::lower_bound(all, key, {}, &Plain::key);
  return at != all.end() && at->key == key ? at->size : 0;
}

bool is_certainly_a_type(MPI_Datatype type) {
  return plain_size(type) != 0 || books::find_unread(key_of(type)) != nullptr;
}

}  // namespace marshal::calls
