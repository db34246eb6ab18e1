// Operations and keyvals: counted where the program made them, until it frees them.
#include "callsites/object_place.h"
#include "host/handles.h"
#include "wrappers/door/large_operations.h"
#include "wrappers/entry/actions.h"
#include "wrappers/entry/enter.h"

namespace marshal {
namespace {

constinit AliveObjects operations, keyvals;

// Keyvals of communicators, datatypes and windows may have the same numbers.
std::uint64_t key_of_keyval(Call call, int keyval) {
  const bool of_type = call == Call::Type_create_keyval || call == Call::Type_free_keyval;
  const bool of_window = call == Call::Win_create_keyval || call == Call::Win_free_keyval;
  const std::uint64_t kind = of_type ? 1 : of_window ? 2 : 0;
  return static_cast<std::uint32_t>(keyval) | kind << 32;
}

}  // namespace

namespace action {

int make_operation(HostCall& host, MPI_Op* op) {
  const int code = host();
  if (code == MPI_SUCCESS) operations.enter(key_of(*op), object_place(name_of(host.call), host.caller));
  return code;
}

int free_operation(HostCall& host, MPI_Op* op) {
  if (op != nullptr) {
    operations.leave(key_of(*op));
    forget_large_operation(key_of(*op));
  }
  return host();
}

int make_keyval(HostCall& host, int* keyval) {
  const int code = host();
  if (code == MPI_SUCCESS)
    keyvals.enter(key_of_keyval(host.call, *keyval), object_place(name_of(host.call), host.caller));
  return code;
}

int free_keyval(HostCall& host, int* keyval) {
  if (keyval != nullptr) keyvals.leave(key_of_keyval(host.call, *keyval));
  return host();
}

}  // namespace action
}  // namespace marshal
