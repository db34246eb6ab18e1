#include "wrappers/door/missing_call.h"

namespace marshal {
namespace {

bool is_mpi_running() {
  int has_begun = 0, has_ended = 0;
  return ask_host("PMPI_Initialized", &has_begun) == 0 && ask_host("PMPI_Finalized", &has_ended) == 0 &&
         has_begun != 0 && has_ended == 0;
}

}  // namespace

std::uintptr_t fail_missing_call(const ErrorPlace& place, const std::uintptr_t* words, int code) {
  if (is_mpi_running())
    missing_call_side().call_error_handler(place.language, place.kind, place.object < 0 ? 0 : words[place.object],
                                           code);
  return answer_missing_call(place, words, code);
}

std::uintptr_t answer_missing_call(const ErrorPlace& place, const std::uintptr_t* words, int code) {
  if (place.ierror >= 0)
    if (int* const ierror = reinterpret_cast<int*>(words[place.ierror])) *ierror = code;
  return static_cast<unsigned>(code);
}

}  // namespace marshal
