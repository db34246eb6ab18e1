// marshal-bench-pack-HOST, which `marshal bench pack` starts. It packs and unpacks the layouts of layouts.h in every
// way, the host's own MPI_Pack and MPI_Unpack among them, and verifies all results. It prints GB/s of packed bytes, or
// counts of instructions and cache misses. `marshal` is MPI_Pack and MPI_Unpack as a program under Marshal gets them,
// when the library is preloaded: the better of host and engine, and the cost of the call. `again` is the host a second
// time: as much as it differs from `host` is noise.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "datatype/flatten.h"
#include "datatype/plan.h"
#include "datatype/reference_copy.h"
#include "report/json.h"
#include "tools/bench_pack/brief_types.h"
#include "tools/bench_pack/commit_places.h"
#include "tools/bench_pack/counting.h"
#include "tools/bench_pack/fixed_costs.h"
#include "tools/bench_pack/fragments.h"
#include "tools/bench_pack/layouts.h"
#include "tools/bench_pack/mpi_type.h"
#include "tools/bench_pack/pattern.h"
#include "tools/bench_pack/ratios.h"
#include "tools/bench_pack/touched_memory.h"
#include "tools/command_line.h"
#include "tools/timing.h"

using namespace marshal;
using namespace marshal::bench;
using namespace marshal::datatype;
using namespace marshal::tools;
using report::Json;

namespace {

struct Options {
  std::vector<std::int64_t> sizes{256, 4096, 65536, 1 << 20, 16 << 20};
  std::string only = ".*";
  std::vector<std::int64_t> fragments;
  std::vector<std::int64_t> segments{8, 32, 128, 512};
  std::string isa = "best";
  int rounds = 9;
  double slice = 200e-6;
  bool cold = false, counts = false, fixed = false, threads = false, json = false;
};

// Whether MPI_Pack is Marshal's, and PMPI_Pack the host's.
bool under_marshal() { return dlsym(RTLD_DEFAULT, "marshal_node") != nullptr; }

const Kernels* kernels_named(const std::string& isa) {
  if (isa == "generic") return &generic_kernels;
  if (isa == "avx2") return avx2_kernels();
  if (isa == "avx512") return avx512_kernels();
  return &best_kernels();
}

struct Measured {
  std::string group, name;
  std::int64_t bytes;
  bool unpack;
  std::map<std::string, double> values;  // GB/s, or counts
};

struct PassedOver {
  std::string name;
  std::int64_t bytes, memory;
};

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {
    if (options.counts) counting_.emplace();
  }

  void run() {
    for (const auto size : options_.sizes) {
      std::size_t number = 0;
      for (const auto& layout : layouts(size)) {
        if (wanted_.matches(layout.group + "/" + layout.name)) measure(layout, number);
        ++number;
      }
    }
    if (options_.json)
      print_json();
    else if (!options_.counts)
      print_means();
  }

