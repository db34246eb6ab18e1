#include "tools/bench_pack/fragments.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "datatype/flatten.h"
#include "datatype/plan.h"
#include "report/json.h"
#include "tools/bench_pack/layouts.h"
#include "tools/bench_pack/pattern.h"
#include "tools/bench_pack/ratios.h"
#include "tools/bench_pack/touched_memory.h"
#include "tools/timing.h"

namespace marshal::bench {
namespace {

using namespace datatype;
using namespace tools;

struct Point {
  std::string group, name;
  std::int64_t bytes;
  bool unpack;
  double whole;                         // GB/s
  std::map<std::int64_t, double> rate;  // GB/s, by bytes of a fragment
};

class FragmentBench {
 public:
  explicit FragmentBench(const FragmentOptions& options) : options_(options) {}

  bool run() {
    const Pattern only(options_.only);
    for (const std::int64_t size : options_.sizes)
      for (const Layout& layout : layouts(size))
        if (only.matches(layout.group + "/" + layout.name) && !measure(layout)) return false;
    if (options_.json)
      print_json();
    else
      print_shares();
    return true;
  }

 private:
  bool measure(const Layout& layout) {
    const Pieces pieces = flattened(layout.type);
    const std::int64_t bytes = layout.bytes();
    const Span all = layout.touched(pieces);
    if (3 * (all.end - all.first) > most_memory()) return true;
    Memory user(all.end - all.first), packed(bytes);
    user.fill();
    std::byte* const origin = user.data() - all.first;
    CompileOptions compile;
    compile.kernels = options_.kernels;
    const Plan plan(pieces, layout.type.extent(), compile);
    while (!plan.is_settled(layout.count)) plan.pack(layout.count, origin, packed.data());

    for (const bool unpack : {false, true}) {
      const auto in_fragments_of = [&, unpack](std::int64_t each) {
        for (std::int64_t at = 0; at < bytes; at += each) {
          const PackedRange range{at, std::min(at + each, bytes)};
          if (unpack)
            plan.unpack_range(layout.count, origin, packed.data() + at, range);
          else
            plan.pack_range(layout.count, origin, packed.data() + at, range);
        }
      };
      std::vector<Variant> variants{{"whole", [&, unpack] {
                                       if (unpack)
                                         plan.unpack(layout.count, origin, packed.data());
                                       else
                                         plan.pack(layout.count, origin, packed.data());
                                     }}};
      for (const std::int64_t each : options_.fragments)
        variants.push_back({std::to_string(each), [=] { in_fragments_of(each); }});
      if (!all_the_same(variants, unpack, user, packed)) {
        std::fprintf(stderr, "marshal-bench-pack: %s: fragments give other bytes than the whole\n",
                     layout.name.c_str());
        return false;
      }
      const std::vector<double> ns =
          interleaved_medians(repeated(variants, options_.slice), options_.rounds, Turns::shuffled);
      const auto rate = [&](std::size_t v) { return static_cast<double>(bytes) / ns[v]; };
      Point point{layout.group, layout.name, bytes, unpack, rate(0), {}};
      for (std::size_t f = 0; f < options_.fragments.size(); ++f) point.rate[options_.fragments[f]] = rate(f + 1);
      if (!options_.json) print(point);
      points_.push_back(std::move(point));
    }
    return true;
  }

  // Each variant writes over other bytes, and must leave what the first one leaves.
  static bool all_the_same(const std::vector<Variant>& variants, bool unpack, Memory& user, Memory& packed) {
    Memory& written = unpack ? user : packed;
    const Memory before(Bytes{written.data(), written.size});
    if (unpack)
      for (std::size_t i = 0; i < packed.size; ++i) packed.data()[i] = ~packed.data()[i];
    variants.front().run();
    const Memory expected(Bytes{written.data(), written.size});
    bool same = true;
    for (const Variant& variant : variants) {
      std::memcpy(written.data(), before.data(), written.size);
      if (!unpack) std::memset(packed.data(), 0, packed.size);
      variant.run();
      same = same && std::memcmp(written.data(), expected.data(), written.size) == 0;
    }
    return same;
  }

  void print(const Point& p) const {
    if (points_.empty()) {
      std::printf("%-22s %9s %-6s %7s", "layout", "bytes", "", "whole");
      for (const std::int64_t each : options_.fragments) std::printf(" %7lld", static_cast<long long>(each));
      std::printf("   (GB/s)\n");
    }
    std::printf("%-22s %9lld %-6s %7.2f", p.name.c_str(), static_cast<long long>(p.bytes), p.unpack ? "unpack" : "pack",
                p.whole);
    for (const std::int64_t each : options_.fragments) std::printf(" %7.2f", p.rate.at(each));
    std::printf("\n");
    std::fflush(stdout);
  }

  // Over the layouts that fill several fragments of this size.
  Ratios ratios(std::int64_t each) const {
    Ratios all(0.9);
    for (const Point& p : points_)
      if (p.bytes >= 2 * each) all.add(p.rate.at(each) / p.whole, p.name, p.bytes, p.unpack);
    return all;
  }

  void print_shares() const {
    std::printf("\nfragments against the whole: geometric mean, share of points at least 0.9, worst point\n");
    for (const std::int64_t each : options_.fragments)
      if (const Ratios of = ratios(each); !of.empty())
        std::printf("%9lld %s\n", static_cast<long long>(each), of.text().c_str());
  }

  void print_json() const {
    using report::Json;
    Json points, shares;
    for (const Point& p : points_) {
      Json by_fragment = Json::object();
      for (const auto& [each, rate] : p.rate) by_fragment.add(std::to_string(each), rate);
      points.push_back(Json::object({{"group", p.group},
                                     {"layout", p.name},
                                     {"bytes", p.bytes},
                                     {"direction", p.unpack ? "unpack" : "pack"},
                                     {"whole_gbs", p.whole},
                                     {"fragments_gbs", std::move(by_fragment)}}));
    }
    for (const std::int64_t each : options_.fragments)
      if (const Ratios of = ratios(each); !of.empty()) {
        Json share = Json::object({{"fragment", each}});
        of.add_to(share);
        shares.push_back(std::move(share));
      }
    const Json all = Json::object(
        {{"kernels", options_.kernels->name}, {"points", std::move(points)}, {"shares", std::move(shares)}});
    std::puts(report::json_text(all, 2).c_str());
  }

  const FragmentOptions options_;
  std::vector<Point> points_;
};

}  // namespace

bool print_fragment_rates(const FragmentOptions& options) { return FragmentBench(options).run(); }

}  // namespace marshal::bench
