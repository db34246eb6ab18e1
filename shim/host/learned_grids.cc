#include "host/learned_grids.h"

#include <fmt/format.h>
#include <link.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/immortal.h"
#include "base/message.h"
#include "base/process_facts.h"
#include "host/node_map.h"
#include "host/process_groups.h"
#include "profile/learning.h"
#include "profile/profile_file.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

using profile::LearnedGrid;

struct Known {
  std::vector<LearnedGrid> grids;  // constant from init on
  std::string path;                // on rank 0; empty: nothing is read or written
};
Immortal<Known> known;

// The linker's note in the program itself, the first object of the process.
int read_build_id(dl_phdr_info* object, std::size_t, void* result) {
  auto& build = *static_cast<std::string*>(result);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const unsigned char*>(object->dlpi_addr + header.p_vaddr);
    const unsigned char* const end = at + header.p_memsz;
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const std::size_t name = (note.n_namesz + 3U) & ~3U, size = (note.n_descsz + 3U) & ~3U;
      if (static_cast<std::size_t>(end - at) < sizeof note + name + size) break;
      const unsigned char* const id = at + sizeof note + name;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(at + sizeof note, "GNU", 4) == 0)
        for (std::size_t k = 0; k < note.n_descsz && k < 32; ++k) {
          constexpr char digits[] = "0123456789abcdef";
          build += digits[id[k] >> 4];
          build += digits[id[k] & 15];
        }
      at += sizeof note + name + size;
    }
  }
  return 1;  // no further object
}

std::string build_id() {
  std::string build;
  dl_iterate_phdr(read_build_id, &build);
  return build;
}

// The words behind the program's name.
std::string words_of_program() {
  std::string words;
  const ProgramFacts program = program_facts();
  for (std::size_t i = 1; i < program.arguments.size(); ++i) words += (i == 1 ? "" : " ") + program.arguments[i];
  return words;
}

// This program in this job; its grids differ in `site` and `grid` only.
LearnedGrid about_program() {
  LearnedGrid self;
  const std::string words = words_of_program();
  self.program = program_facts().name;
  self.build = build_id();
  self.arguments = fmt::format("{:016x}", XXH3_64bits(words.data(), words.size()));
  self.command = words.substr(0, 160);
  self.processes = process_groups().world_size();
  return self;
}

mapping::Grid grid_of(const report::GridKey& key) {
  const std::vector<int> dims(key.dims.begin(), key.dims.end()), periods(key.periodic.begin(), key.periodic.end());
  return mapping::make_grid(dims, periods);
}

// What rows of one grid add up to.
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
    if (key.dims.empty() || row.traffic.processes == 0 || row.traffic.bytes == 0) return;
    self.site = profile::as_kept(report::place_text(key.site));
    self.grid = grid_of(key);
    auto same = std::find_if(all.begin(), all.end(), [&](const Seen& seen) { return seen.grid.same_grid(self); });
    if (same == all.end()) same = all.insert(all.end(), Seen{self, {}, false});
    same->traffic.merge(row.traffic);
    same->by_profile |= key.moved && row.weights == "learned";
  });
  return all;
}

}  // namespace

std::string profile_of_program() {
  const std::string directory = profile::profile_directory(settings().text(Option::profile));
  if (directory.empty()) return {};
  const LearnedGrid self = about_program();
  known->path = profile::profile_path(directory, self.program, self.build);
  profile::Profile found = profile::read_profile(known->path);
  if (!found.problem.empty()) say_line(Level::warning, found.problem);
  if (!found.may_write) known->path.clear();
  const std::vector<LearnedGrid> known_here = profile::known_of_program(found.grids, self);
  return known_here.empty() ? std::string() : profile::to_text(known_here);
}

void adopt_profile(const std::string& text) {
  std::string why_not;
  if (auto grids = profile::from_text(text, why_not)) known->grids = std::move(*grids);
}

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
  return settings().traffic != Traffic::off && !settings().is(Option::profile, "off") && node_map().nodes() > 1;
}

std::string keep_learned_grids(const report::Record& record) {
  if (known->path.empty()) return {};
  std::vector<LearnedGrid> news;
  for (Seen& seen : seen_grids(record)) {
    profile::BytesByDisplacement bytes = seen.traffic.near;
    bytes.insert(seen.traffic.far.begin(), seen.traffic.far.end());
    const auto stencil = profile::learned_stencil(seen.grid.grid, bytes, seen.traffic.elsewhere);
    if (!stencil) continue;
    seen.grid.stencil = *stencil;
    const auto before = std::find_if(known->grids.begin(), known->grids.end(),
                                     [&](const LearnedGrid& grid) { return grid.same_grid(seen.grid); });
    if (before != known->grids.end()) {
      const report::PlacedBytes& between = seen.traffic.between_nodes;
      seen.grid = profile::after_another_run(*before, std::move(seen.grid),
                                             seen.by_profile && between.in_force > between.given);
    }
    news.push_back(std::move(seen.grid));
  }
  if (news.empty()) return {};
  const std::string problem = profile::add_to_profile(known->path, news);
  if (!problem.empty()) say_line(Level::warning, problem);
  return problem.empty() ? known->path : std::string();
}

}  // namespace marshal
