// Where each thread of a process stands in MPI, in memory that the processes of a node share.
//
// A process writes its own chunk alone. One thread of the node's first process reads all chunks (looker.h). A chunk
// stays readable when its process was killed. A call from a place that was met before asks the kernel nothing for it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"

namespace marshal::watch {

// One thread. Only that thread writes. A call leaves the parts alone that it does not have.
struct alignas(64) Slot {
  std::atomic<std::uint64_t> moves{0};         // calls that were entered and left: odd inside a call
  std::atomic<std::uint64_t> at{0};            // the place of the call, as PlaceTimes::Key has it
  std::atomic<std::uint64_t> row{0};           // address of the communicator's row in this process; 0: none
  std::atomic<std::uint64_t> number{0};        // of a collective call, counted on its communicator; else 0
  std::atomic<std::uint64_t> peer_and_tag{0};  // the peer in the upper half
  std::atomic<std::uint32_t> polls{0};         // tests and probes without success, of those that were looked at
  std::atomic<std::uint32_t> thread{0};        // the kernel's number of the thread; 0: nobody has this slot

  // A reader that sees the value sees that the call before was left.
  MARSHAL_ALWAYS_INLINE void show(std::atomic<std::uint64_t>& what, std::uint64_t value) {
    what.store(value, std::memory_order_release);
  }
  MARSHAL_ALWAYS_INLINE void move(std::uint64_t times) {
    moves.store(moves.load(std::memory_order_relaxed) + times, std::memory_order_release);
  }
};

// A communicator whose members all know it by the same identity, which follows from how it was made.
struct alignas(64) Row {
  std::atomic<std::uint64_t> identity{0};  // 0: free
  std::atomic<std::uint64_t> calls{0};     // collective calls that this process entered on it
  std::atomic<std::uint32_t> size{0};
  std::atomic<std::int32_t> rank{0};         // of this process in it; -1: not known
  std::atomic<std::uint64_t> made_at{0};     // where it was made, as Slot::at; 0: it was there at the beginning
  std::atomic<std::uint64_t> next_drawn{0};  // the number of the next call that may be noted (times/arrival_notes.h)

  // Counts one more; of the threads that may call at once only one is on this communicator.
  MARSHAL_ALWAYS_INLINE std::uint64_t count() {
    const std::uint64_t number = calls.load(std::memory_order_relaxed) + 1;
    calls.store(number, std::memory_order_relaxed);
    return number;
  }
};

// A place has the frames above it, or the text of a line of Python.
struct Place {
  std::uint64_t key = 0;  // Slot::at
  std::uint32_t frames = 0, characters = 0;
  union {
    std::array<std::uint64_t, 14> frame{};
    std::array<char, 112> text;  // "py:FILE:LINE:FUNCTION"
  };
};

enum class Left : std::uint32_t { no, ended, finished };  // ended: by exit() or MPI_Abort, without MPI_Finalize

// Where a process has the code of its executable, or of a library.
struct Module {
  std::atomic<std::uint64_t> begin{0};  // 0: free
  std::uint64_t end = 0, base = 0;      // base: what the loader added to the addresses of the file
  std::array<char, 360> path{};
  bool has(std::uint64_t address) const { return address >= begin.load(std::memory_order_acquire) && address < end; }
};

// All of a process, 24 KiB. Zeros are one that no process has taken.
struct alignas(4096) Chunk {
  std::uint64_t run = 0;            // the number of this run
  std::uint64_t base = 0;           // where the process has this chunk
  std::uint64_t process_names = 0;  // the inode of its namespace of process numbers
  std::int32_t rank = 0, process = 0, thread_level = 0;
  std::atomic<Left> left{Left::no};
  std::atomic<std::uint32_t> threads{0}, places_made{0};
  std::array<Slot, 8> slots{};
  std::array<Row, 64> rows{};
  std::array<Module, 16> modules{};  // the first is the executable
  std::array<Place, 106> places{};
};
static_assert(sizeof(Chunk) == 24576);

// This process's; null where nobody watches it.
inline constinit std::atomic<Chunk*> own_chunk{nullptr};
inline bool is_on() { return own_chunk.load(std::memory_order_acquire) != nullptr; }

// Gives the calling thread a slot of the chunk, if one is left. `slot`: its own so far, which nobody looks at.
void take_slot(Slot*& slot) noexcept;
// The calling thread has none any more: it has left a call by longjmp, so nobody knows where it stands. There is a
// thread without a slot from here on.
void lose_slot(Slot*& slot, Slot& unseen) noexcept;
// Keeps what a reader needs to name a place: its module, and the frames above a place in a library; or its line of
// Python. As long as there is room.
void note_place(std::uint64_t key, const void* place) noexcept;

// A row for a new communicator, which this thread's call makes; null if it is not watched, or no row is left.
Row* new_row(std::uint64_t identity, std::uint32_t size, std::int32_t rank) noexcept;
void free_row(Row* row) noexcept;

// The calling thread's slot; null where nobody watches it.
inline thread_local constinit const Slot* own_slot [[gnu::tls_model("initial-exec")]] = nullptr;

// The identity of a communicator that the call of this thread makes, the same on all members and different for each.
// `part` tells apart what one call makes: the first member, or the colour. 0: it does not follow.
std::uint64_t identity_of_part(std::uint64_t part) noexcept;
// The colour of the split that this thread is in.
std::uint64_t colour_of_split() noexcept;
inline constexpr std::uint64_t identity_of_world = 1;

}  // namespace marshal::watch
