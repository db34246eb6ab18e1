// The layouts in use, with the account of their packing. Types of equal canonical form and extent share one plan and
// one account, by which a layout decides between engine and host: for packs, messages and files alike.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/relaxed.h"
#include "datatype/plan.h"
#include "datatype/position_marks.h"
#include "host/host_family.h"
#include "types/host_trial.h"

namespace marshal {

// Calls of one side in one direction. Threads add without a lock: two threads at the same moment may count two calls as
// one.
struct PackCalls {
  Relaxed<std::uint64_t> calls, bytes;
  Relaxed<std::uint64_t> timed_bytes, timed_ns;  // of a sample of the calls, except disturbed ones

  std::uint64_t begun() const { return calls; }
  [[gnu::always_inline]] void add_call(std::int64_t more) {
    calls += 1;
    bytes += static_cast<std::uint64_t>(more);
  }
  void add_calls(const PackCalls& others) {
    calls += others.calls;
    bytes += others.bytes;
  }
  // A call of the sample. One that took eight times as long as the fastest, or more, was interrupted; so was the
  // fastest where a larger one takes an eighth of its time.
  void add_timed(std::int64_t more, std::int64_t ns);

 private:
  Relaxed<std::int64_t> fastest_bytes_, fastest_ns_;
};

// The work of one side, engine or host, for messages. Each fragment is a call.
struct MessageCalls : PackCalls {
  Relaxed<std::uint64_t> messages;

  std::uint64_t begun() const { return messages; }
  void add_fragment(std::int64_t more, bool first) {
    add_call(more);
    if (first) messages += 1;
  }
};

// One layout in one direction.
template <class Calls>
struct CallAccount {
  Calls by_engine, by_host;
  HostTrial trial;

  std::uint64_t begun() const { return by_engine.begun() + by_host.begun(); }
};
using PackAccount = CallAccount<PackCalls>;
using MessageAccount = CallAccount<MessageCalls>;

// Ways on which the engine does all, as the settings say: from begin_to_choose() on, in MPI_Init.
inline constinit std::array<Relaxed<bool>, way_count> engine_does_all;
inline bool does_all(Way way) { return engine_does_all[static_cast<std::size_t>(way)]; }
void begin_to_choose();

struct SharedLayout {
  using Side = HostTrial::Side;

  SharedLayout(datatype::Pieces pieces, std::int64_t extent, std::uint64_t hash,
               const datatype::CompileOptions& options)
      : plan(std::move(pieces), extent, options),
        hash_of_form(hash),
        may_pass_on(options.strategy == datatype::Strategy::automatic && !plan.is_one_block()) {}

  const datatype::Plan plan;
  const std::uint64_t hash_of_form;  // the same in every process
  const bool may_pass_on;            // to the host, where that is faster: one block is one copy for either
  mutable PackAccount packed, unpacked;
  mutable MessageAccount sent, received;

  PackAccount& account(bool unpack) const { return unpack ? unpacked : packed; }
  MessageAccount& messages(bool unpack) const { return unpack ? received : sent; }
  std::uint64_t bytes_packed() const {
    return packed.by_engine.bytes + packed.by_host.bytes + unpacked.by_engine.bytes + unpacked.by_host.bytes;
  }

  // The way of messages in the host's pipeline.
  Way pipeline() const {
    if (is_open_mpi()) return plan.stages_fragments() ? Way::staged : Way::in_place;
    return plan.instance_is_one_block() ? Way::ucx_block : Way::ucx;
  }
  // The side that moves `bytes` on this way, as the settings and the priors say. Undecided where the trial has to tell.
  Side before_trial(Way way, bool unpack, std::int64_t bytes) const {
    if (way == Way::packs) return may_pass_on && bytes >= priors::least_timed ? Side::undecided : Side::engine;
    if (does_all(way)) return Side::engine;
    const priors::Prior* const row = priors::row_of(way, bytes);
    if (row == nullptr) return Side::host;
    if (plan.mean_block() > row->sure[unpack ? 1 : 0])
      return plan.mean_block() <= row->tried ? Side::undecided : Side::host;
    return row->tries_transposes && transposes(bytes) ? Side::undecided : Side::engine;
  }
  // The same with what the trial has told so far.
  Side side(Way way, bool unpack, std::int64_t bytes) const {
    const Side before = before_trial(way, unpack, bytes);
    return before == Side::undecided ? trial(way, unpack).side(bytes) : before;
  }
  // The side of the coming call. One that is timed is reported to took().
  HostTrial::Turn turn(Way way, bool unpack, std::int64_t bytes) const {
    const Side before = before_trial(way, unpack, bytes);
    if (before != Side::undecided) return {before == Side::host, false};
    return trial(way, unpack).turn(bytes, begun(way, unpack));
  }
  void took(Way way, bool unpack, std::int64_t bytes, bool by_host, std::int64_t ns) const {
    trial(way, unpack).took(bytes, by_host, ns, begun(way, unpack));
  }
  // True if the host does the coming ones, and no trial is due.
  bool is_left_to_host(Way way, bool unpack, std::int64_t bytes) const {
    const Side before = before_trial(way, unpack, bytes);
    if (before != Side::undecided) return before == Side::host;
    return trial(way, unpack).is_left_to_host(bytes, begun(way, unpack));
  }

