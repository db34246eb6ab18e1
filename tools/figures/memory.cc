#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <random>

#include "base/process_memory.h"
#include "pattern/evaluate.h"
#include "rankmap/memory_model.h"
#include "rankmap/rank_map.h"
#include "rankmap/sparse_formats.h"
#include "tools/figures/figures.h"

namespace marshal::tools {
namespace {

using memory_model::Communicator;
using memory_model::Parameters;
using memory_model::Scheme;

constexpr double mib = 1 << 20;
constexpr std::int64_t mira = 786432;
constexpr std::int64_t half_mira = 524288;
constexpr double system_bytes = 1 << 30;  // of a process: Mira's 16 GB over 16 processes a node

const Parameters vcrt_of_4{.vcrt_entry = 4};
const Parameters vcrt_of_8{.vcrt_entry = 8};
const Parameters vcrt_of_8_and_tables{.vcrt_entry = 8, .vcrt_beside = 8};

struct SharedKind {
  const char* name;
  const char* figure;
  std::int64_t most;  // the largest number of processes of the paper
  std::function<Communicator(std::int64_t)> communicator;
  // Communicator number i of `world`, as Marshal keeps it.
  std::function<void(const RankMap& world, int i, std::vector<RankMap>& maps)> make;
};

std::vector<std::int32_t> shuffled(std::int32_t size, unsigned seed) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::shuffle(ranks.begin(), ranks.end(), std::mt19937{seed});
  return ranks;
}

std::vector<std::int32_t> evenly(std::int32_t first, std::int32_t stride, std::int32_t count) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(count));
  evaluate(StridedBlocks::linear(first, stride, count), 0, ranks);
  return ranks;
}

std::vector<SharedKind> kinds() {
  const auto half = [](const RankMap& world, std::int32_t which) {
    return world.derive(StridedBlocks::linear(which, 2, world.size() / 2));
  };
  return {
      {"split", "av-rankmap Fig. 3, preprint Fig. 9", mira, [](std::int64_t n) { return Communicator{.size = n / 2}; },
       [=](const RankMap& world, int, auto& maps) { maps.push_back(half(world, 0)); }},
      {"dup", "preprint Fig. 10", mira, [](std::int64_t n) { return Communicator{.size = n, .duplicate = true}; },
       [](const RankMap& world, int, auto& maps) { maps.push_back(world); }},
      {"split-inter", "preprint Fig. 11", mira,
       [](std::int64_t n) { return Communicator{.size = n / 4, .remote_size = n / 4}; },
       [=](const RankMap& world, int, auto& maps) {
         for (const std::int32_t side : {0, 1}) maps.push_back(half(half(world, side), 0));
       }},
      {"dup-inter", "preprint Fig. 12", mira,
       [](std::int64_t n) { return Communicator{.size = n / 2, .remote_size = n / 2, .duplicate = true}; },
       [=](const RankMap& world, int, auto& maps) {
         for (const std::int32_t side : {0, 1}) maps.push_back(half(world, side));
       }},
      {"irregular", "preprint Fig. 13", mira, [](std::int64_t n) { return Communicator{.size = n, .regular = false}; },
       [](const RankMap& world, int i, auto& maps) {
         maps.push_back(world.derive(shuffled(world.size(), static_cast<unsigned>(i))));
       }},
      {"mlut", "preprint Fig. 14", 4096,
       [](std::int64_t n) { return Communicator{.size = n, .regular = false, .several_groups = true}; },
       [](const RankMap& world, int i, auto& maps) {
         const std::int32_t side = world.size() / 2;
         const RankMap merged = RankMap::concatenate(RankMap::identity(0, side, world.form()),
                                                     RankMap::identity(1, world.size() - side, world.form()));
         maps.push_back(merged.derive(shuffled(merged.size(), static_cast<unsigned>(i))));
       }},
  };
}

