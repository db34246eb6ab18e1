#include "messages/mpich/leave_together.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "host/pmpi.h"
#include "host/predefined.h"
#include "messages/mpich/ucx_endpoints.h"

namespace marshal {
namespace {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::nanoseconds;

constexpr int leaving_tag = 2;
// In which the last rank has heard from rank 0: as long as so many meetings of all take.
constexpr int meetings = 4;
constexpr Nanoseconds least = std::chrono::milliseconds(2), most = std::chrono::milliseconds(200);

}  // namespace

void leave_together(MPI_Comm all) {  // AGREEMENT: how long ranks wait at the end
  if (!endpoints::job_uses_tcp()) return;
  const Pmpi& p = pmpi();
  const auto meet = [&] {
    const int mine = 0;
    int highest = 0;
    p.Allreduce(&mine, &highest, 1, predefined().type_int, predefined().op_max, all);
  };
  meet();  // some come later than others
  const auto began = Clock::now();
  meet();
  std::int64_t wait = std::clamp<Nanoseconds>(meetings * (Clock::now() - began), least, most).count();
  // Rank 0's, along the tree of gather(), from its root.
  const int rank = own_rank(all), size = size_of(all);
  int step = 1;
  for (; step < size && (rank & step) == 0; step *= 2) continue;
  if (rank != 0) p.Recv(&wait, 1, predefined().type_int64, rank - step, leaving_tag, all, MPI_STATUS_IGNORE);
  for (step /= 2; step > 0; step /= 2)
    if (rank + step < size) p.Send(&wait, 1, predefined().type_int64, rank + step, leaving_tag, all);
  std::this_thread::sleep_for(Nanoseconds(wait));
}

}  // namespace marshal