 private:
  void measure(const Layout& layout, std::size_t number) {
    const Pieces pieces = flattened(layout.type);
    const std::int64_t extent = layout.type.extent(), bytes = layout.bytes();
    const Span all = layout.touched(pieces);
    // User's memory, and two copies of it to verify what was unpacked.
    if (const std::int64_t memory = 3 * (all.end - all.first); memory > most_memory()) {
      pass_over(layout, memory);
      return;
    }
    Memory user(all.end - all.first), packed(bytes), expected(bytes), spare(bytes);
    user.fill();
    std::byte* origin = user.data() - all.first;
    reference_pack(pieces, extent, layout.count, origin, expected.data(), {0, bytes});

    const std::int64_t bound_bytes = (touched_lines(pieces, extent, layout.count) * 64 + bytes) / 2;
    Memory bound_from(bound_bytes), bound_to(bound_bytes);

    for (const bool unpack : {false, true}) {
      std::vector<std::unique_ptr<Plan>> plans;
      std::vector<Variant> variants;
      std::byte* to = packed.data();
      const auto with_plan = [&](const std::string& name, Strategy strategy, std::int64_t segment) {
        CompileOptions options;
        options.kernels = kernels_named(options_.isa);
        options.strategy = strategy;
        if (segment > 0) options.segment = {Segment::Unit::iterations, segment};
        plans.push_back(std::make_unique<Plan>(pieces, extent, options));
        const Plan* plan = plans.back().get();
        variants.push_back({name, [plan, count = layout.count, origin, to, unpack] {
                              if (unpack)
                                plan->unpack(count, origin, to);
                              else
                                plan->pack(count, origin, to);
                            }});
      };
      const MpiType type(layout.type, commit_at_place(number));
      const auto with_calls = [&](const std::string& name, decltype(&MPI_Pack) pack, decltype(&MPI_Unpack) unpack_by) {
        variants.push_back({name, [&, pack, unpack_by] {
                              int position = 0;
                              const int n = static_cast<int>(bytes), count = static_cast<int>(layout.count);
                              if (unpack)
                                unpack_by(to, n, &position, origin, count, type.get(), MPI_COMM_SELF);
                              else
                                pack(origin, count, type.get(), to, n, &position, MPI_COMM_SELF);
                            }});
      };
      const auto cool = [&] {
        if (!options_.cold) return;
        for (const Memory* m : {&user, &packed, &spare, &bound_from, &bound_to}) evict(*m);
      };
      with_calls("host", PMPI_Pack, PMPI_Unpack);
      if (under_marshal()) {
        with_calls("marshal", MPI_Pack, MPI_Unpack);
        settle(variants.back(), bytes, cool);
      }
      if (!options_.counts) with_calls("again", PMPI_Pack, PMPI_Unpack);
      variants.push_back({"hand", [&] { layout.by_hand({origin, to, unpack}); }});
      with_plan("iovec", Strategy::iovec, 0);
      for (const auto s : options_.segments) with_plan("mars" + std::to_string(s), Strategy::mars, s);
      with_plan("auto", Strategy::automatic, 0);
      variants.push_back(
          {"memcpy", [&] { std::memcpy(spare.data(), packed.data(), static_cast<std::size_t>(bytes)); }});
      variants.push_back(
          {"bound", [&] { std::memcpy(bound_to.data(), bound_from.data(), static_cast<std::size_t>(bound_bytes)); }});

      verify(layout, variants, unpack, {user.data(), user.size}, packed, expected);
      if (options_.counts) {
        count(layout, unpack, variants);
        std::memcpy(packed.data(), expected.data(), packed.size);
        continue;
      }
      if (options_.cold)
        for (Variant& variant : variants) variant.prepare = cool;
      record(layout, unpack, variants,
             interleaved_medians(options_.cold ? variants : repeated(variants, options_.slice), options_.rounds,
                                 Turns::shuffled));
      std::memcpy(packed.data(), expected.data(), packed.size);
    }
  }

  void pass_over(const Layout& layout, std::int64_t memory) {
    passed_over_.push_back({layout.name, layout.bytes(), memory});
    if (!options_.json)
      std::printf("%-22s %9lld passed over: takes %.1f GB of memory\n", layout.name.c_str(),
                  static_cast<long long>(layout.bytes()), static_cast<double>(memory) * 1e-9);
  }

  // In the first calls Marshal reads a type, plans it and compares engine and host; so these calls are not measured.
  static void settle(const Variant& variant, std::int64_t bytes, const std::function<void()>& cool) {
    using Clock = std::chrono::steady_clock;
    constexpr std::int64_t least_calls = 400, least_bytes = 1 << 20;
    const auto latest = Clock::now() + std::chrono::seconds(4);
    for (std::int64_t i = 0; (i < least_calls || i * bytes < least_bytes) && Clock::now() < latest; ++i) {
      cool();
      variant.run();
    }
  }

  void count(const Layout& layout, bool unpack, const std::vector<Variant>& variants) {
    std::vector<std::map<std::string, double>> counts(counting_->events().size());
    for (const auto& v : variants) {
      const std::vector<double> of = counting_->of(v.run);
      for (std::size_t e = 0; e < counts.size(); ++e) counts[e][v.name] = of[e];
    }
    for (std::size_t e = 0; e < counts.size(); ++e) {
      Measured m{layout.group, layout.name, layout.bytes(), unpack, std::move(counts[e])};
      if (!options_.json) print(m, variants, counting_->events()[e]);
      measured_.push_back(std::move(m));
    }
  }

