#include "communicators/collectives_made.h"

#include "base/thread_records.h"

namespace marshal {
namespace {

struct CollectivesOfThread : ThreadRecord<CollectivesOfThread> {
  CollectiveCounts counts;
};
constinit ThreadRecords<CollectivesOfThread> made_by_threads;
thread_local constinit CollectivesOfThread* made_by_this_thread [[gnu::tls_model("initial-exec")]] = nullptr;

CollectivesOfThread& collectives_of_this_thread() {
  if (made_by_this_thread != nullptr) return *made_by_this_thread;
  if (CollectivesOfThread* const taken = made_by_threads.take(made_by_this_thread)) return *taken;
  static constinit CollectivesOfThread common;  // no memory: all such threads share one, whose counts may be inexact
  return common;
}

}  // namespace

void count_collective(const CollectiveName& name, std::uint64_t bytes) noexcept {
  collectives_of_this_thread().counts.add(name, bytes);
}

std::vector<CollectivesMade> collectives_made() {
  std::vector<CollectivesMade> all;
  made_by_threads.each([&](const CollectivesOfThread& thread) {
    thread.counts.each([&](const CollectiveName& name, std::uint64_t calls, std::uint64_t bytes) {
      all.push_back({name, calls, bytes});
    });
  });
  return all;
}

}  // namespace marshal
