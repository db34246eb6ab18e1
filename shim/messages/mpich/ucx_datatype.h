// UCX's generic datatypes as numbers: a number of that class is the address of a record, with the class in its low
// bits. UCX keeps that to itself and promises nothing: it was so in 1.13 and in the older forms that were read.
// generic_types.h looks at start whether the context and all functions of a datatype stand where this says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/relaxed.h"
#include "base/thread_records.h"
#include "host/host_hooks.h"

namespace marshal::ucx {

// ucp_generic_dt_ops_t, as UCX documents it.
struct GenericOperations {
  void* (*start_pack)(void* context, const void* user, std::size_t count);
  void* (*start_unpack)(void* context, void* user, std::size_t count);
  std::size_t (*packed_size)(void* state);
  std::size_t (*pack)(void* state, std::size_t offset, void* packed, std::size_t room);
  UcsStatus (*unpack)(void* state, std::size_t offset, const void* packed, std::size_t bytes);
  void (*finish)(void* state);
  bool operator==(const GenericOperations&) const = default;
};

// ucp_dt_generic_t, which UCX allocates.
struct GenericRecord {
  void* context;
  GenericOperations operations;
};

inline constexpr std::uint64_t class_bits = 7, generic_class = 7;
constexpr bool is_generic(std::uint64_t datatype) { return (datatype & class_bits) == generic_class; }

// The number must be one that UCX gave out.
inline GenericRecord& record_of_generic(std::uint64_t datatype) {
  return *reinterpret_cast<GenericRecord*>(static_cast<std::uintptr_t>(datatype & ~class_bits));
}
// The same; null where the datatype is of another class.
inline GenericRecord* generic_record(std::uint64_t datatype) {
  return is_generic(datatype) ? &record_of_generic(datatype) : nullptr;
}

// The parameters that a program gives UCX with a message, besides its buffer: ucp_request_param_t, as UCX documents it
// since 1.9. It has grown at its end since.
struct Parameters {
  std::uint32_t mask, flags;  // mask: which of the others count, and how it is to be done
  void* request;
  void* callback;
  std::uint64_t datatype;
  void* user_data;
};

enum : std::uint32_t {
  with_request = 1U << 0,
  with_callback = 1U << 1,
  with_user_data = 1U << 2,
  with_datatype = 1U << 3,
  with_flags = 1U << 4,
  ends_by_callback = 1U << 16,
  in_series = 1U << 19,
};

inline bool has_generic_datatype(const Parameters& given) {
  return (given.mask & with_datatype) != 0 && is_generic(given.datatype);
}

// True if nothing else is given. Then ParametersOfBytes can be made.
inline bool is_understood(const Parameters& given) {
  constexpr std::uint32_t known =
      with_request | with_callback | with_user_data | with_datatype | with_flags | in_series;
  return (given.mask & ~known) == 0;
}

// The same without a datatype, which then is bytes.
struct ParametersOfBytes : Parameters {
  explicit ParametersOfBytes(const Parameters& given) : Parameters(given) {
    mask &= ~with_datatype;
    datatype = 0;
  }
  std::array<std::uint64_t, 8> later{};  // what has been added since, and the mask does not name
};

}  // namespace marshal::ucx

// UCX's generic datatypes of types that were freed. Programs make, use and free types in loops. UCX takes longer to
// allocate a record and to give it back than MPICH to commit a small type. So each thread keeps some for the types that
// it commits next. Thread safe.
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
