// MPI_Bcast by bytes that the engine packed, where every argument is certainly right; all other calls go to the host.
#include "messages/mpich/packed_broadcasts.h"
#include "wrappers/entry/actions.h"
#include "wrappers/entry/sentinels.h"

namespace marshal::action {

int bcast(HostCall& host, void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  broadcasts::Broadcast by_engine;
  bool begun = false;
  HostCall::own([&] {
    begun = matches(Sentinel::bottom, host.binding, buffer) == Match::no &&
            by_engine.begin(buffer, count, type, root, comm);
  });
  return begun ? host.instead([&] { return by_engine.run(); }) : host();
}

}  // namespace marshal::action
