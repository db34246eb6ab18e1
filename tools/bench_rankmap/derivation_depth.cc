#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "rankmap/rank_map.h"
#include "tools/bench_rankmap/figures.h"
#include "tools/bench_rankmap/lookup_variants.h"

namespace marshal::tools {
namespace {

RankMap nested_splits(MapForm form, std::int32_t world, int generation) {
  RankMap map = RankMap::identity(0, world, form);
  for (int g = 0; g < generation; ++g) map = map.derive(StridedBlocks::linear(0, 2, map.size() / 2));
  return map;
}

}  // namespace

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
    for (const RankMap& map : maps)
      add_dependent(variants, "", 128, [&map](std::int32_t r) { return map.process(r).lpid; });
    const auto medians = interleaved_medians(variants, rounds);
    std::vector<Cell> row{std::string(name(form))};
    for (const double cost : medians) row.emplace_back(million_a_second(cost), 1);
    row.emplace_back(fmt::format("{:.0f} %", 100 * medians[0] / medians[5]));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "Each lookup waits for the one before. Published: about 10 % lost a generation by sparse groups, none by "
      "AV-Rankmap, in "
      "rates of whole messages, which dilute what the lookup itself costs."};
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
