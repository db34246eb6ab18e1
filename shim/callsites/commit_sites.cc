#include "callsites/commit_sites.h"

#include <map>
#include <mutex>
#include <vector>

#include "base/immortal.h"
#include "callsites/call_frames.h"

namespace marshal {
namespace {

constexpr std::size_t most_sites = 4096;

struct Sites {
  std::mutex mutex;
  std::map<CallFrames, CommitSite> numbers;
  std::vector<CallFrames> frames;  // of site 1, 2, …
};

Sites& sites() {
  static Immortal<Sites> the;
  return *the;
}

}  // namespace

CommitSite commit_site(const void* caller) {
  const CallFrames frames = frames_above(caller);
  if (frames.count == 0) return 0;
  Sites& the = sites();
  const std::lock_guard lock(the.mutex);
  if (const auto known = the.numbers.find(frames); known != the.numbers.end()) return known->second;
  if (the.frames.size() == most_sites) return 0;
  the.frames.push_back(frames);
  return the.numbers[frames] = static_cast<CommitSite>(the.frames.size());
}

report::CallSite call_site_of(CommitSite number) {
  if (number == 0) return {};
  Sites& the = sites();
  const std::lock_guard lock(the.mutex);
  return site_of("MPI_Type_commit", the.frames[number - 1u]);
}

}  // namespace marshal
