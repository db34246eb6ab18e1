// An immutable sequence of processes, for maps that no formula describes; shared by counting references. Tables of
// equal contents are kept once: the reuse of the AV-Rankmap preprint, section V-A.2.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace marshal {

// A process as Marshal names it: the papers' (pgid, lpid), its process group and its rank there. Groups are numbered by
// each process for itself; 0 is the job that this process started in.
struct Process {
  std::int32_t group;
  std::int32_t lpid;
  auto operator<=>(const Process&) const = default;
};

class ChainedTable;
class DenseInverse;
class RankMap;

// Tables do not change once made; all members may be called from any thread.
class RankTable {
 public:
  RankTable() = default;
  RankTable(const RankTable&) = delete;
  RankTable& operator=(const RankTable&) = delete;
  virtual ~RankTable() = default;

  virtual std::int32_t size() const = 0;
  // The process at index i, 0 <= i < size().
  virtual Process at(std::int32_t i) const = 0;
  // The index of a process, or -1; never a search through all entries.
  virtual std::int32_t index_of(Process process) const = 0;
  // All entries in order, in one pass. Both spans have size() elements.
  virtual void read_lpids(std::span<std::int32_t> lpids) const = 0;
  virtual void read_groups(std::span<std::int32_t> groups) const;
  // This table, if its entries are written in ranks of another map.
  virtual const ChainedTable* chained() const { return nullptr; }
  // Turns indices into ranks of that other map, in their place, and returns the map. For any other table: does nothing,
  // and returns null.
  virtual const RankMap* to_parent(std::span<std::int32_t> /*indices*/) const { return nullptr; }
  // The inverse that this table keeps, if it keeps one as an array; made now if it was not yet.
  virtual const DenseInverse* dense_inverse() const { return nullptr; }
  // Memory held now, this object included, however many share it.
  virtual std::size_t bytes() const = 0;
  // The name of the format, as the report shows it.
  virtual std::string_view format() const = 0;
  // The process group of all entries, or -1 when they may differ.
  virtual std::int32_t only_group() const = 0;
  // True if the same shape would take the same memory at any number of ranks.
  virtual bool constant_size() const { return false; }

 private:
  friend class TableRef;
  mutable std::atomic<std::uint32_t> references_{0};
  mutable std::optional<std::uint64_t> hash_;  // by which the pool finds it; none if it is not in there
};

// A counted reference in one word; copies may be made and dropped from any thread.
class TableRef {
 public:
  TableRef() = default;
  explicit TableRef(const RankTable* table) : table_(table) { retain(); }
  TableRef(const TableRef& other) : table_(other.table_) { retain(); }
  TableRef(TableRef&& other) noexcept : table_(std::exchange(other.table_, nullptr)) {}
  TableRef& operator=(TableRef other) noexcept {
    std::swap(table_, other.table_);
    return *this;
  }
  ~TableRef() { release(); }

  // A live table that was pooled with this hash and for which `same` holds, or else the one that `make` returns, which
  // is then in the pool until its last reference ends. Any thread may call it. Neither function is called under the
  // pool's lock; of two threads that make the same table at once, both may keep their own.
  static TableRef pooled(std::uint64_t hash, const std::function<bool(const RankTable&)>& same,
                         const std::function<TableRef()>& make);
  static std::size_t pool_size();

  const RankTable* get() const { return table_; }
  const RankTable& operator*() const { return *table_; }
  const RankTable* operator->() const { return table_; }
  explicit operator bool() const { return table_ != nullptr; }
  std::size_t sharers() const { return table_ == nullptr ? 0 : table_->references_.load(std::memory_order_relaxed); }

 private:
  void retain() const {
    if (table_ != nullptr) table_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() const {
    if (table_ != nullptr && table_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) drop(table_);
  }

  // A reference to a table that may be losing its last one meanwhile: empty then. Its memory must be safe to read.
  static TableRef if_alive(const RankTable* table);
  static void drop(const RankTable* table);

  const RankTable* table_ = nullptr;
};

}  // namespace marshal
