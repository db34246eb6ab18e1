#include "profile/learning.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "base/split_text.h"
#include "mapping/stencil.h"

namespace marshal::profile {
namespace {

using Offset = std::vector<int>;

Offset offset_of(const std::string& text) {
  Offset offset;
  for (const std::string_view part : split(text, ',')) offset.push_back(std::atoi(std::string(part).c_str()));
  return offset;
}

// As it is written in the table: the short way, and forwards where both ways are as long.
Offset opposite(const mapping::Grid& grid, Offset offset) {
  for (int d = 0; d < grid.ndims(); ++d) {
    int& step = offset[static_cast<std::size_t>(d)];
    step = -step;
    if (grid.wraps(d) && 2 * step <= -grid.length(d)) step += grid.length(d);
  }
  return offset;
}

// Cells that have a partner at this displacement.
std::uint64_t pairs(const mapping::Grid& grid, const Offset& offset) {
  std::uint64_t count = 1;
  for (int d = 0; d < grid.ndims(); ++d) {
    const int without = grid.wraps(d) ? 0 : std::abs(offset[static_cast<std::size_t>(d)]);
    count *= static_cast<std::uint64_t>(std::max(0, grid.length(d) - without));
  }
  return count;
}

struct Step {
  Offset offset;
  std::uint64_t bytes = 0;                      // both ways
  std::uint64_t senders = 0, most_senders = 0;  // both ways, and the way that more processes sent
  double weight = 0;                            // bytes of one pair of cells, one way
};

// Both cells of a single pair must have sent: else one of them may gather from all.
bool is_used_by_most(const mapping::Grid& grid, const Step& step) {
  const std::uint64_t all = pairs(grid, step.offset);
  return all == 1 ? step.senders > 1 : 2 * step.most_senders > all;
}

bool is_about_same(const LearnedGrid& a, const LearnedGrid& b) { return a.site == b.site && a.grid == b.grid; }

// True if the traffic of both is nearly the same and never changed from run to run, and keep_order is the same.
bool agree(const LearnedGrid& a, const LearnedGrid& b) {
  return a.keep_order == b.keep_order && a.earlier.empty() && b.earlier.empty() &&
         similar(a.stencil, b.stencil, a.grid.ndims());
}

// The grid that a new run may rely on, from what runs with other arguments or in other directories taught about it
// (`taught`, oldest first); else nothing.
std::optional<LearnedGrid> lent_by(std::span<const LearnedGrid> taught, const std::string& arguments) {
  const auto lender = find_lender(taught, arguments, agree);
  if (lender.entry == nullptr || lender.entry->keep_order) return std::nullopt;
  LearnedGrid lent = *lender.entry;
  lent.directories.clear();
  lent.job += lender.who;
  const auto add_other = [&](const std::string& stencil) {
    const auto is_like = [&](const std::string& known) { return similar(stencil, known, lent.grid.ndims()); };
    if (!is_like(lent.stencil) && std::none_of(lent.earlier.begin(), lent.earlier.end(), is_like))
      lent.earlier.push_back(stencil);
  };
  for (const LearnedGrid& grid : taught) {
    add_other(grid.stencil);
    std::for_each(grid.earlier.begin(), grid.earlier.end(), add_other);
  }
  if (lent.earlier.size() > most_earlier) return std::nullopt;
  return lent;
}

}  // namespace

std::optional<std::string> learned_stencil(const mapping::Grid& grid, const SentByDisplacement& sent_along,
                                           std::uint64_t elsewhere) {
  std::map<Offset, Step> steps;
  std::uint64_t all = elsewhere;
  for (const auto& [text, sent] : sent_along) {
    all += sent.bytes;
    const Offset offset = offset_of(text);
    if (offset.size() != grid.dims.size() || sent.bytes == 0) continue;
    const Offset back = opposite(grid, offset);
    Step& step = steps[std::max(offset, back)];
    step.offset = std::max(offset, back);
    step.bytes += sent.bytes;
    step.senders += sent.processes;
    step.most_senders = std::max(step.most_senders, sent.processes);
  }
  std::vector<Step> kept;
  for (auto& [offset, step] : steps)
    if (is_used_by_most(grid, step)) kept.push_back(std::move(step));
  std::stable_sort(kept.begin(), kept.end(), [](const Step& a, const Step& b) { return a.bytes > b.bytes; });
  std::uint64_t sum = 0;
  std::size_t count = 0;
  while (count < kept.size() && count < most_steps / 2 && kept[count].bytes >= all / 2000 + 1)
    sum += kept[count++].bytes;
  kept.resize(count);
  if (count == 0 || sum < all - all / 10) return std::nullopt;
  double largest = 0;
  for (Step& step : kept) {
    const bool one_way = opposite(grid, step.offset) == step.offset;
    const std::uint64_t cells = std::max<std::uint64_t>(1, pairs(grid, step.offset));
    step.weight = static_cast<double>(step.bytes) / static_cast<double>(cells) / (one_way ? 1 : 2);
    largest = std::max(largest, step.weight);
  }
  const double unit = largest > static_cast<double>(largest_weight) ? largest / static_cast<double>(largest_weight) : 1;
  std::string text;
  for (const Step& step : kept) {
    const std::string weight = std::to_string(std::max(1LL, std::llround(step.weight / unit)));
    const Offset back = opposite(grid, step.offset);
    text += (text.empty() ? "" : ";") + mapping::text_of(step.offset) + "*" + weight;
    if (back != step.offset) text += ";" + mapping::text_of(back) + "*" + weight;
  }
  return text;
}

bool similar(const std::string& stencil, const std::string& other, int dimensions) {
  const auto weights = [&](const std::string& text) {
    std::map<Offset, double> weight_of;
    for (const mapping::Step& step : mapping::parse_stencil(text, dimensions).steps)
      weight_of[step.offset] += static_cast<double>(step.weight);
    return weight_of;
  };
  return alike(weights(stencil), weights(other));
}

std::vector<LearnedGrid> known_of_program(const std::vector<LearnedGrid>& kept, const LearnedGrid& program) {
  std::vector<LearnedGrid> known, others;
  for (const LearnedGrid& grid : kept) {
    if (grid.program != program.program || grid.build != program.build || grid.processes != program.processes) continue;
    const bool is_here = was_taught_by(grid, program.arguments, program.directories.front());
    (is_here ? known : others).push_back(grid);
    if (is_here) known.back().directories = program.directories;
  }
  while (!others.empty()) {
    const LearnedGrid newest = others.back();
    const auto same = std::stable_partition(others.begin(), others.end(),
                                            [&](const LearnedGrid& grid) { return !is_about_same(grid, newest); });
    const std::span<const LearnedGrid> taught(same, others.end());
    const auto is_same = [&](const LearnedGrid& grid) { return is_about_same(grid, newest); };
    if (std::none_of(known.begin(), known.end(), is_same))
      if (auto lent = lent_by(taught, program.arguments)) known.push_back(std::move(*lent));
    others.erase(same, others.end());
  }
  return known;
}

void add_taught(std::vector<LearnedGrid>& kept, LearnedGrid now) {
  const std::string here = now.directories.front();
  for (LearnedGrid& grid : kept) {
    if (!grid.same_grid(now)) continue;
    std::erase(grid.directories, here);
    if (!grid.directories.empty() && agree(grid, now)) {
      now.directories.insert(now.directories.end(), grid.directories.begin(), grid.directories.end());
      grid.directories.clear();
    }
  }
  std::erase_if(kept, [&](const LearnedGrid& grid) { return grid.same_grid(now) && grid.directories.empty(); });
  if (now.directories.size() > most_directories) now.directories.resize(most_directories);
  kept.push_back(std::move(now));
}

LearnedGrid after_another_run(const LearnedGrid& before, LearnedGrid now, bool sent_more) {
  const auto is_like_now = [&](const std::string& stencil) { return similar(stencil, now.stencil, now.grid.ndims()); };
  now.earlier = before.earlier;
  now.keep_order = false;
  if (is_like_now(before.stencil))
    now.keep_order = before.keep_order || sent_more;
  else
    now.earlier.insert(now.earlier.begin(), before.stencil);
  std::erase_if(now.earlier, is_like_now);
  if (now.earlier.size() > most_earlier) now.earlier.resize(most_earlier);
  return now;
}

}  // namespace marshal::profile
