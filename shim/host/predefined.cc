#include "host/predefined.h"

#include <cstdio>

#include "host/next_symbol.h"

namespace marshal {
namespace {

#ifdef MARSHAL_HOST_OPENMPI
template <class Handle>
bool find_handle(const char* symbol, Handle& handle) {
  handle = static_cast<Handle>(find_host_object(symbol));
  if (handle == nullptr) std::fprintf(stderr, "marshal: the MPI library has no %s; going on without Marshal\n", symbol);
  return handle != nullptr;
}
#define MARSHAL_FIND(name, constant, symbol) find_handle(symbol, detail::predefined_handles.name)
#else
#define MARSHAL_FIND(name, constant, symbol) (detail::predefined_handles.name = (constant), true)
#endif

}  // namespace

bool find_predefined() {
  return true
#define MARSHAL_PREDEFINED(type, name, constant, symbol) &&MARSHAL_FIND(name, constant, symbol)
#include "host/predefined.table"
#undef MARSHAL_PREDEFINED
      ;
}

}  // namespace marshal