// Bytes that the allocator hands out for `count` communicators of the kind.
double really_allocated(const SharedKind& kind, std::int64_t processes, int count) {
  const RankMap world = RankMap::identity(0, static_cast<std::int32_t>(processes), MapForm::blocks);
  const auto before = static_cast<double>(heap_in_use());
  std::vector<RankMap> maps;
  maps.reserve(static_cast<std::size_t>(count) * 2);
  for (int i = 0; i < count; ++i) kind.make(world, i, maps);
  maps.shrink_to_fit();
  return static_cast<double>(heap_in_use()) - before;
}

double model(Scheme scheme, const Communicator& communicator, std::int64_t processes, int count, const Parameters& p) {
  return static_cast<double>(base(scheme, processes, p) + count * added(scheme, communicator, p));
}

FigureTable sparse_format_memory() {
  FigureTable table;
  table.name = "memory-formats";
  table.title = "Bytes of one group of 90,000 processes: the formula / what Marshal's map of that form allocates";
  table.source = "sparse groups, Table 1";
  table.columns = {"group", "plist", "range", "strided", "bitmap", "sparse chooses", "blocks"};
  constexpr std::int32_t parent_size = 90000;
  std::vector<std::int32_t> half = shuffled(parent_size, 1);
  half.resize(parent_size / 2);
  std::sort(half.begin(), half.end());
  for (const auto& [group, ranks] : {std::pair{"all", evenly(0, 1, parent_size)},
                                     {"a row of 300 x 300", evenly(600, 1, 300)},
                                     {"a column of 300 x 300", evenly(7, 300, 300)},
                                     {"every other", evenly(0, 2, parent_size / 2)},
                                     {"half at random", half}}) {
    const auto allocated = [&ranks = ranks](MapForm form) {
      const RankMap parent = RankMap::identity(0, parent_size, form);
      const auto before = static_cast<double>(heap_in_use());
      const auto child = std::make_unique<RankMap>(parent.derive(ranks));
      return static_cast<double>(heap_in_use()) - before;
    };
    const SparseEstimates bytes = sparse_estimates(parent_size, ranks);
    std::vector<Cell> row{group};
    const auto add = [&](MapForm form, std::optional<std::int64_t> formula) {
      row.push_back(formula ? Cell(fmt::format("{} / {:.0f}", *formula, allocated(form))) : Cell("cannot say it"));
    };
    add(MapForm::plist, bytes.plist);
    add(MapForm::range, bytes.range);
    add(MapForm::strided, bytes.strided);
    add(MapForm::bitmap, bytes.bitmap);
    row.emplace_back(name(sparse_format(MapForm::sparse, parent_size, ranks)));
    row.emplace_back(Cell(allocated(MapForm::blocks), 0));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "The formulas count the members' data alone. Marshal's maps add a record of 64 B, which takes 112 to 128 B of "
      "the heap to begin with a cache line, and a table's own head."};
  return table;
}

}  // namespace

