#include "host/leave_together.h"

#include <chrono>
#include <thread>

#include "host/own_rank.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/ucx_endpoints.h"

namespace marshal {
namespace {

constexpr int tag = 2;
// A message of rank 0 reaches the last rank long before; no rank looks at its connections meanwhile.
constexpr std::chrono::milliseconds until_all_have_heard{5};

}  // namespace

void leave_together(MPI_Comm all) {
  if (!endpoints::some_over_tcp()) return;
  // Along the tree of gather(), from its root.
  const int rank = own_rank(all), size = size_of(all);
  char word = 0;
  int step = 1;
  for (; step < size && (rank & step) == 0; step *= 2) continue;
  if (rank != 0) pmpi().Recv(&word, 1, predefined().type_byte, rank - step, tag, all, MPI_STATUS_IGNORE);
  for (step /= 2; step > 0; step /= 2)
    if (rank + step < size) pmpi().Send(&word, 1, predefined().type_byte, rank + step, tag, all);
  std::this_thread::sleep_for(until_all_have_heard);
}

}  // namespace marshal
