#include "reordering/learned_grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/immortal.h"
#include "host/node_map.h"
#include "host/process_groups.h"
#include "profile/learning.h"
#include "profile/profile_file.h"
#include "reordering/run_key.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

using profile::LearnedGrid;

struct Known {
  // Constant from init on.
  std::vector<LearnedGrid> grids;
  std::optional<profile::MovedRun> moved_run;
  std::string path;  // on rank 0; empty: nothing is read or written
};
Immortal<Known> known;

// This run; its grids differ in `site` and `grid` only.
LearnedGrid about_program() {
  LearnedGrid self{run_key()};
  self.directories = {run_key().directory};
  self.processes = process_groups().world_size();
  return self;
}

mapping::Grid grid_of_key(const report::GridKey& key) {
  const std::vector<int> dims(key.dims.begin(), key.dims.end()), periods(key.periodic.begin(), key.periodic.end());
  return mapping::make_grid(dims, periods);
}

// The sums over all rows of one grid.
struct Seen {
  LearnedGrid grid;
  report::GridTraffic traffic;
  bool by_profile = false;  // processes were moved by what an earlier run taught
};

std::vector<Seen> seen_grids(const report::Record& record) {
  std::vector<Seen> all;
  LearnedGrid self = about_program();
  self.job = record.job.job_id;
  self.learned = record.job.started;
  record.grids.each([&](const report::GridKey& key, const report::Grid& row) {
    if (key.dims.empty() || key.dims.size() > profile::most_dimensions) return;
    if (row.traffic.processes == 0 || row.traffic.bytes == 0) return;
    self.site = profile::as_kept(report::place_text(key.site));
    self.grid = grid_of_key(key);
    auto same = std::find_if(all.begin(), all.end(), [&](const Seen& seen) { return seen.grid.same_grid(self); });
    if (same == all.end()) same = all.insert(all.end(), Seen{self, {}, false});
    same->traffic.merge(row.traffic);
    same->by_profile |= key.moved && row.weights == "learned";
  });
  return all;
}

}  // namespace

std::string profile_of_program() {
  known->path = profile_of_run();
  if (known->path.empty()) return {};
  profile::Profile found = profile::read_profile(known->path);
  say_of_profiles(found.problem);
  if (!found.may_write) known->path.clear();
  profile::Contents here{profile::known_of_program(found.grids, about_program()), {}};
  for (const profile::MovedRun& run : found.moved_runs)
    if (run.is_alike(run_key())) here.moved_runs.push_back(run);
  return here == profile::Contents() ? std::string() : profile::to_text(here);
}

void adopt_profile(const std::string& text) {
  std::string why_not;
  auto contents = profile::from_text(text, why_not);
  if (!contents) return;
  known->grids = std::move(contents->grids);
  if (!contents->moved_runs.empty()) known->moved_run = contents->moved_runs.front();
}

const profile::MovedRun* found_moved_run() { return known->moved_run ? &*known->moved_run : nullptr; }

bool has_learned_grids() { return !known->grids.empty(); }

int find_learned_grid(const CallFrames& frames, const mapping::Grid& grid) {
  const std::string site = profile::as_kept(report::place_text(site_of("MPI_Cart_create", frames)));
  for (std::size_t i = 0; i < known->grids.size(); ++i)
    if (known->grids[i].site == site && known->grids[i].grid == grid) return static_cast<int>(i);
  return -1;
}

int find_learned_grid(const mapping::Grid& grid) {
  int found = -1;
  for (std::size_t i = 0; i < known->grids.size(); ++i) {
    if (known->grids[i].grid != grid) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(i);
  }
  return found;
}

LearnedStencil learned_stencil(int number) {
  const LearnedGrid& grid = known->grids[static_cast<std::size_t>(number)];
  const int dimensions = grid.grid.ndims();
  LearnedStencil found{mapping::parse_stencil(grid.stencil, dimensions),
                       {},
                       grid.stencil,
                       fmt::format("job {}, {}", grid.job, grid.learned),
                       grid.keep_order};
  for (const std::string& other : grid.earlier) found.earlier.push_back(mapping::parse_stencil(other, dimensions));
  return found;
}

bool learns_grids() {
  return settings().traffic != Traffic::off && settings().asks_host && !settings().is(Option::profile, "off") &&
         node_map().nodes() > 1;
}

std::string keep_learned_grids(const report::Record& record) {
  if (known->path.empty() || !settings().asks_host) return {};
  std::vector<LearnedGrid> news;
  for (Seen& seen : seen_grids(record)) {
    profile::SentByDisplacement sent_along;
    for (const auto* const table : {&seen.traffic.near, &seen.traffic.far})
      for (const auto& [displacement, sent] : *table) sent_along[displacement] = {sent.processes, sent.bytes};
    const auto stencil = profile::learned_stencil(seen.grid.grid, sent_along, seen.traffic.elsewhere);
    if (!stencil) continue;
    seen.grid.stencil = *stencil;
    // A grid that others lent says nothing of the runs here.
    const auto before = std::find_if(known->grids.begin(), known->grids.end(), [&](const LearnedGrid& grid) {
      return grid.same_grid(seen.grid) && !grid.directories.empty();
    });
    if (before != known->grids.end()) {
      const report::PlacedBytes& between = seen.traffic.between_nodes;
      seen.grid = profile::after_another_run(*before, std::move(seen.grid),
                                             seen.by_profile && between.in_force > between.given);
    }
    news.push_back(std::move(seen.grid));
  }
  if (news.empty()) return {};
  const std::string problem = profile::add_to_profile(known->path, news);
  say_of_profiles(problem);
  return problem.empty() ? known->path : std::string();
}

}  // namespace marshal
