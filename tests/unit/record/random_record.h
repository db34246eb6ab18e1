// Random records for property tests: every member filled, keys drawn from a small pool so that merging meets equal
// ones.
#pragma once

#include <fmt/format.h>

#include <random>

#include "record/record.h"

namespace marshal::report {

class RandomRecords {
 public:
  explicit RandomRecords(unsigned seed) : random_(seed) {}

  std::uint64_t number(std::uint64_t below) { return random_() % below; }

  Spread spread() {
    Spread s;
    for (std::uint64_t i = number(3); i > 0; --i) s.add(number(1u << 20));
    return s;
  }
  Memory memory() {
    Memory m;
    if (number(5) == 0)
      m.unavailable = number(2) == 0 ? "malloc is replaced" : "not asked for";
    else
      m.add(100 + number(5000), number(100)), m.at_most = number(2);
    if (number(6) == 0) m.not_projected = "0 B measured";
    return m;
  }
  CallSite site(std::uint64_t pool) {
    const std::uint64_t which = number(pool);
    CallSite s{which % 3 == 0 ? "MPI_Comm_dup" : "MPI_Comm_split", {}};
    if (which % 7 != 0) s.frames = {{"/opt/app", which}, {"/lib/libm.so", which * 16}};
    if (which % 5 == 1) s.frames.push_back({"/opt/halo.py", 0, "Grid.exchange", which});
    return s;
  }
  std::string symbol() { return number(2) == 0 ? "" : fmt::format("f{}", number(3)); }

  RankedSpread ranked_spread(std::uint64_t rank) {
    RankedSpread s;
    if (number(4) != 0) s.add(number(1000), rank);
    return s;
  }
  Arrivals arrivals(std::uint64_t pool) {
    const std::uint64_t samples = number(5), last = number(9);
    return {samples, number(1000), number(1000), last, number(4), number(100), site(pool), symbol()};
  }
  Times times(std::uint64_t rank, std::uint64_t pool) {
    Times t;
    t.run.add(1000 + number(1000), number(1000), rank);
    t.paused_ns = spread();
    t.other_threads_ns = spread();
    t.bars[rank].add(number(1000));
    for (int i = 0; i < 3; ++i)
      t.places[{site(pool), site(pool)}].merge(
          {number(100), ranked_spread(rank), number(9), spread(), symbol(), symbol(), arrivals(pool)});
    t.waiting[rank].add(number(1000));
    RegionTime region{.entries = 1 + number(3)};
    region.run.add(500, number(500), rank);
    region.calls_ns = {{"MPI_Barrier", number(100)}};
    t.regions[number(2) == 0 ? "setup" : "solve"].merge(region);
    return t;
  }

  CommunicatorSite communicator_site() {
    CommunicatorSite s{.communicators = number(4),
                       .made = spread(),
                       .freed = spread(),
                       .alive = spread(),
                       .most_alive = spread(),
                       .ranks = spread()};
    s.never_used = number(3), s.like_parent = number(3), s.nested_duplicates = number(3);
    s.intercommunicators = number(3);
    s.not_known = s.intercommunicators;
    s.models = {{number(2) == 0 ? "stride" : "lut", 1 + number(3)}};
    s.marshal = memory();
    s.host = memory();
    s.host_in_passing_bytes = spread();
    s.vc_vcrt = memory();
    s.av_rankmap = memory();
    s.creation_ns = number(1000000);
    s.marshal_ns = number(1000);
    s.symbol = symbol();
    return s;
  }
  GridMetrics metrics() {
    GridMetrics m{.jsum = static_cast<double>(number(5000)) / 8,
                  .jmax = static_cast<double>(number(100)),
                  .on_node = spread(),
                  .off_node = spread()};
    m.predicted_exchange_s = static_cast<double>(number(1000)) * 1e-6;
    m.limited_by = number(2) == 0 ? "network" : "processes";
    m.node_runs = {{0, 1 + number(8)}, {1, 1 + number(8)}};
    return m;
  }
  MessageWork messages() {
    MessageWork w{.messages = number(9), .fragments = number(90), .bytes = number(1u << 20)};
    w.engine_messages = number(9);
    w.engine_fragments = number(90);
    w.engine_bytes = number(1u << 19);
    w.timed_bytes = number(1u << 18);
    w.timed_ns = number(1u << 18);
    w.host_bytes = number(1u << 17);
    w.host_ns = number(1u << 17);
    return w;
  }
  PlacedBytes placed_bytes() { return {number(1u << 20), number(1u << 20)}; }
  BytesOfNodes bytes_of_nodes() {
    BytesOfNodes nodes;
    for (std::uint64_t i = number(3); i > 0; --i) nodes[number(5)].merge(placed_bytes());
    return nodes;
  }
  // More kinds than there is room for, now and then.
  void add_collectives(CollectiveCount& count, std::uint64_t calls, std::uint64_t bytes) {
    const std::uint64_t kinds = calls == 0 ? 2 * CollectiveCount::most_kinds : calls;
    for (std::uint64_t i = 0; i < kinds; ++i)
      count.add({(bytes + 37 * i) % 100, std::uint64_t{1} << (bytes + i) % 20}, {calls, bytes});
  }
  Traffic traffic() {
    Traffic t{.processes = 1, .messages = number(100), .bytes = number(1u << 20)};
    t.between_nodes = placed_bytes();
    t.leaving = bytes_of_nodes();
    t.foreign_messages = number(3);
    t.foreign_bytes = number(300);
    t.lost_messages = number(2);
    t.unknown_messages = t.foreign_messages + t.lost_messages;
    t.unknown_bytes = t.foreign_bytes / 2;
    t.unsized = t.foreign_messages;
    t.derived_messages = t.messages / 2;
    t.derived_bytes = t.bytes / 2;
    if (t.messages % 3 == 0) t.tried_orders = 1, t.tried_order_bytes = t.bytes / 3;
    for (std::uint64_t i = number(3); i > 0; --i) {
      const std::uint64_t calls = number(5), bytes = number(1 << 20);
      add_collectives(t.collectives[fmt::format("MPI_{}", number(5))], calls, bytes);
    }
    t.file = number(2) == 0 ? "" : "a.traffic";
    t.profile = t.file.empty() ? "" : "app.profile";
    for (std::uint64_t i = number(4); i > 0; --i) t.heat[{number(3), number(3)}].merge(placed_bytes());
    return t;
  }
  // More displacements than there is room for, now and then.
  GridTraffic grid_traffic() {
    GridTraffic t{.processes = 1, .messages = number(100), .bytes = number(1u << 20)};
    t.between_nodes = placed_bytes();
    t.leaving = bytes_of_nodes();
    for (std::uint64_t i = number(200); i > 0; --i)
      t.add(fmt::format("{},{}", number(30), number(30)), false, {1, number(99)});
    for (std::uint64_t i = number(5); i > 0; --i) t.add(fmt::format("{},1", number(3)), true, {1, number(99)});
    return t;
  }
  PackWork work() {
    PackWork w{.calls = number(9), .bytes = number(1u << 20)};
    w.engine_bytes = number(w.bytes + 1);
    if (number(3) != 0) w.timed_bytes = number(w.engine_bytes + 1), w.timed_ns = 1 + number(1u << 20);
    if (number(2) != 0) w.host_bytes = number(1u << 20), w.host_ns = 1 + number(1u << 20);
    w.touched_bytes = number(1u << 20);
    return w;
  }
  CoreUse core_use(std::uint64_t rank) {
    if (number(2) == 0) return {};
    return {1,
            1 + number(4),
            number(1u << 30),
            {rank, 1 + number(4), number(9), 1 + number(4), number(4), fmt::format("node{}", rank % 3), "srun", ""}};
  }
  DatatypeLayout layout() {
    DatatypeLayout d{.size = number(100),
                     .lower_bound = -static_cast<std::int64_t>(number(10)),
                     .extent = static_cast<std::int64_t>(number(200))};
    d.blocks = number(9);
    d.commits = 1 + number(3);
    d.plans = {{number(2) == 0 ? "mars" : "host", 2}};
    d.segment = number(64);
    d.pack = work();
    d.sent = messages();
    d.received = messages();
    d.picture = {{-4, 8}, {16, 8}};
    d.site = site(5);
    d.symbol = symbol();
    return d;
  }