  // The ns that the engine saves of 1024 bytes in a message. Before a trial has timed both sides, it is a guess.
  float ns_saved_of_a_kib() const;

  // May be out of memory at its first call.
  const datatype::BlockFinder& blocks() const {
    std::call_once(blocks_made_, [&] { blocks_ = std::make_unique<const datatype::BlockFinder>(plan.pieces()); });
    return *blocks_;
  }
  mutable Relaxed<std::uint64_t> types;         // how many types had this layout
  mutable Relaxed<std::uint16_t> committed_at;  // where the first was committed (call_frames.h)

 private:
  HostTrial& trial(Way way, bool unpack) const {
    return way == Way::packs ? account(unpack).trial : messages(unpack).trial;
  }
  std::uint64_t begun(Way way, bool unpack) const {
    return way == Way::packs ? account(unpack).begun() : messages(unpack).begun();
  }
  bool transposes(std::int64_t bytes) const {
    const datatype::Program* const program = plan.settled_program(bytes / plan.size());
    return program != nullptr && program->transposes;
  }

  mutable std::once_flag blocks_made_;
  mutable std::unique_ptr<const datatype::BlockFinder> blocks_;
};

// Thread safe.
class Layouts {
 public:
  // How a type was built (encoded() in datatype/type_tree.h).
  struct Code {
    Code(std::vector<std::int64_t> of_type);  // NOLINT: the numbers are the code
    bool operator==(const Code& other) const { return numbers == other.numbers; }

    std::vector<std::int64_t> numbers;
    std::uint64_t hash;
  };
  // Called with each layout that leaves, under the lock.
  using Farewell = std::function<void(const SharedLayout&)>;

  // Layouts that no type has any more are kept for a while, as programs make the same types again. Above these limits
  // the oldest leave. At first fewer are kept, since memory that is used again soon is in the caches. The limits grow
  // when a layout comes again that has just left.
  struct Limits {
    std::size_t layouts = 1024, pieces = 128 * 1024;  // of those kept, all together; a piece takes 64 bytes and more
    std::size_t numbers = 64 * 1024;                  // of all codes
  };
  Layouts(Farewell farewell, const Limits& most) : farewell_(std::move(farewell)), most_(most) {}
  explicit Layouts(Farewell farewell) : Layouts(std::move(farewell), Limits()) {}

  // The layout of a type that was built the same way before, or null. Comparing two long lists takes far less time than
  // bringing one into its canonical form.
  std::shared_ptr<const SharedLayout> find(const Code& code) const;

  // The layout of these pieces and extent, made with these options if it is new; found by `code` from then on.
  std::shared_ptr<const SharedLayout> share(Code code, datatype::Pieces pieces, std::int64_t extent,
                                            const datatype::CompileOptions& options);

  // All layouts, under the lock.
  void for_each(const std::function<void(const SharedLayout&)>& visit) const;
  std::size_t size() const;

 private:
  struct Hash {
    std::size_t operator()(const Code& code) const { return code.hash; }
  };
  struct Aged {
    std::uint64_t hash;  // its key in by_pieces_
    const SharedLayout* layout;
  };
  void remember(Code code, const std::shared_ptr<const SharedLayout>& layout);
  void drop_oldest_unused();
  std::size_t limit(std::size_t most, std::size_t at_first) const;
  bool are_too_many() const;
  void keep_more();

  const Farewell farewell_;
  const Limits most_;
  mutable std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const SharedLayout>> by_pieces_;  // by a hash of them
  std::unordered_map<Code, std::weak_ptr<const SharedLayout>, Hash> by_code_;
  std::deque<Aged> by_age_;                 // all layouts, the oldest first
  std::array<std::uint64_t, 1024> left_{};  // keys of those that left last, each at the place of its lowest bits
  int halvings_ = 4;                        // of the limits
  std::size_t pieces_ = 0, numbers_ = 0;    // of all layouts kept
};

}  // namespace marshal
