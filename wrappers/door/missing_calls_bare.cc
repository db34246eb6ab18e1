// The side of libmarshal.so in calls that the host lacks (missing_call.h), where it opened no library: the program runs
// bare. Errors have their codes, and no handler learns of them.
#include "host/host_family.h"
#include "wrappers/door/missing_call.h"

namespace marshal {
namespace {

const FamilyConstants& constants_of_host() {
  HostVersion version;
  read_host_version(version);
  return constants_of(find_host_family(version));
}

std::uintptr_t communicator(Language, std::uintptr_t word) { return word; }
bool is_in_place(Language, std::uintptr_t buffer) {
  return buffer == static_cast<std::uintptr_t>(missing_call_side().constants.in_place);
}
void call_error_handler(Language, char, std::uintptr_t, int) {}
// Nobody sees a request or an operation end: arrays stay for good, and there are 64 large operations in all.
void keep_block(Language, std::uintptr_t, void*) {}
void note_operation(Language, std::uintptr_t, int) {}

}  // namespace

const MissingCallSide& missing_call_side() {
  static const MissingCallSide side{constants_of_host(), false,      communicator,  is_in_place,
                                    call_error_handler,  keep_block, note_operation};
  return side;
}

}  // namespace marshal