  // The record of one rank. `pool`: how many call sites, grids and layouts there are in the program.
  Record record(std::uint64_t rank, std::uint64_t pool) {
    Record r;
    r.job.program = "app";
    r.job.path = "/opt/app";
    r.job.arguments = {"app", "-n"};
    r.job.host = fmt::format("node{}", rank % 3);
    r.job.ranks = 64;
    r.job.nodes = 3;
    r.job.project_ranks = 1 << 20;
    r.job.settings = {{"MARSHAL_CART", "search (environment)"}};
    r.ranks = RankSet(rank);
    if (number(4) == 0) r.partial = RankSet(rank);
    if (number(2) == 0) r.bindings.insert("C");
    if (number(3) == 0) r.bindings.insert("Fortran mpif.h");
    for (Spread* s : {&r.own.wall_ns, &r.own.init_ns, &r.own.finalize_ns, &r.own.waited_ns, &r.own.inside_ns,
                      &r.own.init_cpu_ns, &r.own.inside_cpu_ns, &r.own.finalize_cpu_ns, &r.own.map_bytes,
                      &r.own.map_bytes_peak, &r.own.tables_shared, &r.own.translations, &r.own.process_groups})
      *s = spread();
    r.times = times(rank, pool);
    r.traffic = traffic();
    for (int i = 0; i < 4; ++i)
      r.calls[fmt::format("MPI_{}", number(6))].merge({number(100), 1, ranked_spread(rank), number(9)});
    for (int i = 0; i < 6; ++i) r.communicators[site(pool)].merge(communicator_site());
    for (int i = 0; i < 6; ++i) r.objects[site(pool)].merge({spread(), spread(), spread(), symbol()});
    r.communicators_at_once = ranked_spread(rank);
    r.files = {number(3),         {number(9), number(4096)}, {number(9), number(4096)},
               {1, 2, number(7)}, {number(2), 5, 6},         number(99)};
    r.cores = {core_use(rank), core_use(rank), core_use(rank), core_use(rank)};
    for (int i = 0; i < 3; ++i) {
      const GridKey key{site(pool), {4, 1 + number(pool)}, {0, 1}, "search", number(2) == 0};
      Grid grid{.made = 1 + number(2),
                .processes = 8,
                .nodes = 2,
                .moved_ranks = number(8),
                .before = metrics(),
                .after = metrics()};
      grid.lower_bound = 3.5;
      if (number(2) == 0) grid.jsum_by_mapper = {{"given", number(20)}, {"search", number(20)}};
      grid.reason = number(2) == 0 ? "" : "nothing to gain";
      grid.learned_from = grid.reason.empty() ? "" : "job 7";
      grid.mapping_ns = spread();
      grid.symbol = symbol();
      grid.traffic = grid_traffic();
      r.grids[key].merge(grid);
    }
    for (int i = 0; i < 4; ++i) r.datatypes[{fmt::format("{} x 8 B", number(pool)), number(2)}].merge(layout());
    r.warn(fmt::format("warning {}", number(pool)));
    r.counters["PAPI_TOT_INS"].merge({number(100), number(100), 1, ""});
    return r;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace marshal::report
