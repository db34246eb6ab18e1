#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <numeric>
#include <random>

#include "pattern/compose.h"
#include "pattern/detect.h"
#include "pattern/evaluate.h"
#include "pattern/first_mismatch.h"
#include "rankmap/group_algebra.h"
#include "rankmap/rank_map.h"
#include "tools/bench_rankmap/figures.h"
#include "tools/bench_rankmap/lookup_variants.h"
#include "tools/bench_rankmap/probes.h"

namespace marshal::tools {
namespace {

Ranks all_ranks(std::int32_t size) {
  Ranks ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

Ranks shuffled(std::int32_t size, unsigned seed) {
  Ranks ranks = all_ranks(size);
  std::shuffle(ranks.begin(), ranks.end(), std::mt19937{seed});
  return ranks;
}

// So many of `times` as many ranks, in order.
Ranks some_of(std::int32_t size, std::int32_t times, unsigned seed) {
  Ranks ranks = shuffled(times * size, seed);
  ranks.resize(static_cast<std::size_t>(size));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

StridedBlocks three_digits(std::int32_t size) {
  const StridedBlocks::Digit digits[] = {{4, 1}, {size / 64, 16}, {16, size}};
  return *StridedBlocks::from_digits(3, digits, size);
}

}  // namespace

FigureTable lookup_costs(int rounds) {
  FigureTable table;
  table.name = "lookup";
  table.title = "One rank to its process, ns: independent lookups / each waiting for the one before";
  table.source = "goal: at most 3.1 ns dependent, at any size";
  table.columns = {"kept", "bytes a rank at 1M", "1K", "1K dep.", "16K", "16K dep.", "1M", "1M dep."};
  const std::vector<std::string> names{"formula, direct", "formula, three digits", "map, direct",
                                       "map, stride",     "map, three digits",     "map, lut (4 B)",
                                       "map, packed",     "map, bitmap-select",    "map, elias-fano",
                                       "map, runs",       "bare int32 array"};
  std::vector<std::vector<double>> costs(names.size());
  std::vector<double> bytes(names.size());
  for (const std::int32_t size : {1 << 10, 1 << 14, 1 << 20}) {
    const Ranks ranks = random_ranks(size);
    const Ranks permuted = shuffled(size, 1), half = some_of(size, 2, 2), few = some_of(size, 16, 3);
    Ranks holes;
    for (std::int32_t lpid = 0; holes.size() < static_cast<std::size_t>(size); ++lpid) {
      if (lpid % 1000 != 77 && lpid % 313 != 5) holes.push_back(lpid);
    }
    const StridedBlocks direct = StridedBlocks::linear(0, 1, size);
    const StridedBlocks blocks = three_digits(size);
    const RankMap world = RankMap::identity(0, size, MapForm::blocks);
    const std::vector<RankMap> maps{
        world,
        RankMap::identity(0, 2 * size, MapForm::blocks).derive(StridedBlocks::linear(1, 2, size)),
        RankMap::identity(0, 17 * size, MapForm::blocks).derive(blocks),
        RankMap::from_lpids(0, permuted, MapForm::lut),
        RankMap::from_lpids(0, permuted, MapForm::blocks),
        RankMap::from_lpids(0, half, MapForm::blocks),
        RankMap::from_lpids(0, few, MapForm::blocks),
        RankMap::from_lpids(0, holes, MapForm::blocks)};
    std::vector<Variant> variants;
    const auto add = [&](const std::string& name, auto lookup) {
      add_independent(variants, name, ranks, lookup);
      add_dependent(variants, name, size, lookup);
    };
    add(names[0], [&direct](std::int32_t r) { return direct(r); });
    add(names[1], [&blocks](std::int32_t r) { return blocks(r); });
    for (std::size_t m = 0; m < maps.size(); ++m) {
      add(names[m + 2], [&map = maps[m]](std::int32_t r) { return map.process(r).lpid; });
      bytes[m + 2] = static_cast<double>(maps[m].bytes()) / size;
    }
    add(names.back(), [table_of = permuted.data()](std::int32_t r) { return table_of[r]; });
    bytes[0] = bytes[1] = static_cast<double>(sizeof(StridedBlocks)) / size;
    bytes.back() = 4;
    const std::vector<double> medians = interleaved_medians(variants, rounds);
    for (std::size_t n = 0; n < names.size(); ++n) {
      costs[n].push_back(medians[2 * n]);
      costs[n].push_back(medians[2 * n + 1]);
    }
  }
  for (std::size_t n = 0; n < names.size(); ++n) {
    std::vector<Cell> row{names[n], Cell(bytes[n], bytes[n] < 0.01 ? 5 : 2)};
    for (const double cost : costs[n]) row.emplace_back(cost, 2);
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "A dependent lookup includes the addition and the mask that keep the next rank in range (two cycles)."};
  return table;
}

FigureTable many_communicators(int rounds) {
  FigureTable table;
  table.name = "many-communicators";
  table.title = "A random rank of one of 100 communicators, ns";
  table.source =
      "an earlier form took 2.85 at any size; a switch over models 11.6; plain tables 17 (16K ranks) to 263 (1M)";
  table.columns = {"ranks", "Marshal's maps", "switch over models", "plain tables"};
  for (const std::int32_t size : {1 << 10, 1 << 14, 1 << 20}) {
    constexpr std::size_t map_count = 100;
    std::mt19937 random{7};
    const RankMap world = RankMap::identity(0, 2 * size, MapForm::blocks);
    std::vector<RankMap> maps;
    std::vector<Communicator> communicators;
    std::vector<Ranks> plain;
    for (std::size_t m = 0; m < map_count; ++m) {
      const auto model = static_cast<Model>(m % 3);
      const auto shift = static_cast<std::int32_t>(m);
      maps.push_back(model == direct_model   ? world.derive(StridedBlocks::linear(0, 1, size))
                     : model == offset_model ? world.derive(StridedBlocks::linear(shift, 1, size))
                                             : world.derive(StridedBlocks::linear(shift % 2, 2, size)));
      communicators.push_back({model, 2, model == offset_model ? shift : shift % 2, nullptr, nullptr, nullptr});
      plain.emplace_back(static_cast<std::size_t>(size));
      evaluate(maps.back().index_formula(), 0, plain.back());
    }
    struct Question {
      std::uint32_t map;
      std::int32_t rank;
    };
    std::vector<Question> questions(1 << 16);
    for (Question& q : questions) {
      q = {static_cast<std::uint32_t>(random() % map_count),
           static_cast<std::int32_t>(random() % static_cast<unsigned>(size))};
    }
    const auto variant = [&](std::string name, auto lookup) {
      return Variant{std::move(name),
                     [&questions, lookup] {
                       std::int32_t sum = 0;
                       // The next question depends on the answer, as a program's next step on its message.
                       for (const Question& q : questions) sum = lookup(q.map, q.rank ^ (sum & 1));
                       keep(sum);
                     },
                     static_cast<double>(questions.size())};
    };
    const auto medians = interleaved_medians(
        {variant("maps", [&](std::uint32_t m, std::int32_t r) { return maps[m].process(r).lpid; }),
         variant("switch",
                 [&](std::uint32_t m, std::int32_t r) {
                   const Communicator& c = communicators[m];
                   switch (c.model) {
                     case direct_model:
                       return r;
                     case offset_model:
                       return r + c.offset;
                     case stride_model:
                       return r * c.stride + c.offset;
                     case lut_model:
                       return c.lut[r];
                     case mlut_model:
                       return c.mlut[r].lpid;
                   }
                   return -1;
                 }),
         variant("tables", [&](std::uint32_t m, std::int32_t r) { return plain[m][static_cast<std::size_t>(r)]; })},
        rounds);
    table.rows.push_back({count_text(size), Cell(medians[0], 2), Cell(medians[1], 2), Cell(medians[2], 2)});
  }
  return table;
}

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

FigureTable creation_costs(int rounds) {
  FigureTable table;
  table.name = "creation";
  table.title = "Making the map of a new communicator";
  table.source = "goal: at most 0.05 ns a rank with AVX2 or better, in cache";
  table.columns = {"what", "ranks", "ns", "ns a rank"};
  std::deque<Ranks> kept;
  std::vector<Variant> variants;
  std::vector<std::int32_t> sizes;
  const auto add = [&](std::string name, std::int32_t size, int repeats, auto work) {
    variants.push_back(in_a_row(std::move(name), repeats, work));
    sizes.push_back(size);
  };
  for (const std::int32_t size : {1 << 10, 1 << 12, 1 << 17}) {
    const int repeats = std::max(1, (1 << 18) / size);
    Ranks& strided = kept.emplace_back(size);
    evaluate(StridedBlocks::linear(1, 2, size), 0, strided);
    Ranks& blocks = kept.emplace_back(size);
    evaluate(three_digits(size), 0, blocks);
    const Ranks& random = kept.emplace_back(shuffled(size, 4));
    add("detect a stride", size, repeats, [&] { keep(detect(strided)); });
    add("detect three digits", size, repeats, [&] { keep(detect(blocks)); });
    add("give up on a permutation", size, repeats, [&] { keep(detect(random)); });
    add("compare element by element, plain loop", size, repeats,
        [&] { keep(mismatch_kernels().back().run(strided, 1, 1, 2)); });
    add("pack a permutation", size, std::max(1, repeats / 64),
        [&] { keep(RankMap::from_lpids(0, random, MapForm::blocks)); });
  }
  const StridedBlocks outer = three_digits(1 << 20);
  const StridedBlocks inner = StridedBlocks::linear(1, 2, 1 << 19);
  add("compose two patterns", 1 << 20, 1000, [&] { keep(compose(outer, inner)); });
  const RankMap world = RankMap::identity(0, 1 << 20, MapForm::blocks);
  add("derive a split, make and drop its map", 1 << 20, 1000, [&] { keep(world.derive(inner)); });
  const auto medians = interleaved_medians(variants, rounds);
  for (std::size_t v = 0; v < variants.size(); ++v)
    table.rows.push_back({variants[v].name, count_text(sizes[v]), Cell(medians[v], 0), Cell(medians[v] / sizes[v], 4)});
  return table;
}

FigureTable group_operations(int rounds) {
  FigureTable table;
  table.name = "groups";
  table.title = "Group operations from the maps, without a host";
  table.source =
      "Open MPI 4.1 translates in time quadratic in the ranks: 17, 66, 118, 230 ns a rank at 8, 32, 64, 128 ranks";
  table.columns = {"operation", "processes", "us", "ns a process"};
  struct Groups {
    RankMap world, even, scattered, other;
    Ranks all, out;
  };
  std::deque<Groups> kept;
  std::vector<Variant> variants;
  std::vector<std::int32_t> sizes;
  for (const std::int32_t size : {128, 1 << 14, 1 << 20}) {
    const RankMap world = RankMap::identity(0, size, MapForm::blocks);
    const Ranks order = shuffled(size, 5), half(order.begin(), order.begin() + size / 2);
    Groups& g = kept.emplace_back(Groups{world, world.derive(StridedBlocks::linear(0, 2, size / 2)),
                                         world.derive(order), world.derive(half), all_ranks(size), all_ranks(size)});
    const auto add = [&](std::string name, auto work) {
      variants.push_back(in_a_row(std::move(name), std::max(1, (1 << 16) / size), work));
      sizes.push_back(size);
    };
    constexpr RankSentinels sentinels{-32766, -2};
    add("translate_ranks, world to a split", [&] { keep(translate(g.world, g.all, g.even, sentinels, g.out)); });
    add("translate_ranks, reordered to world", [&] { keep(translate(g.scattered, g.all, g.world, sentinels, g.out)); });
    add("translate_ranks, world to reordered", [&] { keep(translate(g.world, g.all, g.scattered, sentinels, g.out)); });
    add("compare, equal formulas", [&] { keep(compare(g.world, g.world)); });
    add("compare, similar", [&] { keep(compare(g.world, g.scattered)); });
    add("difference, world minus a split", [&] { keep(difference(g.world, g.even)); });
    add("difference, world minus half at random", [&] { keep(difference(g.world, g.other)); });
  }
  const auto medians = interleaved_medians(variants, rounds);
  for (std::size_t v = 0; v < variants.size(); ++v)
    table.rows.push_back(
        {variants[v].name, count_text(sizes[v]), Cell(medians[v] / 1e3, 2), Cell(medians[v] / sizes[v], 2)});
  return table;
}

// All ranks of a group, as ranks of another, by what is kept of both; the groups of bench_overhead/measure.c.
FigureTable translations(int rounds) {
  FigureTable table;
  table.name = "translation";
  table.title = "Translating all ranks of a group from the maps, ns a rank, by what is kept";
  table.source = "goal: at most 2 ns a rank in every form";
  table.columns = {"from and to", "processes"};
  for (const MapForm form : tracked_forms) table.columns.emplace_back(name(form));
  table.columns.emplace_back("blocks are");
  table.notes = {"Tables of a million processes lie in the outer caches: what is measured there is memory."};

  struct Translation {
    RankMap from, to;
    Ranks all, out;
  };
  for (const std::int32_t size : {96, 1 << 14, 1 << 20}) {
    const Ranks all = all_ranks(size), permuted = shuffled(size, 7);
    Ranks left_out;
    std::copy_if(all.begin(), all.end(), std::back_inserter(left_out),
                 [](std::int32_t r) { return r % 1009 * 7919 % 1009 % 3 != 0; });
    const std::vector<std::pair<std::string, Ranks>> shapes{
        {"reversed", {all.rbegin(), all.rend()}},
        {"permuted", permuted},
        {"some left out", left_out},
        {"scattered half", {permuted.begin(), permuted.begin() + size / 2}}};
    for (const auto& [shape, ranks] : shapes)
      for (const std::string& what : {shape + " to world", "world to " + shape, shape + " to permuted"}) {
        std::deque<Translation> kept;
        std::vector<Variant> variants;
        std::string blocks_are;
        for (const MapForm form : tracked_forms) {
          const RankMap world = RankMap::identity(0, size, form), group = world.derive(ranks);
          const RankMap& from = what.starts_with("world") ? world : group;
          const RankMap to = what.ends_with(" world")    ? world
                             : what.starts_with("world") ? group
                                                         : world.derive(shuffled(size, 8));
          Translation& t = kept.emplace_back(Translation{from, to, all_ranks(from.size()), all_ranks(from.size())});
          if (form == MapForm::blocks) blocks_are = group.model();
          variants.push_back(in_a_row(
              "", std::max(1, (1 << 14) / size),
              [&t] {
                keep(translate(t.from, t.all, t.to, {-32766, -2}, t.out));
              },
              from.size()));
        }
        std::vector<Cell> row{what, count_text(size)};
        for (const double ns : interleaved_medians(variants, rounds)) row.emplace_back(ns, 2);
        row.emplace_back(blocks_are);
        table.rows.push_back(std::move(row));
      }
  }
  return table;
}

}  // namespace marshal::tools
