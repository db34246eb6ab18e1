#include "host/pmpi.h"

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/launcher.h"
#include "base/message.h"
#include "host/next_symbol.h"

namespace marshal {
namespace {

Pmpi functions;

template <class Function>
bool find_function(const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(find_host_symbol(symbol));
  return function != nullptr;
}

}  // namespace

const Pmpi& pmpi() { return functions; }

bool find_pmpi() {
  std::string missing;
#define MARSHAL_PMPI(name) \
  if (!find_function("PMPI_" #name, functions.name)) missing += " PMPI_" #name;
#define MARSHAL_PMPI_IF_THERE(result, name, ...) find_function("PMPI_" #name, functions.name);
#include "host/pmpi.table"
#undef MARSHAL_PMPI
#undef MARSHAL_PMPI_IF_THERE
  if (missing.empty()) return true;
  if (first_of_job())
    say(Level::warning, "the MPI library lacks what Marshal needs, so it goes on without Marshal:{}", missing);
  return false;
}

void end_job(MPI_Comm everybody, int status) {
  constexpr std::chrono::milliseconds to_be_read(300);
  std::this_thread::sleep_for(to_be_read);
  pmpi().Abort(everybody, status);
  std::_Exit(status);
}

}  // namespace marshal
