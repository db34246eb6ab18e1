// The messages that one thread sent, and their bytes, for each peer, and apart for each grid of the program.
//
// Only the thread itself adds, without lock; any thread may read meanwhile. Entries never move, so that the thread may
// keep their addresses. 24 bytes a peer, and 8 to 16 of the index; no memory is taken for a peer that is there already.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/fixed_table.h"

namespace marshal {

// The receiver of a message: a process of the job by its rank in MPI_COMM_WORLD, 0 or more, or one of these.
using PeerName = std::int32_t;
inline constexpr PeerName foreign_peer = INT32_MIN;      // any process of another job
inline constexpr PeerName unknown_peer = INT32_MIN + 1;  // a process that Marshal cannot name without asking the host
// Any process of a node: where there are too many peers to keep them apart.
constexpr PeerName peer_on_node(std::int32_t node) { return ~node; }
constexpr bool is_node(PeerName name) { return name < 0 && name > unknown_peer; }
constexpr std::int32_t node_of_peer(PeerName name) { return ~name; }

// A grid of the program, as this process numbers them; 0: none, or one that is not kept apart.
using GridNumber = std::uint8_t;

struct PeerCount {
  std::atomic<std::uint64_t> messages{0}, bytes{0};
  std::atomic<PeerName> name{0};
  std::atomic<GridNumber> grid{0};  // the messages were sent on a communicator that is this grid, or was made from it

  // Only the owner writes: a load and a store are enough, and cost no locked instruction.
  void add(std::uint64_t more_messages, std::uint64_t more_bytes) {
    messages.store(messages.load(std::memory_order_relaxed) + more_messages, std::memory_order_relaxed);
    bytes.store(bytes.load(std::memory_order_relaxed) + more_bytes, std::memory_order_relaxed);
  }
};
static_assert(sizeof(PeerCount) == 24);

class PeerCounts {
 public:
  static constexpr std::size_t most_processes = 65536;  // peers kept apart; later ones are counted by node

  PeerCounts() = default;
  PeerCounts(const PeerCounts&) = delete;
  PeerCounts& operator=(const PeerCounts&) = delete;
  ~PeerCounts();

  // The count of `name` in `grid`; null where it is new and there is no room for it: all are taken by processes, or
  // memory ran out.
  PeerCount* of(PeerName name, GridNumber grid = 0) noexcept;
  // True if `of` has room for one more process.
  bool has_room() const { return count_.load(std::memory_order_relaxed) < most_processes; }

  // visit(const PeerCount&) for each so far; any thread.
  template <class Visit>
  void each(Visit visit) const {
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) visit(at(i));
  }
  std::size_t size() const { return count_.load(std::memory_order_acquire); }

 private:
  // Chunk k has first_chunk << k entries.
  static constexpr std::size_t first_chunk = 16, chunks = 14;
  struct Position {
    std::size_t chunk, entry;
  };
  static Position position_of(std::size_t number) {
    const std::size_t chunk = static_cast<std::size_t>(std::bit_width(number / first_chunk + 1)) - 1;
    return {chunk, number - first_chunk * ((std::size_t{1} << chunk) - 1)};
  }
  PeerCount& at(std::size_t number) const {
    const Position position = position_of(number);
    return chunks_[position.chunk].load(std::memory_order_acquire)[position.entry];
  }
  std::uint32_t& slot_of(PeerName name, GridNumber grid);
  void grow_index();
  PeerCount& append(PeerName name, GridNumber grid);

  std::array<std::atomic<PeerCount*>, chunks> chunks_{};
  std::atomic<std::size_t> count_{0};
  std::unique_ptr<std::uint32_t[]> index_;  // the owner's: numbers of entries plus one; 0 is free
  std::size_t index_mask_ = 0;
};

// The collective calls of one thread: how often and how many bytes. They are counted by the call, the number of
// processes of its communicator, and the size of this process's part.
//
// Only the thread itself adds, without lock and without taking memory; any thread may read meanwhile.
struct CollectiveName {
  std::uint16_t call = 0;
  std::uint32_t processes = 0;    // 0: any number, where there are too many kinds to keep them apart
  std::uint64_t up_to_bytes = 0;  // a power of two at least as large as the part; 0: it had no bytes
  auto operator<=>(const CollectiveName&) const = default;
};

CollectiveName collective_name(std::uint16_t call, std::uint32_t processes, std::uint64_t bytes);

class CollectiveCounts {
 public:
  static constexpr std::size_t most_kinds = 256;  // kept apart; later ones are counted by their call alone
  static constexpr std::size_t most_calls = 128;  // that are counted by their call alone

  void add(const CollectiveName& name, std::uint64_t bytes) noexcept;

  // visit(const CollectiveName&, calls, bytes) for each kind so far; any thread.
  template <class Visit>
  void each(Visit visit) const {
    for (const Count& count : table_)
      if (const std::uint64_t key = count.key.load(std::memory_order_acquire); key != 0)
        visit(name_of(key), count.calls.load(std::memory_order_relaxed), count.bytes.load(std::memory_order_relaxed));
  }

 private:
  struct Count {
    std::atomic<std::uint64_t> key{0}, calls{0}, bytes{0};  // key 0: free
  };
  static CollectiveName name_of(std::uint64_t key);
  Count* find_or_take(std::uint64_t key, bool is_kind) noexcept;

  FixedTable<Count, std::bit_ceil(2 * (most_kinds + most_calls))> table_{};  // never more than half full
  std::size_t kinds_ = 0, calls_alone_ = 0;
};

}  // namespace marshal
