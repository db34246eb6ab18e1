// marshal-bench-pack-HOST, which `marshal bench pack` starts. It packs and unpacks the layouts of layouts.h in every
// way, the host's own MPI_Pack and MPI_Unpack among them, and verifies all results. `marshal` is MPI_Pack and
// MPI_Unpack as a program under Marshal gets them: the better of host and engine, and the cost of the call. `again` is
// the host a second time: as much as it differs from `host` is noise.
//
// Arguments: those of LayoutArguments, then segment sizes with commas, and "cold" or "warm"; or "fixed" alone.
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
#include "tools/bench/layouts.h"
#include "tools/bench/mpi_type.h"
#include "tools/timing.h"

using namespace marshal;
using namespace marshal::bench;
using namespace marshal::datatype;
using namespace marshal::tools;

namespace {

class Bench {
 public:
  explicit Bench(char** arguments)
      : asked_(arguments),
        segments_(LayoutArguments::numbers(arguments[5])),
        cold_(std::string_view(arguments[6]) == "cold") {}

  void run() {
    for (const auto size : asked_.sizes) {
      std::size_t number = 0;
      for (const auto& layout : layouts(size)) {
        if (asked_.wanted.matches(layout)) measure(layout, size, number);
        ++number;
      }
    }
  }

 private:
  void measure(const Layout& layout, std::int64_t asked_for, std::size_t number) {
    const Pieces pieces = flattened(layout.type);
    const std::int64_t extent = layout.type.extent(), bytes = layout.bytes();
    const Span all = layout.touched(pieces);
    // User's memory, and two copies of it to verify what was unpacked.
    if (const std::int64_t memory = 3 * (all.end - all.first); memory > most_memory()) {
      print_passed_over(layout, memory);
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
        if (!cold_) return;
        for (const Memory* m : {&user, &packed, &spare, &bound_from, &bound_to}) evict(*m);
      };
      with_calls("host", PMPI_Pack, PMPI_Unpack);
      with_calls("marshal", MPI_Pack, MPI_Unpack);
      settle(variants.back(), bytes, cool);
      with_calls("again", PMPI_Pack, PMPI_Unpack);
      with_plan("iovec", Strategy::iovec, 0);
      for (const auto s : segments_) with_plan("mars" + std::to_string(s), Strategy::mars, s);
      with_plan("auto", Strategy::automatic, 0);
      variants.push_back(
          {"memcpy", [&] { std::memcpy(spare.data(), packed.data(), static_cast<std::size_t>(bytes)); }});
      variants.push_back(
          {"bound", [&] { std::memcpy(bound_to.data(), bound_from.data(), static_cast<std::size_t>(bound_bytes)); }});

      verify(layout, variants, unpack, {user.data(), user.size}, packed, expected);
      if (cold_)
        for (Variant& variant : variants) variant.prepare = cool;
      const std::vector<double> ns =
          interleaved_medians(cold_ ? variants : repeated(variants, asked_.slice), asked_.rounds, Turns::shuffled);
      std::vector<TimedVariant> timed;
      for (std::size_t v = 0; v < variants.size(); ++v) timed.push_back({variants[v].name, ns[v] * 1e-9});
      print_point(cold_ ? "cold" : "warm", unpack ? "MPI_Unpack" : "MPI_Pack", layout, asked_for,
                  packed_size(pieces) / block_count(pieces), timed);
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

  LayoutArguments asked_;
  std::vector<std::int64_t> segments_;
  bool cold_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2 && argc != 7) return 2;
  MPI_Init(nullptr, nullptr);
  if (argc == 7)
    Bench(argv).run();
  else
    print(fixed_costs());
  MPI_Finalize();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "marshal bench pack: %s\n", error.what());
  return 1;
}