  static void verify(const Layout& layout, const std::vector<Variant>& variants, bool unpack, Bytes user,
                     const Memory& packed, const Memory& expected) {
    const Bytes saved = unpack ? user : Bytes{user.data, 0};
    const Memory before(saved), after(saved);
    bool after_is_known = false;
    for (const auto& v : variants) {
      if (v.name == "memcpy" || v.name == "bound") continue;
      if (!unpack) {
        std::memset(packed.data(), 0, packed.size);
        v.run();
        if (std::memcmp(packed.data(), expected.data(), packed.size) == 0) continue;
      } else {
        // Other bytes, so that what is not written shows; the first variant says what the result is.
        for (std::size_t i = 0; i < packed.size; ++i) packed.data()[i] = ~expected.data()[i];
        v.run();
        if (!after_is_known) std::memcpy(after.data(), user.data, user.size);
        after_is_known = true;
        const bool right = std::memcmp(user.data, after.data(), user.size) == 0 &&
                           std::memcmp(user.data, before.data(), user.size) != 0;
        std::memcpy(user.data, before.data(), user.size);
        std::memcpy(packed.data(), expected.data(), packed.size);
        if (right) continue;
      }
      std::fprintf(stderr, "marshal-bench-pack: %s: %s gives other bytes than expected\n", layout.name.c_str(),
                   v.name.c_str());
      std::exit(1);
    }
  }

  void record(const Layout& layout, bool unpack, const std::vector<Variant>& variants, const std::vector<double>& ns) {
    Measured m{layout.group, layout.name, layout.bytes(), unpack, {}};
    for (std::size_t v = 0; v < variants.size(); ++v) m.values[variants[v].name] = static_cast<double>(m.bytes) / ns[v];
    if (!options_.json) print(m, variants, caches());
    measured_.push_back(std::move(m));
  }

  std::string caches() const { return options_.cold ? "cold" : "warm"; }

  void print(const Measured& m, const std::vector<Variant>& variants, const std::string& what) const {
    const int wide = options_.counts ? 30 : 4, digits = options_.counts ? 0 : 2;
    if (measured_.empty()) {
      std::printf("%-22s %9s %-6s %-*s", "layout", "bytes", "", wide, "");
      for (const auto& v : variants) std::printf(" %7s", v.name.c_str());
      std::printf("%s\n", options_.counts ? "" : "   (GB/s)");
    }
    std::printf("%-22s %9lld %-6s %-*s", m.name.c_str(), static_cast<long long>(m.bytes), m.unpack ? "unpack" : "pack",
                wide, what.c_str());
    for (const auto& v : variants) std::printf(" %7.*f", digits, m.values.at(v.name));
    std::printf("\n");
    std::fflush(stdout);
  }

  Ratios against(const std::string& variant, const std::string& other, const std::string& group) const {
    Ratios all(0.97);
    for (const auto& m : measured_)
      if ((group.empty() || m.group == group) && m.values.contains(other) && m.values.contains(variant))
        all.add(m.values.at(variant) / m.values.at(other), m.name, m.bytes, m.unpack);
    return all;
  }

  std::set<std::string> groups() const {
    std::set<std::string> all{""};
    for (const auto& m : measured_) all.insert(m.group);
    return all;
  }
  // The comparisons: MPI_Pack under Marshal with the host's and the loops by hand, the engine with everything.
  std::vector<std::pair<std::string, std::string>> pairs() const {
    std::set<std::string> others;
    for (const auto& m : measured_)
      for (const auto& [name, value] : m.values) others.insert(name);
    std::vector<std::pair<std::string, std::string>> all;
    if (others.erase("marshal") > 0) all = {{"marshal", "host"}, {"marshal", "hand"}};
    others.erase("auto");
    if (others.erase("again") > 0) all.emplace_back("again", "host");
    for (const auto& other : others) all.emplace_back("auto", other);
    return all;
  }

  void print_means() const {
    for (const auto& [variant, other] : pairs()) {
      std::printf("\n%s against %s (%s): geometric mean, share of points at least 0.97, worst point\n", variant.c_str(),
                  other.c_str(), caches().c_str());
      for (const auto& group : groups()) {
        if (const Ratios of = against(variant, other, group); !of.empty())
          std::printf("%-11s %s\n", group.empty() ? "all" : group.c_str(), of.text().c_str());
      }
    }
  }

  static Json values_json(const std::map<std::string, double>& values) {
    Json object = Json::object();
    for (const auto& [variant, value] : values) object.add(variant, value);
    return object;
  }

