#include "watch/slots.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>

#include "base/attempt.h"
#include "callsites/python_place.h"
#include "watch/proc_files.h"

namespace marshal::watch {

void take_slot(Slot*& slot) noexcept {
  Chunk* const chunk = own_chunk.load(std::memory_order_acquire);
  if (chunk == nullptr || own_slot != nullptr) return;
  // A thread that ended may have left its slot to this one.
  if (slot < chunk->slots.begin() || slot >= chunk->slots.end()) {
    if (slot->thread.load(std::memory_order_relaxed) != 0) return;  // none was left
    const std::uint32_t number = chunk->threads.fetch_add(1, std::memory_order_relaxed);
    if (number >= chunk->slots.size()) return slot->thread.store(1, std::memory_order_relaxed);
    slot = &chunk->slots[number];
  }
  slot->thread.store(static_cast<std::uint32_t>(gettid()), std::memory_order_release);
  own_slot = slot;
}

bool lacks_place(std::uint64_t key) noexcept {
  Chunk* const chunk = own_chunk.load(std::memory_order_acquire);
  if (chunk == nullptr) return false;
  const std::size_t made =
      std::min<std::size_t>(chunk->places_made.load(std::memory_order_relaxed), chunk->places.size());
  return made < chunk->places.size() &&
         std::none_of(chunk->places.begin(), chunk->places.begin() + made,
                      [&](Place& known) { return std::atomic_ref(known.key).load(std::memory_order_relaxed) == key; });
}

void note_place(std::uint64_t key, const void* place) noexcept {
  const PythonPlace* const python = as_python_place(place);
  CallFrames above;
  if (python == nullptr) {
    Dl_info module{};
    link_map* map = nullptr;
    // The executable has no name there. Its calls need no frames, which take a walk by libunwind.
    if (dladdr1(place, &module, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || *map->l_name == '\0') return;
    if (!attempt_to_the_end([&] { above = frames_above(place); }) || above.count < 2) return;
  }
  Chunk& chunk = *own_chunk.load(std::memory_order_acquire);
  const std::uint32_t number = chunk.places_made.fetch_add(1, std::memory_order_relaxed);
  if (number >= chunk.places.size()) return;
  Place& noted = chunk.places[number];
  if (python != nullptr) {
    std::string_view file = python->file;
    file.remove_prefix(file.size() - std::min<std::size_t>(file.size(), 60));
    noted.characters =
        static_cast<std::uint32_t>(format_into(noted.text, "py:{}:{}:{:.40}", file, python->line, python->function));
  } else {
    for (std::size_t i = 1; i < above.count && noted.frames < noted.frame.size(); ++i)
      if (as_python_place(above.address[i]) == nullptr)
        noted.frame[noted.frames++] = reinterpret_cast<std::uintptr_t>(above.address[i]);
  }
  std::atomic_ref(noted.key).store(key, std::memory_order_release);
}

Row* new_row(std::uint64_t identity, std::uint32_t size, std::int32_t rank, std::string_view made_by,
             const CallFrames& made_at) noexcept {
  Chunk* const chunk = own_chunk.load(std::memory_order_acquire);
  if (chunk == nullptr || identity == 0) return nullptr;
  for (Row& row : chunk->rows) {
    std::uint64_t free = 0;
    // Nobody takes a row for this communicator's before all of it is written.
    if (!row.identity.compare_exchange_strong(free, ~std::uint64_t{0}, std::memory_order_acquire)) continue;
    row.calls.store(0, std::memory_order_relaxed);
    row.size = size;
    row.rank = rank;
    row.made_at = reinterpret_cast<std::uintptr_t>(made_at.address[0]);
    row.made_by = {};
    made_by.copy(row.made_by.data(), row.made_by.size() - 1);
    if (as_python_place(made_at.address[0]) != nullptr && lacks_place(row.made_at))
      note_place(row.made_at, made_at.address[0]);
    row.identity.store(identity, std::memory_order_release);
    return &row;
  }
  return nullptr;
}

void free_row(Row* row) noexcept {
  if (row != nullptr) row->identity.store(0, std::memory_order_release);
}

std::uint64_t identity_of_part(std::uint64_t part) noexcept {
  if (own_slot == nullptr) return 0;
  const auto* const parent = reinterpret_cast<const Row*>(own_slot->row.load(std::memory_order_relaxed));
  const std::uint64_t number = own_slot->number.load(std::memory_order_relaxed);
  if (parent == nullptr || number == 0) return 0;
  std::uint64_t identity = parent->identity.load(std::memory_order_relaxed);
  for (const std::uint64_t word : {number, part + 1}) {
    identity = (identity ^ word) * 0x9E3779B97F4A7C15ULL;
    identity ^= identity >> 29;
  }
  return identity >> 1 | std::uint64_t{1} << 63;  // neither free, nor the world's, nor a row under way
}

std::uint64_t colour_of_split() noexcept {
  return own_slot == nullptr ? 0 : own_slot->peer_and_tag.load(std::memory_order_relaxed) >> 32;
}

}  // namespace marshal::watch
