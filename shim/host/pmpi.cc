#include "host/pmpi.h"

#include <cstdio>

#include "host/next_symbol.h"

namespace marshal {
namespace {

Pmpi table;

template <class Function>
bool find(const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(find_host_symbol(symbol));
  if (function == nullptr)
    std::fprintf(stderr, "marshal: the MPI library has no %s; going on without Marshal\n", symbol);
  return function != nullptr;
}

}  // namespace

const Pmpi& pmpi() { return table; }

bool find_pmpi() {
  return true
#define MARSHAL_PMPI(name) &&find("PMPI_" #name, table.name)
#include "host/pmpi.table"
#undef MARSHAL_PMPI
      ;
}

}  // namespace marshal
