// UCX's generic datatypes of types that were freed. Programs make, use and free types in loops. UCX takes longer to
// allocate a record and to give it back than MPICH to commit a small type. So each thread keeps some for the types that
// it commits next. Thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/relaxed.h"
#include "base/thread_records.h"
#include "messages/mpich/ucx_datatype.h"

namespace marshal::spare_datatypes {

namespace detail {
struct SpareDatatypes : ThreadRecord<SpareDatatypes> {
  std::array<std::uint64_t, 16> datatypes{};
  std::size_t count = 0;
};
inline thread_local constinit SpareDatatypes* spares [[gnu::tls_model("initial-exec")]] = nullptr;
inline constinit ThreadRecords<SpareDatatypes> all_spares;
}  // namespace detail

// True once a record is found to be as ucx_datatype.h says. Before that none is kept.
inline constinit Relaxed<bool> are_safe;

// A spare datatype, with this context and these operations from now on; 0 if the thread has none. Operations whose
// first function is the same are taken for the same.
[[gnu::always_inline]] inline std::uint64_t take(void* context, const ucx::GenericOperations& operations) {
  detail::SpareDatatypes* const own = detail::spares;
  if (own == nullptr || own->count == 0) return 0;
  const std::uint64_t datatype = own->datatypes[--own->count];
  ucx::GenericRecord& record = ucx::record_of_generic(datatype);
  record.context = context;
  if (record.operations.start_pack != operations.start_pack) [[unlikely]]
    record.operations = operations;
  return datatype;
}

// False where it is not kept: then UCX must destroy it.
[[gnu::always_inline]] inline bool keep(std::uint64_t datatype) {
  detail::SpareDatatypes* own = detail::spares;
  if (own == nullptr) [[unlikely]] {
    if (!are_safe || (own = detail::all_spares.take(detail::spares)) == nullptr) return false;
  }
  if (own->count == own->datatypes.size()) return false;
  own->datatypes[own->count++] = datatype;
  return true;
}

}  // namespace marshal::spare_datatypes
