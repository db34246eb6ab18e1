// Marshal's own counts, for any tool that reads PAPI. Values are of this process, taken without a lock, so a tool may
// ask for them at any time.
#include "base/attempt.h"
#include "communicators/communicators.h"
#include "counters/papi.h"
#include "wrappers/entry/thread_state.h"

namespace marshal {
namespace {

template <Tally tally>
long long total(void*) {
  return static_cast<long long>(total_counts()[tally]);
}

template <std::uint64_t books::CommunicatorTotals::*which>
long long of_communicators(void*) {
  return static_cast<long long>(books::communicator_totals().*which);
}

using Totals = books::CommunicatorTotals;
constexpr counters::SoftwareEvent events[] = {
    {"communicators_made", "communicators that this process became a member of", false,
     of_communicators<&Totals::made>},
    {"communicators_alive", "of these, those not freed", true, of_communicators<&Totals::alive>},
    {"map_bytes", "bytes of the rank maps of the communicators that are alive", true,
     of_communicators<&Totals::map_bytes>},
    {"ranks_translated", "ranks translated between groups by Marshal", false, total<Tally::ranks_translated>},
    {"reordered_grids", "Cartesian grids in which Marshal moved processes", false, total<Tally::reordered_grids>},
    {"packs", "calls of MPI_Pack done by Marshal's engine", false, total<Tally::packs>},
    {"packed_bytes", "bytes packed by them", false, total<Tally::packed_bytes>},
    {"unpacks", "calls of MPI_Unpack done by Marshal's engine", false, total<Tally::unpacks>},
    {"unpacked_bytes", "bytes unpacked by them", false, total<Tally::unpacked_bytes>},
};

// When the library is loaded: a program may initialise PAPI before MPI.
[[gnu::constructor]] void export_own_counts() {
  attempt_to_the_end([] { counters::export_software_events(events); });
}

}  // namespace
}  // namespace marshal
