// `marshal bench planning`: times the planning that MPI_Cart_create does to reorder a large grid, on one process alone
// and on one of many that share the work. Their communication, one reduction of a few numbers at any size, is left out.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/split_text.h"
#include "mapping/plan_cart.h"
#include "tools/command_line.h"
#include "tools/commands.h"
#include "tools/figure_table.h"
#include "tools/option_values.h"
#include "tools/timing.h"

namespace marshal::tools {
namespace {

struct Wishes {
  std::string grids = "1024x1024,128x128x64,32x32x32x32";
  int per_node = 48, shared_by = 4096, rounds = 5;
  bool json = false;
};

// The messages of a team of processes that planned a grid, recorded so that one process can plan again without the
// others.
class Conversation {
 public:
  // One process that plans alone, recorded.
  mapping::Team recorded() {
    return {
        0, 1,
        [this](std::span<mapping::Standing> standings) { agreed_.emplace_back(standings.begin(), standings.end()); },
        [this](std::span<std::int32_t> numbers, int) { told_.assign(numbers.begin(), numbers.end()); }};
  }
  mapping::Team heard_by(int member, int members) const {
    return {member, members,
            [this, next = std::size_t{0}](std::span<mapping::Standing> standings) mutable {
              std::copy(agreed_[next].begin(), agreed_[next].end(), standings.begin());
              next = (next + 1) % agreed_.size();
            },
            [this](std::span<std::int32_t> numbers, int) { std::copy(told_.begin(), told_.end(), numbers.begin()); }};
  }

 private:
  std::vector<std::vector<mapping::Standing>> agreed_;
  std::vector<std::int32_t> told_;
};

// The first members have the closed-form mappers, the next a snake each, the last perhaps nothing to try.
std::vector<int> some_members(int members) {
  std::vector<int> some(static_cast<std::size_t>(std::min(members, 8)));
  std::iota(some.begin(), some.end(), 0);
  if (members > 8) some.push_back(members - 1);
  return some;
}

// A grid over full nodes in the given order.
std::vector<Cell> row_of(const std::string& name, const Wishes& wishes) {
  const std::vector<int> dims = integers(name, 'x', 1, "--grids");
  mapping::CartRequest request;
  request.grid = mapping::make_grid(dims, std::vector<int>(dims.size(), 0));
  request.stencil = mapping::star_stencil(request.grid.ndims());
  std::vector<std::int32_t> node_of_rank(static_cast<std::size_t>(request.grid.cells()));
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank)
    node_of_rank[rank] = static_cast<std::int32_t>(rank / static_cast<std::size_t>(wishes.per_node));
  request.node_of_rank = node_of_rank;

  std::vector<mapping::CartRequest> requests{request};
  Conversation conversation;
  request.team = conversation.recorded();
  plan_cart(request);
  for (const int member : some_members(wishes.shared_by)) {
    request.team = conversation.heard_by(member, wishes.shared_by);
    requests.push_back(request);
  }
  std::vector<Variant> variants;
  for (const mapping::CartRequest& asked : requests)
    variants.push_back({"", [&asked] { keep(plan_cart(asked).moved_ranks); }, 1e6});  // nanoseconds to milliseconds
  const std::vector<double> ms = interleaved_medians(variants, wishes.rounds);
  const auto [quickest, slowest] = std::minmax_element(ms.begin() + 1, ms.end());
  return {Cell(name), Cell(request.grid.cells()), Cell(ms.front(), 0), Cell(*quickest, 0), Cell(*slowest, 0)};
}

}  // namespace

int bench_planning(Arguments arguments) {
  Wishes wishes;
  CommandLine line("marshal bench planning",
                   "Times the planning of MPI_Cart_create for a grid, alone and shared by many processes");
  line.option("--grids", &wishes.grids, "grids to plan, as 1024x1024,128x128x64", {.shows_default = true});
  line.option("--ppn", &wishes.per_node, "processes a node", {.positive = true, .shows_default = true});
  line.option("--shared-by", &wishes.shared_by, "processes that share the work",
              {.positive = true, .shows_default = true});
  line.option("--rounds", &wishes.rounds, "measurements to take the median of",
              {.least = 1, .most = 1001, .shows_default = true});
  line.flag("--json", wishes.json, "print JSON");
  if (const auto over = line.parse(arguments)) return *over;
  try {
    FigureTable table;
    table.name = "planning";
    table.title =
        fmt::format("Planning of one grid, {} processes a node, alone and shared by {}: milliseconds a process",
                    wishes.per_node, wishes.shared_by);
    table.columns = {"grid", "processes", "alone", "shared, quickest", "shared, slowest"};
    for (const std::string_view grid : split(wishes.grids, ','))
      table.rows.push_back(row_of(std::string(grid), wishes));
    table.notes = {"The processes' agreement, one reduction, is not in it. Goals: 1000 alone and 100 shared, for 1 M."};
    if (wishes.json)
      fmt::print("{}\n", report::json_text(table.json(), 2));
    else
      fmt::print("{}", table.text());
    return 0;
  } catch (const std::invalid_argument& error) {
    say(Level::error, "bench planning: {}", error.what());
    return 2;
  }
}

}  // namespace marshal::tools