  void print_json() const {
    Json all = Json::object({{"kernels", kernels_named(options_.isa)->name}}), points, passed_over, means;
    for (const auto& m : measured_)
      points.push_back(Json::object({{"group", m.group},
                                     {"layout", m.name},
                                     {"bytes", m.bytes},
                                     {"direction", m.unpack ? "unpack" : "pack"},
                                     {"caches", caches()},
                                     {options_.counts ? "counts" : "gbs", values_json(m.values)}}));
    for (const auto& p : passed_over_)
      passed_over.push_back(Json::object({{"layout", p.name}, {"bytes", p.bytes}, {"memory", p.memory}}));
    for (const auto& [variant, other] : pairs())
      for (const auto& group : groups()) {
        const Ratios of = against(variant, other, group);
        if (of.empty() || options_.counts) continue;
        Json mean = Json::object(
            {{"variant", variant}, {"against", other}, {"group", group.empty() ? "all" : group}, {"caches", caches()}});
        of.add_to(mean);
        means.push_back(std::move(mean));
      }
    all.add("points", std::move(points));
    all.add("passed_over", std::move(passed_over));
    all.add("means", std::move(means));
    std::puts(report::json_text(all, 2).c_str());
  }

  Options options_;
  Pattern wanted_{options_.only};
  std::optional<Counting> counting_;
  std::vector<Measured> measured_;
  std::vector<PassedOver> passed_over_;
};

// For `marshal bench pack`, which starts this program with and without Marshal.
void print_fixed_costs() {
  Json costs;
  for (const auto& some : {fixed_costs(), brief_types(MPI_COMM_SELF, 0)})
    for (const FixedCost& cost : some) costs.push_back(Json::object({{"what", cost.what}, {"ns", cost.ns}}));
  std::puts(report::json_text(Json::object({{"costs", std::move(costs)}}), 2).c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CommandLine line("marshal bench pack",
                   "Measures packing of datatypes: the host, loops by hand, and Marshal's strategies.");
  // `marshal bench pack` chooses the MPI before this program is started.
  std::string mpi;
  line.option("--mpi", &mpi, "openmpi or mpich (default: every one Marshal was built for)",
              {.among = {"openmpi", "mpich"}});
  line.option("--sizes", &options.sizes, "packed bytes", {.shows_default = true, .commas = true});
  line.option("--only", &options.only, "layouts whose group/name matches this regular expression");
  line.option("--segments", &options.segments, "segment sizes of the mars variants",
              {.shows_default = true, .commas = true});
  line.option("--fragments", &options.fragments, "the engine alone, whole and in fragments of so many packed bytes",
              {.positive = true, .commas = true});
  line.option("--isa", &options.isa, "kernels to use", {.among = {"best", "generic", "avx2", "avx512"}});
  line.option("--rounds", &options.rounds, "samples of each variant; with --fixed, runs",
              {.positive = true, .shows_default = true});
  line.option("--slice", &options.slice, "seconds of a sample", {.positive = true, .shows_default = true});
  line.flag("--cold", options.cold, "with caches that hold nothing of the data, in every call");
  line.flag("--counts", options.counts, "instructions and cache misses instead of times");
  line.flag("--fixed", options.fixed, "what commits and small packs cost, instead");
  line.flag("--threads", options.threads, "with MPI_THREAD_MULTIPLE, as programs that pack in several threads");
  line.flag("--json", options.json, "print JSON");
  if (const auto over = line.parse({argv, static_cast<std::size_t>(argc)})) return *over;
  if (kernels_named(options.isa) == nullptr) {
    std::fprintf(stderr, "marshal bench pack: this processor has no %s\n", options.isa.c_str());
    return 1;
  }
  if (!Pattern(options.only).valid()) {
    std::fprintf(stderr, "marshal bench pack: --only %s: no regular expression\n", options.only.c_str());
    return 2;
  }
  if (options.counts) {
    if (const Counting counting; counting.events().empty()) {
      std::printf("no counters in this processor: %s\n", counting.why_not().c_str());
      return 0;
    }
  }
  if (!options.fragments.empty())
    return print_fragment_rates({options.sizes, options.fragments, options.only, kernels_named(options.isa),
                                 options.rounds, options.slice, options.json})
               ? 0
               : 1;
  int given = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, options.threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &given);
  if (options.threads && given != MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "marshal bench pack: this MPI gives no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 1;
  }
  if (options.fixed)
    print_fixed_costs();
  else
    Bench(options).run();
  MPI_Finalize();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "marshal bench pack: %s\n", error.what());
  return 1;
}
