// The layouts in use: types of equal canonical form and extent share one plan, and one account of their packing.
#ifndef MARSHAL_DATATYPE_LAYOUT_CACHE_H
#define MARSHAL_DATATYPE_LAYOUT_CACHE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "datatype/host_trial.h"
#include "datatype/plan.h"

namespace marshal::datatype {

// Packing in one direction, by the engine and by the host. Threads add without a lock: two that do so at the same
// moment may count one call for two.
struct Work {
  struct Done {
    std::atomic<std::uint64_t> calls{0}, bytes{0};
    std::atomic<std::uint64_t> timed_bytes{0}, timed_ns{0};  // of a sample of the calls

    void add_call(std::int64_t more) {
      add(calls, 1);
      add(bytes, static_cast<std::uint64_t>(more));
    }
  };
  Done by_engine, by_host;
  HostTrial trial;

  std::uint64_t calls() const {
    return by_engine.calls.load(std::memory_order_relaxed) + by_host.calls.load(std::memory_order_relaxed);
  }

  static void add(std::atomic<std::uint64_t>& sum, std::uint64_t n) {
    sum.store(sum.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

struct SharedLayout {
  SharedLayout(Pieces pieces, std::int64_t extent, const CompileOptions& options)
      : plan(std::move(pieces), extent, options),
        may_pass_on(options.strategy == Strategy::automatic && !plan.is_one_block()) {}

  const Plan plan;
  const bool may_pass_on;  // to the host, where that is faster: of one block it makes one copy, too
  mutable Work packed, unpacked;
  mutable std::atomic<std::uint64_t> types{0};  // how many types had this layout
  mutable std::atomic<std::uint16_t> committed_at{
      0};  // where the first was committed: a number of the owner's, 0: not known
};

struct HashOfNumbers {
  std::size_t operator()(const std::vector<std::int64_t>& numbers) const;
};

class LayoutCache {
 public:
  // What leaves the cache, for the books; called under the cache's lock.
  using Farewell = std::function<void(const SharedLayout&)>;

  // At most so many layouts that no type has any more are kept, of so many pieces together.
  struct Limits {
    std::size_t layouts = 1024, pieces = 128 * 1024;  // 64 bytes and more each
  };
  explicit LayoutCache(Farewell farewell, const Limits& most_kept) : farewell_(std::move(farewell)), most_(most_kept) {}
  explicit LayoutCache(Farewell farewell) : LayoutCache(std::move(farewell), Limits()) {}

  // The layout of these pieces and extent, made with these options if it is new. Thread safe. Layouts that no type has
  // any more are kept for a while, as programs make the same types again.
  std::shared_ptr<const SharedLayout> share(Pieces pieces, std::int64_t extent, const CompileOptions& options);

  // All layouts in the cache, under its lock.
  void for_each(const std::function<void(const SharedLayout&)>& visit) const;
  std::size_t size() const;

 private:
  void drop_unused();

  const Farewell farewell_;
  const Limits most_;
  mutable std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const SharedLayout>>
      layouts_;             // by a hash of pieces and extent
  std::size_t pieces_ = 0;  // of all layouts in the cache
  Limits drop_at_ = most_;
};

}  // namespace marshal::datatype

#endif
