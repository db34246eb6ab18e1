#include "host/gather.h"

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/cpu_time.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "report/record_json.h"

namespace marshal {
namespace {

constexpr int tag = 1;

void receive_and_merge(Gathered& gathered, int from, MPI_Comm communicator) {
  MPI_Status status;
  int length = 0;
  const auto began = std::chrono::steady_clock::now();
  const auto cpu_began = thread_cpu_time();
  pmpi().Probe(from, tag, communicator, &status);
  gathered.waited += std::chrono::steady_clock::now() - began;
  gathered.waited_cpu += thread_cpu_time() - cpu_began;
  pmpi().Get_count(&status, predefined().type_byte, &length);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(length));
  pmpi().Recv(bytes.data(), length, predefined().type_byte, from, tag, communicator, MPI_STATUS_IGNORE);
  if (const auto part = report::from_cbor(bytes))
    report::merge(gathered.record, *part);
  else
    gathered.record.warn("the record of some ranks arrived damaged and is missing here");
}

}  // namespace

Gathered gather(report::Record own, MPI_Comm communicator) {
  Gathered gathered{.record = std::move(own)};
  int rank = 0, size = 0;
  pmpi().Comm_rank(communicator, &rank);
  pmpi().Comm_size(communicator, &size);
  for (int step = 1; step < size; step *= 2) {
    if (rank & step) {
      const std::vector<std::uint8_t> bytes = report::to_cbor(gathered.record);
      pmpi().Send(bytes.data(), static_cast<int>(bytes.size()), predefined().type_byte, rank - step, tag, communicator);
      break;
    }
    if (rank + step < size) receive_and_merge(gathered, rank + step, communicator);
  }
  return gathered;
}

}  // namespace marshal
