#include "host/predefined.h"

#include <algorithm>
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

std::vector<MPI_Datatype> predefined_datatypes() {
  const Predefined& own = predefined();
  std::vector<MPI_Datatype> types{own.type_byte, own.type_int, own.type_int64, own.type_2int};
#if defined MARSHAL_HOST_OPENMPI
#define MARSHAL_TYPE(constant, symbol) types.push_back(static_cast<MPI_Datatype>(find_host_object(symbol)));
#include "host/predefined_datatypes.table"
#elif defined MARSHAL_HOST_MPICH
#define MARSHAL_TYPE(constant, symbol) types.push_back(constant);
#include "host/predefined_datatypes.table"
#endif
  std::ranges::sort(types);
  types.erase(std::unique(types.begin(), types.end()), types.end());
  std::erase_if(types, [&](MPI_Datatype type) { return type == MPI_Datatype{} || type == own.type_null; });
  return types;
}

}  // namespace marshal