std::vector<FigureTable> memory_tables(bool all) {
  std::vector<std::int64_t> axis{128, 4096, 65536, mira};
  if (all) {
    axis.clear();
    for (std::int64_t n = 128; n <= half_mira; n *= 2) axis.push_back(n);
    axis.push_back(mira);
  }
  std::vector<FigureTable> tables;
  for (const SharedKind& kind : kinds()) {
    FigureTable table;
    table.name = fmt::format("memory-{}", kind.name);
    table.title = fmt::format("Memory of a process for {} communicators", kind.name);
    table.source = kind.figure;
    table.columns = {"processes",  "communicators",       "VC-VCRT, 4 B",  "VC-VCRT, 8 B", "VC-VCRT, 8 B + tables",
                     "AV-Rankmap", "its rank maps alone", "Marshal's maps"};
    for (const std::int64_t n : axis) {
      if (n > kind.most) continue;
      for (const int count : {10, 100}) {
        const Communicator c = kind.communicator(n);
        table.rows.push_back({count_text(n), std::int64_t{count},
                              bytes_cell(model(Scheme::vc_vcrt, c, n, count, vcrt_of_4)),
                              bytes_cell(model(Scheme::vc_vcrt, c, n, count, vcrt_of_8)),
                              bytes_cell(model(Scheme::vc_vcrt, c, n, count, vcrt_of_8_and_tables)),
                              bytes_cell(model(Scheme::av_rankmap, c, n, count, vcrt_of_8)),
                              bytes_cell(static_cast<double>(count * added(Scheme::av_rankmap, c))),
                              bytes_cell(really_allocated(kind, n, count))});
      }
    }
    table.notes = {
        "VC 480 B, AVE 12 B, VCRT entries as the column says (+ two int tables), 16 ranks a node, node and node-root "
        "communicators counted; Marshal's column is what malloc really handed out."};
    if (table.name == "memory-irregular") {
      table.notes.push_back(
          "The published lookup table has 4 B an entry; Marshal packs it to the bits that its range needs.");
    }
    tables.push_back(std::move(table));
  }
  tables.push_back(sparse_format_memory());
  return tables;
}

