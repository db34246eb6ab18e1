// marshal-bench-pack-HOST, which `marshal bench pack` starts. It packs and unpacks the layouts of layouts.h in every
// way, the host's own MPI_Pack and MPI_Unpack among them, and verifies all results. It prints microseconds.
// `marshal` is MPI_Pack and MPI_Unpack as a program under Marshal gets them, when the library is preloaded: the better
// of host and engine, and the cost of the call. `again` is the host a second time: as much as it differs from `host` is
// noise.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>

#include "datatype/flatten.h"
#include "datatype/plan.h"
#include "datatype/walk.h"
#include "record/json.h"
#include "tools/bench/fixed_costs.h"
#include "tools/bench/mpi_type.h"
#include "tools/bench/points.h"
#include "tools/command_line.h"
#include "tools/timing.h"

using namespace marshal;
using namespace marshal::bench;
using namespace marshal::datatype;
using namespace marshal::tools;
using report::Json;

namespace {

struct Options : LayoutOptions {
  std::vector<std::int64_t> segments{8, 32, 128, 512};
  bool cold = false, fixed = false;
};

// Whether MPI_Pack is Marshal's, and PMPI_Pack the host's.
bool under_marshal() { return dlsym(RTLD_DEFAULT, "marshal_node") != nullptr; }

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {}

  void run() {
    for (const auto size : options_.sizes) {
      std::size_t number = 0;
      for (const auto& layout : layouts(size)) {
        if (wanted_.matches(layout)) measure(layout, size, number);
        ++number;
      }
    }
    points_.print_end();
  }

 private:
  void measure(const Layout& layout, std::int64_t asked_for, std::size_t number) {
    const Pieces pieces = flattened(layout.type);
    const std::int64_t extent = layout.type.extent(), bytes = layout.bytes();
    const Span all = layout.touched(pieces);
    // User's memory, and two copies of it to verify what was unpacked.
    if (const std::int64_t memory = 3 * (all.end - all.first); memory > most_memory()) {
      points_.pass_over(layout, static_cast<double>(memory));
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
      with_calls("again", PMPI_Pack, PMPI_Unpack);
      variants.push_back({"hand", [&] { layout.by_hand({origin, to, unpack}); }});
      with_plan("iovec", Strategy::iovec, 0);
      for (const auto s : options_.segments) with_plan("mars" + std::to_string(s), Strategy::mars, s);
      with_plan("auto", Strategy::automatic, 0);
      variants.push_back(
          {"memcpy", [&] { std::memcpy(spare.data(), packed.data(), static_cast<std::size_t>(bytes)); }});
      variants.push_back(
          {"bound", [&] { std::memcpy(bound_to.data(), bound_from.data(), static_cast<std::size_t>(bound_bytes)); }});

      verify(layout, variants, unpack, {user.data(), user.size}, packed, expected);
      if (options_.cold)
        for (Variant& variant : variants) variant.prepare = cool;
      std::vector<double> seconds = interleaved_medians(options_.cold ? variants : repeated(variants, options_.slice),
                                                        options_.rounds, Turns::shuffled);
      for (double& nanoseconds : seconds) nanoseconds *= 1e-9;
      std::vector<std::string> names;
      for (const Variant& variant : variants) names.push_back(variant.name);
      points_.set_variants(std::move(names));
      points_.add({options_.cold ? "cold" : "warm", unpack ? "MPI_Unpack" : "MPI_Pack", layout.group, layout.name,
                   asked_for, bytes, packed_size(pieces) / block_count(pieces), std::move(seconds)});
      std::memcpy(packed.data(), expected.data(), packed.size);
    }
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

  Options options_;
  Pattern wanted_{options_.only};
  Points points_{options_};
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
  options.sizes = {256, 4096, 65536, 1 << 20, 16 << 20};
  options.only = ".*";
  options.slice = 200e-6;
  CommandLine line("marshal bench pack",
                   "Measures packing of datatypes: the host, loops by hand, and Marshal's strategies.");
  options.add_to(line);
  line.option("--segments", &options.segments, "segment sizes of the mars variants",
              {.shows_default = true, .commas = true});
  line.flag("--cold", options.cold, "with caches that hold nothing of the data, in every call");
  line.flag("--fixed", options.fixed, "what commits and small packs cost, instead");
  if (const auto over = line.parse({argv, static_cast<std::size_t>(argc)})) return *over;
  if (!Pattern(options.only).valid()) {
    std::fprintf(stderr, "marshal bench pack: --only %s: no regular expression\n", options.only.c_str());
    return 2;
  }
  MPI_Init(nullptr, nullptr);
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
