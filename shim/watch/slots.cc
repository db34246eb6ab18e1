#include "watch/slots.h"

#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/attempt.h"
#include "callsites/call_frames.h"
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
  slot->thread.store(static_cast<std::uint32_t>(syscall(SYS_gettid)), std::memory_order_release);
  own_slot = slot;
}

void lose_slot(Slot*& slot, Slot& unseen) noexcept {
  Chunk* const chunk = own_chunk.load(std::memory_order_acquire);
  if (chunk == nullptr || slot == &unseen) return;
  chunk->threads.fetch_add(static_cast<std::uint32_t>(chunk->slots.size()), std::memory_order_relaxed);
  unseen.thread.store(1, std::memory_order_relaxed);
  slot->thread.store(0, std::memory_order_release);
  slot = &unseen;
  own_slot = nullptr;
}

namespace {

// The module of an address; null if it is in none, or there is no room.
const Module* note_module(Chunk& chunk, const void* place) noexcept {
  struct Found {
    std::uint64_t address, begin = 0, end = 0, base = 0;
    const char* name = nullptr;
  } found{reinterpret_cast<std::uintptr_t>(place)};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* into) {
    auto& [address, begin, end, base, name] = *static_cast<Found*>(into);
    for (const ElfW(Phdr) & part : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
      begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
      if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0 || address < begin || address >= end) continue;
      base = info->dlpi_addr, name = info->dlpi_name;
      return 1;
    }
    return 0;
  };
  std::string path;
  if (dl_iterate_phdr(visit, &found) == 0 || !attempt_to_the_end([&] { path = module_path(found.name); }))
    return nullptr;
  const bool is_executable = *found.name == '\0';
  path.resize(std::min(path.size(), Module().path.size() - 1));
  for (Module& module : is_executable ? std::span(chunk.modules).first(1) : std::span(chunk.modules).subspan(1)) {
    std::uint64_t begin = module.begin.load(std::memory_order_acquire);
    if (begin == found.begin && module.end == found.end && path == module.path.data()) return &module;
    // It is free, or of a library that was closed.
    const bool is_others = begin != 0 && (begin >= found.end || found.begin >= module.end);
    if (is_others || !module.begin.compare_exchange_strong(begin, ~std::uint64_t{0}, std::memory_order_acquire))
      continue;
    module.end = found.end;
    module.base = found.base;
    module.path = {};
    path.copy(module.path.data(), path.size());
    module.begin.store(found.begin, std::memory_order_release);
    return &module;
  }
  return nullptr;
}

}  // namespace

void note_place(std::uint64_t key, const void* place) noexcept {
  Chunk* const chunk = own_chunk.load(std::memory_order_acquire);
  if (chunk == nullptr) return;
  const PythonPlace* const python = as_python_place(place);
  // Calls of the executable need no frames, which take a walk by libunwind.
  if (python == nullptr && note_module(*chunk, place) == chunk->modules.begin()) return;
  const auto last = chunk->places.begin() + std::min<std::size_t>(chunk->places_made.load(), chunk->places.size());
  if (last == chunk->places.end() || std::any_of(chunk->places.begin(), last, [&](Place& known) {
        return std::atomic_ref(known.key).load(std::memory_order_relaxed) == key;
      }))
    return;
  CallFrames above;
  if (python == nullptr && (!attempt_to_the_end([&] { above = frames_above(place); }) || above.count < 2)) return;
  const std::uint32_t number = chunk->places_made.fetch_add(1, std::memory_order_relaxed);
  if (number >= chunk->places.size()) return;
  Place& noted = chunk->places[number];
  if (python != nullptr) {
    std::string_view file = python->file;
    file.remove_prefix(file.size() - std::min<std::size_t>(file.size(), 60));
    noted.characters =
        static_cast<std::uint32_t>(format_into(noted.text, "py:{}:{}:{:.40}", file, python->line, python->function));
  } else {
    for (const void* const frame : above.span().subspan(1))
      if (noted.frames < noted.frame.size() && as_python_place(frame) == nullptr) {
        note_module(*chunk, frame);
        noted.frame[noted.frames++] = reinterpret_cast<std::uintptr_t>(frame);
      }
  }
  std::atomic_ref(noted.key).store(key, std::memory_order_release);
}

Row* new_row(std::uint64_t identity, std::uint32_t size, std::int32_t rank) noexcept {
  Chunk* const chunk = own_chunk.load(std::memory_order_acquire);
  if (chunk == nullptr || identity == 0) return nullptr;
  for (Row& row : chunk->rows) {
    std::uint64_t free = 0;
    // Nobody takes a row for this communicator's before all of it is written.
    if (!row.identity.compare_exchange_strong(free, ~std::uint64_t{0}, std::memory_order_acquire)) continue;
    row.calls.store(0, std::memory_order_relaxed);
    // All notes of the row's last communicator are written by now, even if nobody saw it being freed.
    row.next_drawn.exchange(1, std::memory_order_acq_rel);
    row.size.store(size, std::memory_order_release);
    row.rank.store(rank, std::memory_order_release);
    row.made_at.store(identity == identity_of_world ? 0 : own_slot->at.load(std::memory_order_relaxed),
                      std::memory_order_release);
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
