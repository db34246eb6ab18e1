// The parameters that a program gives UCX with a message, besides its buffer: ucp_request_param_t, as UCX documents it
// since 1.9. It has grown at its end since.
#pragma once

#include <array>
#include <cstdint>

#include "messages/mpich/ucx_datatype.h"

namespace marshal::ucx {

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
