// A table from handles to the objects that Marshal keeps for them, read without a lock.
//
// Any thread may read at any time. A reader waits only if its key is not found while a deletion is in progress. A mutex
// serialises writers. A value found stays valid until its own handle is extracted; MPI itself
// forbids a program to use a handle in one thread while freeing it in another.
//
// Open addressing with linear probing. A deletion moves later entries back, so a million create/free cycles leave the
// table as it was. A version number tells readers that their key may have been moving when they missed it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "base/fixed_table.h"

namespace marshal {

template <class Value>
class Registry {
 public:
  Registry() { grow(64); }
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry() {
    for_each([](std::uint64_t, Value& value) { delete &value; });
  }

  // The value of `key`, or null.
  Value* find(std::uint64_t key) const noexcept {
    for (;;) {
      const std::uint64_t version = version_.load(std::memory_order_acquire);
      const Table& table = *table_.load(std::memory_order_acquire);
      for (std::size_t i = home(key, table);; i = (i + 1) & table.mask) {
        const Slot& slot = table.slots[i];
        const std::uint64_t at = slot.key.load(std::memory_order_acquire);
        if (at == 0) break;
        if (at != key + 1) continue;
        Value* value = slot.value.load(std::memory_order_acquire);
        // The slot may have been given to another key between the two loads.
        if (value != nullptr && slot.key.load(std::memory_order_acquire) == at) return value;
        break;
      }
      // A reader that saw a moving entry has acquired with it the odd version of that deletion.
      if (version % 2 == 0 && version_.load(std::memory_order_relaxed) == version) return nullptr;
    }
  }

  // Puts `value` in the place of whatever `key` had; returns what it had.
  std::unique_ptr<Value> insert(std::uint64_t key, std::unique_ptr<Value> value) {
    const std::lock_guard lock(writing_);
    return insert_locked(key, value);
  }

  // The value of `key`: the one that it has, or else `value`, which then is the table's own. So threads that find out
  // the same at once share what the first of them enters.
  Value* insert_if_new(std::uint64_t key, std::unique_ptr<Value>& value) {
    const std::lock_guard lock(writing_);
    if (Value* first = find(key)) return first;
    Value* const entered = value.get();
    insert_locked(key, value);
    return entered;
  }

  // Takes the value of `key` out; null when there is none.
  std::unique_ptr<Value> extract(std::uint64_t key) {
    const std::lock_guard lock(writing_);
    Table& table = *table_.load(std::memory_order_relaxed);
    std::size_t hole = place_of(key, table);
    if (table.slots[hole].key.load(std::memory_order_relaxed) == 0) return nullptr;
    std::unique_ptr<Value> value(table.slots[hole].value.load(std::memory_order_relaxed));
    version_.fetch_add(1, std::memory_order_acq_rel);
    for (std::size_t i = (hole + 1) & table.mask;; i = (i + 1) & table.mask) {
      const std::uint64_t at = table.slots[i].key.load(std::memory_order_relaxed);
      if (at == 0) break;
      // An entry may fill the hole unless its home lies behind the hole.
      if (((i - home(at - 1, table)) & table.mask) < ((i - hole) & table.mask)) continue;
      put(table.slots[hole], at, table.slots[i].value.load(std::memory_order_relaxed));
      hole = i;
    }
    put(table.slots[hole], 0, nullptr);
    version_.fetch_add(1, std::memory_order_acq_rel);
    --live_;
    return value;
  }

  std::size_t size() const {
    const std::lock_guard lock(writing_);
    return live_;
  }

  // Bytes of the table itself, those that it has outgrown included.
  std::size_t bytes() const {
    const std::lock_guard lock(writing_);
    std::size_t sum = 0;
    for (const auto& table : tables_) sum += table->slots.size() * sizeof(Slot);
    return sum;
  }

  // visit(key, value) for all; the table is locked for writing meanwhile.
  template <class Visit>
  void for_each(Visit visit) const {
    const std::lock_guard lock(writing_);
    for (const Slot& slot : table_.load(std::memory_order_relaxed)->slots)
      if (Value* value = slot.value.load(std::memory_order_relaxed))
        visit(slot.key.load(std::memory_order_relaxed) - 1, *value);
  }

 private:
  struct Slot {
    std::atomic<std::uint64_t> key{0};  // the key plus one; 0: free
    std::atomic<Value*> value{nullptr};
  };
  struct Table {
    explicit Table(std::size_t capacity) : slots(capacity), mask(capacity - 1) {}
    std::vector<Slot> slots;
    std::size_t mask;
  };

  static std::size_t home(std::uint64_t key, const Table& table) { return spread(key, 32) & table.mask; }

  // Throws std::bad_alloc, and nothing has changed then.
  std::unique_ptr<Value> insert_locked(std::uint64_t key, std::unique_ptr<Value>& value) {
    Table* table = table_.load(std::memory_order_relaxed);
    if ((live_ + 1) * 2 > table->mask + 1) table = grow_if_possible(table);
    Slot& slot = table->slots[place_of(key, *table)];
    if (slot.key.load(std::memory_order_relaxed) != 0)
      return std::unique_ptr<Value>(slot.value.exchange(value.release(), std::memory_order_acq_rel));
    put(slot, key + 1, value.release());
    ++live_;
    return nullptr;
  }

  // The slot of `key`, or the free one where it would go.
  static std::size_t place_of(std::uint64_t key, const Table& table) {
    std::size_t i = home(key, table);
    for (;; i = (i + 1) & table.mask) {
      const std::uint64_t at = table.slots[i].key.load(std::memory_order_relaxed);
      if (at == 0 || at == key + 1) return i;
    }
  }

  // In this order no reader can take one key's value for another's.
  static void put(Slot& slot, std::uint64_t at, Value* value) {
    slot.value.store(nullptr, std::memory_order_release);
    slot.key.store(at, std::memory_order_release);
    slot.value.store(value, std::memory_order_release);
  }

  // A table that is more than half full still works, only slower; at least one slot stays free.
  Table* grow_if_possible(Table* table) {
    try {
      return grow((table->mask + 1) * 2);
    } catch (const std::bad_alloc&) {
      if (live_ + 1 > table->mask) throw;
      return table;
    }
  }

  // Moves everything to a new table. Old ones stay, because a reader may be in them; together they are smaller than the
  // new one.
  Table* grow(std::size_t capacity) {
    auto fresh = std::make_unique<Table>(capacity);
    if (!tables_.empty())
      for (const Slot& slot : tables_.back()->slots)
        if (const std::uint64_t at = slot.key.load(std::memory_order_relaxed); at != 0)
          put(fresh->slots[place_of(at - 1, *fresh)], at, slot.value.load(std::memory_order_relaxed));
    tables_.push_back(std::move(fresh));
    table_.store(tables_.back().get(), std::memory_order_release);
    version_.fetch_add(2, std::memory_order_acq_rel);  // a reader that missed in the old table looks again
    return tables_.back().get();
  }

  mutable std::mutex writing_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::atomic<Table*> table_{nullptr};
  std::atomic<std::uint64_t> version_{0};  // odd while entries move
  std::size_t live_ = 0;
};

}  // namespace marshal
