#include "wrappers/entry/count_requests.h"

#include <algorithm>

#include "wrappers/entry/call_words.h"

namespace marshal {
namespace {

template <class Request>
std::uint64_t count_others(const Request* requests, std::int64_t length, Request null) {
  return static_cast<std::uint64_t>(
      std::count_if(requests, requests + std::max<std::int64_t>(length, 0), [&](Request one) { return one != null; }));
}

}  // namespace

std::int64_t length_of_array(Binding binding, const Word* words) noexcept {
  return words[1] == 0 ? 0 : WordReader{binding, words}.number(0, false);
}

std::uint64_t requests_in_array(Binding binding, Word array, std::int64_t length) noexcept {
  return binding == Binding::c ? count_others(from_word<const MPI_Request*>(array), length, null_request())
                               : count_others(from_word<const MPI_Fint*>(array), length, null_request_of_fortran());
}

}  // namespace marshal
