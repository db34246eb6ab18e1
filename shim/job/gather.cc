#include "job/gather.h"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/attempt.h"
#include "base/cpu_time.h"
#include "base/message.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "pages/pages.h"
#include "times/tick_clock.h"

namespace marshal {
namespace {

constexpr int gather_tag = 1, clock_tag = 6;

// The answer to a question for the clock.
struct Reading {
  Ticks ticks;
  double ns_a_tick;
};

// A process asks the one of another node that its record goes to for its clock, before it sends that. The fastest of
// some tries bounds how far the clocks are apart. The other process may come late, or have died: so nobody waits longer
// than 10 s.
void compare_clocks(report::ArrivalSamples& samples, int rank, int with, MPI_Comm communicator) {
  constexpr int tries = 4;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  report::ArrivalSample own{.call = report::ArrivalSample::first_comparison + static_cast<std::uint64_t>(rank),
                            .left = UINT64_MAX,
                            .ns_a_tick = run_clock::rate(),
                            .processes = 2};
  report::ArrivalSample other = own;
  own.rank = static_cast<std::uint32_t>(rank), other.rank = static_cast<std::uint32_t>(with);
  own.node = static_cast<std::uint32_t>(node_map().node_of(rank));
  other.node = static_cast<std::uint32_t>(node_map().node_of(with));
  int is_there = 1;
  for (int i = 0; i < tries && is_there != 0; ++i) {
    Reading reading{};
    MPI_Request request = predefined().request_null;
    if (pmpi().Irecv(&reading, sizeof reading, predefined().type_byte, with, clock_tag, communicator, &request) !=
        MPI_SUCCESS)
      break;
    const Ticks asked = ticks_now();
    int code = pmpi().Send(nullptr, 0, predefined().type_byte, with, clock_tag, communicator);
    is_there = 0;
    while (code == MPI_SUCCESS && is_there == 0 && std::chrono::steady_clock::now() < until)
      code = pmpi().Test(&request, &is_there, MPI_STATUS_IGNORE);
    const Ticks answered = ticks_now();
    if (is_there == 0 && request != predefined().request_null) {
      pmpi().Cancel(&request);
      pmpi().Wait(&request, MPI_STATUS_IGNORE);
    }
    if (is_there == 0 || answered - asked >= own.left - own.entered) continue;
    own.entered = asked, own.left = answered;
    other.entered = other.left = reading.ticks, other.ns_a_tick = reading.ns_a_tick;
  }
  if (own.left != UINT64_MAX) samples.merge(report::ArrivalSamples({own, other}));
}

// Waits for the record of a process, and answers its questions for the clock until it comes. One that has sent its
// record does not wait for an answer any more.
int wait_for_record(int from, MPI_Comm communicator, MPI_Status& status) {
  for (;;) {
    const int code = pmpi().Probe(from, MPI_ANY_TAG, communicator, &status);
    if (code != MPI_SUCCESS || status.MPI_TAG != clock_tag) return code;
    int is_late = 0;
    pmpi().Recv(nullptr, 0, predefined().type_byte, from, clock_tag, communicator, MPI_STATUS_IGNORE);
    pmpi().Iprobe(from, gather_tag, communicator, &is_late, MPI_STATUS_IGNORE);
    if (is_late != 0) continue;
    const Reading reading{ticks_now(), run_clock::rate()};
    pmpi().Send(&reading, sizeof reading, predefined().type_byte, from, clock_tag, communicator);
  }
}

std::optional<report::Record> record_from(std::span<const std::uint8_t> bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, bytes.last(sizeof length).data(), sizeof length);
  bytes = bytes.first(bytes.size() - sizeof length);
  if (length > bytes.size()) return std::nullopt;
  std::optional<report::Record> record = report::from_cbor(bytes.first(bytes.size() - length));
  if (record) record->arrivals = report::ArrivalSamples::from(bytes.last(length));
  return record;
}

void receive_and_merge(Gathered& gathered, int from, MPI_Comm communicator) {
  MPI_Status status;
  int length = 0;
  const auto began = std::chrono::steady_clock::now();
  const auto cpu_began = thread_cpu_time();
  const int code = wait_for_record(from, communicator, status);
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
                        const auto part = record_from(bytes);
                        if (!part) throw std::bad_alloc();  // its sender had no memory for it
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
  const std::size_t before = bytes.size();
  record.arrivals.append_to(bytes);
  const std::uint64_t length = bytes.size() - before;
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(&length);
  bytes.insert(bytes.end(), begin, begin + sizeof length);
  return bytes;
}

Gathered gather(report::Record own, MPI_Comm communicator) {
  Gathered gathered{.record = std::move(own)};
  const int rank = own_rank(communicator), size = size_of(communicator);
  for (int step = 1; step < size; step *= 2) {
    if (rank & step) {
      std::vector<std::uint8_t> bytes;  // empty if it cannot be made: the other side waits for it
      if (!gathered.record.arrivals.all().empty() && node_map().node_of(rank) != node_map().node_of(rank - step))
        attempt([&] { compare_clocks(gathered.record.arrivals, rank, rank - step, communicator); });
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
