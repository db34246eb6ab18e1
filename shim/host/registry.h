// A table from handles to what Marshal knows of them, read without a lock.
//
// Reading: any thread, at any time, wait free. Writing: serialised by a mutex. A value found stays valid until its own
// handle is extracted; MPI itself forbids a program to use a handle in one thread while freeing it in another.
//
// Open addressing with linear probing. An extracted slot becomes empty again when the slot behind it is empty, else it
// is kept as a grave and used by the next insertion that passes: a million create/free cycles do not grow the table.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace marshal {

template <class Value>
class Registry {
 public:
  Registry() { publish(64); }
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry() {
    for_each([](std::uint64_t, Value& value) { delete &value; });
  }

  // The value of `key`, or null.
  Value* find(std::uint64_t key) const noexcept {
    const Table& table = *table_.load(std::memory_order_acquire);
    for (std::size_t i = home(key, table);; i = (i + 1) & table.mask) {
      const std::uint64_t at = table.slots[i].key.load(std::memory_order_acquire);
      if (at == key + 1) {
        if (Value* value = table.slots[i].value.load(std::memory_order_acquire)) return value;
      } else if (at == 0) {
        return nullptr;
      }
    }
  }

  // Puts `value` in the place of whatever `key` had; returns what it had.
  std::unique_ptr<Value> insert(std::uint64_t key, std::unique_ptr<Value> value) {
    const std::lock_guard lock(writing_);
    if (Slot* slot = place_of(key))
      return std::unique_ptr<Value>(slot->value.exchange(value.release(), std::memory_order_acq_rel));
    Table* table = table_.load(std::memory_order_relaxed);
    if ((live_ + graves_ + 1) * 2 > table->mask + 1)
      table = publish(live_ * 4 > table->mask ? (table->mask + 1) * 2 : table->mask + 1);
    for (std::size_t i = home(key, *table);; i = (i + 1) & table->mask) {
      Slot& slot = table->slots[i];
      if (slot.value.load(std::memory_order_relaxed) != nullptr) continue;
      if (slot.key.load(std::memory_order_relaxed) != 0) --graves_;
      slot.key.store(key + 1, std::memory_order_release);
      slot.value.store(value.release(), std::memory_order_release);
      ++live_;
      return nullptr;
    }
  }

  // Takes the value of `key` out; null when there is none.
  std::unique_ptr<Value> extract(std::uint64_t key) {
    const std::lock_guard lock(writing_);
    Slot* slot = place_of(key);
    if (slot == nullptr) return nullptr;
    std::unique_ptr<Value> value(slot->value.exchange(nullptr, std::memory_order_acq_rel));
    --live_;
    ++graves_;
    Table& table = *table_.load(std::memory_order_relaxed);
    std::size_t i = static_cast<std::size_t>(slot - table.slots.data());
    if (table.slots[(i + 1) & table.mask].key.load(std::memory_order_relaxed) == 0)
      for (; table.slots[i].key.load(std::memory_order_relaxed) != 0 &&
             table.slots[i].value.load(std::memory_order_relaxed) == nullptr;
           i = (i - 1) & table.mask) {
        table.slots[i].key.store(0, std::memory_order_release);
        --graves_;
      }
    return value;
  }

  std::size_t size() const {
    const std::lock_guard lock(writing_);
    return live_;
  }

  // Bytes of the table itself, tables that were outgrown included.
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
    std::atomic<std::uint64_t> key{0};  // the key plus one; 0: never used since the last clean-up
    std::atomic<Value*> value{nullptr};
  };
  struct Table {
    explicit Table(std::size_t capacity) : slots(capacity), mask(capacity - 1) {}
    std::vector<Slot> slots;
    std::size_t mask;
  };

  static std::size_t home(std::uint64_t key, const Table& table) {
    // Fibonacci hashing: handles are consecutive numbers or aligned addresses.
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32) & table.mask;
  }

  Slot* place_of(std::uint64_t key) {
    Table& table = *table_.load(std::memory_order_relaxed);
    for (std::size_t i = home(key, table);; i = (i + 1) & table.mask) {
      Slot& slot = table.slots[i];
      const std::uint64_t at = slot.key.load(std::memory_order_relaxed);
      if (at == 0) return nullptr;
      if (at == key + 1 && slot.value.load(std::memory_order_relaxed) != nullptr) return &slot;
    }
  }

  // Moves everything to a new table of `capacity` slots. Old ones stay, because a reader may be in them; their sizes
  // add up to less than the new one's unless graves alone filled a table, which the clean-up in extract() makes rare.
  Table* publish(std::size_t capacity) {
    auto fresh = std::make_unique<Table>(capacity);
    graves_ = 0;
    if (!tables_.empty())
      for (const Slot& slot : tables_.back()->slots)
        if (Value* value = slot.value.load(std::memory_order_relaxed)) {
          const std::uint64_t key = slot.key.load(std::memory_order_relaxed);
          std::size_t i = home(key - 1, *fresh);
          while (fresh->slots[i].key.load(std::memory_order_relaxed) != 0) i = (i + 1) & fresh->mask;
          fresh->slots[i].key.store(key, std::memory_order_relaxed);
          fresh->slots[i].value.store(value, std::memory_order_relaxed);
        }
    tables_.push_back(std::move(fresh));
    table_.store(tables_.back().get(), std::memory_order_release);
    return tables_.back().get();
  }

  mutable std::mutex writing_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::atomic<Table*> table_{nullptr};
  std::size_t live_ = 0, graves_ = 0;
};

}  // namespace marshal
