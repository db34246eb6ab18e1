#include "communicators/pattern_exchange.h"

#include "host/checked.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "rankmap/collective_detection.h"

namespace marshal {

std::optional<StridedBlocks> pattern_by_reductions(MPI_Comm made, int size, int own_parent_rank) {
  using Round = CollectiveDetection::Round;
  static_assert(sizeof(CollectiveDetection::Pair) == 2 * sizeof(int), "as MPI_2INT");
  int own = 0;
  checked("MPI_Comm_rank", pmpi().Comm_rank(made, &own));
  return detect_collectively(size, own, own_parent_rank, [&](Round& round) {
    Round least;
    checked("MPI_Allreduce", pmpi().Allreduce(round.data(), least.data(), static_cast<int>(round.size()),
                                              predefined().type_2int, predefined().op_minloc, made));
    round = least;
    return true;
  });
}

}  // namespace marshal
