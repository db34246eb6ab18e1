#include "host/collectives_made.h"

#include "base/thread_records.h"

namespace marshal {
namespace {

struct OfThread : ThreadRecord<OfThread> {
  CollectiveCounts counts;
};
constinit ThreadRecords<OfThread> all_threads;
thread_local constinit OfThread* of_this_thread [[gnu::tls_model("initial-exec")]] = nullptr;

OfThread& own() {
  if (of_this_thread != nullptr) return *of_this_thread;
  if (OfThread* const taken = all_threads.take(of_this_thread)) return *taken;
  static constinit OfThread common;  // no memory: all such threads share one, whose counts may be inexact
  return common;
}

}  // namespace

void count_collective(const CollectiveName& name, std::uint64_t bytes) noexcept { own().counts.add(name, bytes); }

std::vector<CollectivesMade> collectives_made() {
  std::vector<CollectivesMade> all;
  all_threads.each([&](const OfThread& thread) {
    thread.counts.each([&](const CollectiveName& name, std::uint64_t calls, std::uint64_t bytes) {
      all.push_back({name, calls, bytes});
    });
  });
  return all;
}

}  // namespace marshal
