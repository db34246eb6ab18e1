#include "callsites/commit_sites.h"

#include <deque>
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
  std::vector<CallFrames> frames;        // of site 1, 2, …
  std::deque<report::CallSite> as_told;  // the same, for the report; empty until asked for
};

Sites& sites() {
  static Immortal<Sites> the;
  return *the;
}

}  // namespace

CommitSite commit_site(const void* caller, bool is_first) {
  const CallFrames frames = frames_above(caller, is_first ? CallFrames::most : 1);
  if (frames.count == 0) return 0;
  Sites& the = sites();
  const std::lock_guard lock(the.mutex);
  if (const auto known = the.numbers.find(frames); known != the.numbers.end()) return known->second;
  if (the.frames.size() == most_sites) return 0;
  the.frames.push_back(frames);
  the.as_told.emplace_back();
  return the.numbers[frames] = static_cast<CommitSite>(the.frames.size());
}

const report::CallSite& call_site_of(CommitSite number) {
  static const Immortal<report::CallSite> unknown;
  if (number == 0) return *unknown;
  Sites& the = sites();
  const std::lock_guard lock(the.mutex);
  report::CallSite& told = the.as_told[number - 1u];
  if (told.call.empty()) told = site_of("MPI_Type_commit", the.frames[number - 1u]);
  return told;
}

}  // namespace marshal
