#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "rankmap/rank_map.h"
#include "tools/figures/figures.h"
#include "tools/timing.h"

namespace marshal::tools {
namespace {

constexpr std::size_t lookups_in_a_row = 16 * 4096;

// Each lookup waits for the one before, whose result is its rank. `size` is a power of two.
Variant dependent(const RankMap& map, std::int32_t size) {
  return {"",
          [&map, size] {
            std::int32_t rank = 1;
            for (std::size_t i = 0; i < lookups_in_a_row; ++i)
              rank = (map.process(rank).lpid + static_cast<std::int32_t>(i)) & (size - 1);
            keep(rank);
          },
          static_cast<double>(lookups_in_a_row)};
}

double million_a_second(double nanoseconds) { return 1e3 / nanoseconds; }

RankMap nested_splits(MapForm form, std::int32_t world, int generation) {
  RankMap map = RankMap::identity(0, world, form);
  for (int g = 0; g < generation; ++g) map = map.derive(StridedBlocks::linear(0, 2, map.size() / 2));
  return map;
}

}  // namespace

FigureTable translation_rates(int rounds) {
  FigureTable table;
  table.name = "rates";
  table.title = "Translations up to the address, round robin over the ranks, millions a second";
  table.source = "AV-Rankmap Table V, issue rates of whole MPI_Puts on Blues, 8 processes, infinitely fast network";
  table.columns = {"variant", "processes", "direct", "offset", "stride", "lut", "mlut"};
  table.rows = {
      {"published, VC-VCRT", "8", Cell(64.76, 2), "-", "-", "-", "-"},
      {"published, AV-Rankmap", "8", Cell(98.79, 2), Cell(92.13, 2), Cell(89.64, 2), Cell(96.03, 2), Cell(84.51, 2)}};
  for (const std::int32_t processes : {16, 1 << 17}) {
    const ProbeInputs inputs(processes);
    std::vector<Variant> variants;
    constexpr std::int32_t call_count = 1 << 16;
    for (const NamedProbe& probe : probes()) {
      variants.push_back({probe.variant,
                          [&inputs, &probe, input = inputs.of(probe)] {
                            for (std::int32_t done = 0; done < call_count;) {
                              for (std::int32_t r = 0; r < inputs.size() && done < call_count; ++r, ++done)
                                keep(probe.probe(input, r));
                            }
                          },
                          static_cast<double>(call_count)});
    }
    const auto medians = interleaved_medians(variants, rounds);
    const std::size_t models = model_names.size();
    const std::size_t kinds = variants.size() / models;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if (variants[kind].name == "Marshal, formula") continue;
      std::vector<Cell> row{variants[kind].name, count_text(processes)};
      for (std::size_t m = 0; m < models; ++m) row.emplace_back(million_a_second(medians[m * kinds + kind]), 1);
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = {
      "Published rates are of complete MPI_Puts; ours are of the translation alone, each through a call that cannot be "
      "inlined. Compare the rows with each other."};
  return table;
}

FigureTable generations(int rounds) {
  FigureTable table;
  table.name = "generations";
  table.title = "Generations of odd/even splits: translations in millions a second";
  table.source = "AV-Rankmap Table VI, preprint Fig. 19: rates of whole MPI_Puts";
  table.columns = {"form", "world", "1", "2", "3", "4", "8", "the eighth, of the world's"};
  constexpr std::int32_t world_size = 1 << 16;
  const std::vector<double> sparse{13, 10.27, 9.26, 8.41, 7.57}, regular{98.78, 89.65, 89.65, 89.65, 89.65};
  for (const auto& [who, rates] :
       {std::pair{"published, sparse groups", &sparse}, {"published, AV-Rankmap", &regular}}) {
    std::vector<Cell> row{who};
    for (const double rate : *rates) row.emplace_back(rate, 2);
    row.insert(row.end(), {"-", "-"});
    table.rows.push_back(std::move(row));
  }
  for (const MapForm form :
       {MapForm::blocks, MapForm::rankmap, MapForm::lut, MapForm::strided, MapForm::range, MapForm::bitmap}) {
    std::vector<RankMap> maps;
    for (const int g : {0, 1, 2, 3, 4, 8}) maps.push_back(nested_splits(form, world_size, g));
    std::vector<Variant> variants;
    // The same few ranks everywhere: ranges and bitmaps walk further for later ones.
    for (const RankMap& map : maps) variants.push_back(dependent(map, 128));
    const auto medians = interleaved_medians(variants, rounds);
    std::vector<Cell> row{std::string(name(form))};
    for (const double cost : medians) row.emplace_back(million_a_second(cost), 1);
    row.emplace_back(fmt::format("{:.0f} %", 100 * medians[0] / medians[5]));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "Each lookup waits for the one before. Published: about 10 % lost a generation by sparse groups, none by "
      "AV-Rankmap, in rates of whole messages, which dilute what the lookup itself costs."};
  return table;
}

FigureTable latency_per_level(int rounds) {
  FigureTable table;
  table.name = "latency-per-level";
  table.title =
      "Latency that each level of derivation adds, ns (odd ranks excluded): to the first and to the last rank";
  table.source = "sparse groups, Tables 2 and 4: level 5 less level 0; what the text says of Table 4";
  table.columns = {"form", "lookup, first", "lookup, last", "InfiniBand, first", "last", "Myrinet, first", "last"};
  struct Published {
    MapForm form;
    std::array<const char*, 4> latencies;
  };
  constexpr int level_count = 6;
  for (const auto& [form, published] : {Published{MapForm::blocks, {"-", "-", "-", "-"}},
                                        {MapForm::rankmap, {"-", "-", "-", "-"}},
                                        {MapForm::plist, {"8", "0", "0", "0"}},
                                        {MapForm::range, {"40", "30", "57", "197"}},
                                        {MapForm::strided, {"20", "20", "40", "-"}},
                                        {MapForm::bitmap, {"40", "40", "118", "over 800"}}}) {
    const RankMap world = nested_splits(form, 512, 0);
    const RankMap deep = nested_splits(form, 512, level_count);
    std::vector<Variant> variants;
    const auto add = [&](const RankMap& map, std::int32_t rank) {
      variants.push_back({"",
                          [&map, rank] {
                            std::int32_t r = rank;
                            for (int i = 0; i < 20000; ++i) {
                              const std::int32_t lpid = map.process(r).lpid;
                              // Zero, but only after the lookup.
                              r = rank + (lpid & std::int32_t{1} << 30);
                            }
                            keep(r);
                          },
                          20000.0});
    };
    add(world, 1), add(deep, 1), add(world, world.size() - 1), add(deep, deep.size() - 1);
    const auto ns = interleaved_medians(variants, rounds);
    std::vector<Cell> row{std::string(name(form)), Cell((ns[1] - ns[0]) / level_count, 2),
                          Cell((ns[3] - ns[2]) / level_count, 2)};
    row.insert(row.end(), published.begin(), published.end());
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "The lookup alone, 512 processes, six levels. The published figures are differences of message latencies on the "
      "networks of 2008, given to 10 ns and better only for InfiniBand, 48 processes: absolute values cannot be "
      "reproduced from a lookup. The order of the formats, and that only strided does not mind the rank, come out the "
      "same.",
      "Table 3 (Gigabit Ethernet) shows no effect of the formats, as its text says: 0.4 to 1 us of noise."};
  return table;
}

}  // namespace marshal::tools
