#include "times/arrival_notes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <new>
#include <span>

#include "base/attempt.h"
#include "base/immortal.h"

namespace marshal {
namespace {

// In an array that has room for one more than stay.
struct OfCommunicator {
  std::uint64_t identity = 0;
  std::uint32_t halvings = 0, passed = 0;
  static constexpr std::uint32_t most_passed = 1024;
  std::size_t count = 0;
  std::array<ArrivalNote, 64> notes;
};

// By the rows of this process's chunk. A thread that uses the communicator uses its row.
constinit std::array<OfCommunicator*, std::tuple_size_v<decltype(watch::Chunk::rows)>> of_rows{};

struct Kept {
  static constexpr std::size_t most_notes = 4096;
  std::mutex mutex;
  std::vector<ArrivalNote> notes;  // of communicators that are gone
  std::uint64_t greatest = UINT64_MAX;

  void add(std::span<const ArrivalNote> more) noexcept {
    const std::lock_guard lock(mutex);
    attempt_to_the_end([&] {
      std::ranges::copy_if(more, std::back_inserter(notes),
                           [&](const ArrivalNote& note) { return note.call <= greatest; });
      if (notes.size() <= most_notes) return;
      std::ranges::nth_element(notes, notes.begin() + most_notes, {}, &ArrivalNote::call);
      greatest = notes[most_notes].call - 1;
      std::erase_if(notes, [this](const ArrivalNote& note) { return note.call > greatest; });
    });
  }
};

Kept& kept() {
  static Immortal<Kept> the;
  return *the;
}

void keep_notes(OfCommunicator& of) noexcept {
  for (ArrivalNote& note : std::span(of.notes).first(of.count)) note.halvings = of.halvings;
  kept().add(std::span(of.notes).first(std::exchange(of.count, 0)));
  of.halvings = 0;
  of.passed = 0;
}

// The notes of the row's communicator. Null without memory: then nothing more is drawn there.
OfCommunicator* notes_of(const watch::Row& row) noexcept {
  OfCommunicator*& of = of_rows[static_cast<std::size_t>(&row - watch::own_chunk.load()->rows.data())];
  if (of == nullptr) of = new (std::nothrow) OfCommunicator;
  if (const std::uint64_t identity = row.identity.load(std::memory_order_relaxed);
      of != nullptr && of->identity != identity) {
    keep_notes(*of);
    of->identity = identity;
  }
  return of;
}

void halve(OfCommunicator& of) {
  const auto is_dropped = [bit = of.halvings++](const ArrivalNote& one) { return (one.call >> bit & 1) != 0; };
  of.count = static_cast<std::size_t>(std::remove_if(of.notes.begin(), of.notes.begin() + of.count, is_dropped) -
                                      of.notes.begin());
  of.passed /= 2;
}

// The same in all processes of the call.
std::uint64_t hash_of_call(const OfCommunicator& of, std::uint64_t number) {
  return spread_at_random(of.identity + number, 64);
}

void draw_next(watch::Row& row, std::uint64_t number, const OfCommunicator& of) {
  const std::uint64_t most_skipped = (std::uint64_t{2} << of.halvings) - 2;
  const std::uint64_t skipped = spread_at_random(hash_of_call(of, number), 63) % (most_skipped + 1);
  row.next_drawn.store(number + 1 + skipped, std::memory_order_release);
}

}  // namespace

void pass_over(watch::Row& row, std::uint64_t number) noexcept {
  OfCommunicator* const of = notes_of(row);
  if (of == nullptr) return;
  if (++of->passed == OfCommunicator::most_passed) halve(*of);
  draw_next(row, number, *of);
}

void note_arrival(watch::Row& row, std::uint64_t number, ArrivalNote note) noexcept {
  OfCommunicator* const of = notes_of(row);
  if (of == nullptr) return;
  note.call = hash_of_call(*of, number);
  of->notes[of->count++] = note;
  while (of->count == of->notes.size()) halve(*of);
  draw_next(row, number, *of);
}

void note_meeting(Ticks entered, Ticks left, std::uint32_t nodes) noexcept {
  static std::uint64_t meetings = 0;
  const ArrivalNote note{.call = ++meetings, .entered = entered, .left = left, .processes = nodes};
  kept().add({&note, 1});
}

std::pair<std::vector<ArrivalNote>, std::uint64_t> arrival_notes() {
  for (OfCommunicator* const of : of_rows)
    if (of != nullptr) keep_notes(*of);
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  return {all.notes, all.greatest};
}

}  // namespace marshal
