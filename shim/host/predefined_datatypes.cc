#include "host/predefined_datatypes.h"

#include <algorithm>

#include "host/next_symbol.h"
#include "host/predefined.h"

namespace marshal {

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
