#include "job/gather.h"

#include <chrono>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/attempt.h"
#include "base/cpu_time.h"
#include "base/message.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "pages/pages.h"

namespace marshal {
namespace {

constexpr int gather_tag = 1;

void receive_and_merge(Gathered& gathered, int from, MPI_Comm communicator) {
  MPI_Status status;
  int length = 0;
  const auto began = std::chrono::steady_clock::now();
  const auto cpu_began = thread_cpu_time();
  const int code = pmpi().Probe(from, gather_tag, communicator, &status);
  gathered.waited += std::chrono::steady_clock::now() - began;
  gathered.waited_cpu += thread_cpu_time() - cpu_began;
  const bool merged = code == MPI_SUCCESS && attempt([&] {
                        checked("MPI_Get_count", pmpi().Get_count(&status, predefined().type_byte, &length));
                        std::vector<std::uint8_t> bytes;
                        // Without memory for it the message is truncated, so that its sender does not wait: MPI's error
                        // is the only trace.
                        if (!attempt([&] { bytes.resize(static_cast<std::size_t>(length)); })) length = 0;
                        checked("MPI_Recv", pmpi().Recv(bytes.data(), length, predefined().type_byte, from, gather_tag,
                                                        communicator, MPI_STATUS_IGNORE));
                        std::span<const std::uint8_t> rest(bytes);
                        auto arrivals = report::ArrivalSamples::taken_from(rest);
                        auto part = report::from_cbor(rest);
                        if (!part) throw std::bad_alloc();  // its sender had no memory for it
                        part->arrivals = std::move(arrivals);
                        report::merge(gathered.record, *part);
                      });
  if (!merged)
    attempt([&] {
      gathered.record.warn("the record of some ranks is missing here: it arrived damaged, or memory ran out");
    });
}

}  // namespace

std::vector<std::uint8_t> message_of(const report::Record& record) {
  std::vector<std::uint8_t> bytes = report::to_cbor(record);
  record.arrivals.append_to(bytes);
  return bytes;
}

Gathered gather(report::Record own, MPI_Comm communicator) {
  Gathered gathered{.record = std::move(own)};
  const int rank = own_rank(communicator), size = size_of(communicator);
  for (int step = 1; step < size; step *= 2) {
    if (rank & step) {
      std::vector<std::uint8_t> bytes;  // empty if it cannot be made: the other side waits for it
      attempt([&] { bytes = message_of(gathered.record); });
      if (pmpi().Send(bytes.data(), static_cast<int>(bytes.size()), predefined().type_byte, rank - step, gather_tag,
                      communicator) != MPI_SUCCESS)
        say_line(Level::warning, "MPI_Send failed: the record of some ranks is missing in the report");
      break;
    }
    if (rank + step < size) receive_and_merge(gathered, rank + step, communicator);
  }
  return gathered;
}

}  // namespace marshal