FigureTable published_memory_claims() {
  FigureTable table;
  table.name = "memory-claims";
  table.title = "Published statements about memory, and whether first principles give them";
  table.columns = {"statement", "published", "model", "parameters", "reproduced"};
  const auto claim = [&](const char* statement, const char* published, const std::string& modelled,
                         const char* parameters, bool reproduced) {
    table.rows.push_back({statement, published, modelled, parameters, reproduced ? "yes" : "no"});
  };
  const auto total = [](const Communicator& c, std::int64_t n, int count, const Parameters& p) {
    return model(Scheme::vc_vcrt, c, n, count, p);
  };
  const Communicator split{.size = mira / 2};
  const Communicator dup{.size = mira, .duplicate = true};
  const auto percent = [](double part, double whole) { return fmt::format("{:.1f} %", 100 * part / whole); };
  const double vcs = static_cast<double>(mira) * 480;

  claim("virtual connections, 768K processes", "360 MB", fmt::format("{:.0f} MiB", vcs / mib), "480 B", true);
  claim("AV-Rankmap, 100 splits, 768K", "9 MB",
        fmt::format("{:.2f} MiB", model(Scheme::av_rankmap, split, mira, 100, vcrt_of_8) / mib), "12 B", true);
  for (const auto& [parameters, name] :
       {std::pair{&vcrt_of_4, "4 B"}, {&vcrt_of_8, "8 B"}, {&vcrt_of_8_and_tables, "8 B + two int tables"}}) {
    const double ten = total(split, mira, 10, *parameters);
    const double hundred = total(split, mira, 100, *parameters);
    const double dups = total(dup, mira, 100, *parameters);
    claim("VC-VCRT, 10 splits, 768K, of 1 GiB", "over 40 %", percent(ten, system_bytes), name,
          ten > 0.4 * system_bytes);
    claim("VC-VCRT, 100 splits, 768K, of 1 GiB", "over 100 %", percent(hundred, system_bytes), name,
          hundred > system_bytes);
    claim("virtual connections' share, 100 dups, 768K", "nearly 95 %", percent(vcs, dups), name,
          vcs > 0.93 * dups && vcs < 0.955 * dups);
  }
  const Communicator world_dup{.size = half_mira, .duplicate = true};
  for (const int dups : {24, 86}) {
    const double nek = total(world_dup, half_mira, dups, vcrt_of_4) / 1e6;
    const double av = static_cast<double>(dups * added(Scheme::av_rankmap, world_dup));
    claim(dups == 24 ? "Nek5000, 24 dups, 512K, VC-VCRT" : "Nek5000, 86 dups, 512K, VC-VCRT", "around 250 MB",
          fmt::format("{:.0f} MB", nek), "480 B, 4 B", nek > 240 && nek < 270);
    claim("  the same, AV-Rankmap's maps", "negligible", fmt::format("{:.1f} KB", av / 1e3), "64 B a map", true);
  }
  const double mini = (static_cast<double>(half_mira) * 480) / mib;
  claim("mini-apps, 512K, VC-VCRT", "244 MB",
        fmt::format("{:.0f} MiB + VCRTs of 4 B: {:.0f} MiB", mini, total(world_dup, half_mira, 7, vcrt_of_4) / mib),
        "480 B, 4 B", true);
  claim("mini-apps, 512K, AV-Rankmap", "4 MB", fmt::format("{:.0f} MiB", static_cast<double>(half_mira) * 12 / mib),
        "12 B", false);
  claim("  the same", "4 MB", fmt::format("{:.0f} MiB", static_cast<double>(half_mira) * 8 / mib), "8 B", true);
  claim("mini-apps, 16K, VC-VCRT", "around 15 MB", fmt::format("{:.1f} MiB", 16384.0 * 480 / mib), "480 B", false);
  claim("mini-apps, 16K, AV-Rankmap", "128 KB", fmt::format("{:.0f} KiB", 16384.0 * 8 / 1024), "8 B", true);
  claim("Nekbone's rank maps, 7 dups", "1.3 KB", fmt::format("{} B", 7 * added(Scheme::av_rankmap, world_dup)),
        "64 B a map, 3 maps each", true);
  const Communicator mlut{.size = 4096, .regular = false, .several_groups = true};
  for (const auto& [parameters, name] : {std::pair{&vcrt_of_4, "4 B"}, {&vcrt_of_8, "8 B"}}) {
    int crossing = 1;
    while (crossing < 2000 && model(Scheme::av_rankmap, mlut, 4096, crossing, *parameters) <=
                                  model(Scheme::vc_vcrt, mlut, 4096, crossing, *parameters)) {
      ++crossing;
    }
    claim("mlut above VC-VCRT, 4096 processes, from", "below 100 communicators",
          crossing < 2000 ? fmt::format("{} communicators", crossing) : "never", name, crossing < 100);
  }

  std::int64_t dense = 0, sparse = 0;
  for (const auto& ranks : {evenly(0, 1, 90000), evenly(600, 1, 300), evenly(7, 300, 300)}) {
    const SparseEstimates bytes = sparse_estimates(90000, ranks);
    dense += bytes.plist;
    sparse +=
        std::min({bytes.plist, bytes.range, bytes.strided.value_or(bytes.plist), bytes.bitmap.value_or(bytes.plist)});
  }
  const std::int64_t with_bitmap = sparse - 8 + (300 + 7) / 8;
  claim("HPL 300 x 300, lists of processes", "724,800 B", fmt::format("{} B", dense), "Table 1", dense == 724800);
  claim("HPL 300 x 300, sparse formats", "58 B", fmt::format("{} B", sparse), "Table 1: two ranges, a stride",
        sparse == 58);
  claim("  the same", "58 B", fmt::format("{} B", with_bitmap), "the row as a bitmap of 300 bits", with_bitmap == 58);
  const RankMap world = RankMap::identity(0, 90000, MapForm::blocks);
  claim("HPL 300 x 300, Marshal", "-",
        fmt::format("{} B", world.bytes() + world.derive(StridedBlocks::linear(600, 1, 300)).bytes() +
                                world.derive(StridedBlocks::linear(7, 300, 300)).bytes()),
        "three maps, no parent needed", true);
  table.notes = {
      "No one size of a VCRT entry gives all of Figs. 3, 9 and 10: the share of dups needs 4 B, both splits 8 B and "
      "two further tables of ints.",
      "4 MB at 512K is 8 B an address, not the 12 B of the text (6 MiB); 15 MB at 16K is twice what 480 B give.",
      "58 B for HPL are not the least that Table 1 allows (28 B): they need a bitmap over the 300 processes of the "
      "row, where the formula counts those of the original group."};
  return table;
}

}  // namespace marshal::tools
