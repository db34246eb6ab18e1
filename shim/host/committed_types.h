// Which datatypes are committed: all of them by handle, without a lock, and the first thousand by kind, for the report.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "callsites/commit_sites.h"

namespace marshal {

// Types seen to be committed, without memory for each: a program may commit a million and pack none. A type whose place
// another one took is simply not known.
class CommittedTypes {
 public:
  struct Place {
    std::atomic<std::uint64_t> key{0};           // the handle's key plus one; 0: free
    std::atomic<std::int64_t> host_ns{0};        // that the host has taken to pack it, measured or estimated
    std::atomic<float> ns_per_byte{0};           // of a pack by the host, once one was timed
    std::atomic<std::int64_t> read_at{0};        // from so many ns on it is read; 0: not known yet
    std::atomic<int> patience{0};                // so many times as long as reading takes (type_lives.h); 0: was read
    std::atomic<std::int64_t> size_plus_one{0};  // of an instance; 0: not asked yet
    std::atomic<bool> counted_by_kind{false};
    std::atomic<bool> only_counts{false};  // nothing is left to be done for a pack but to count it, until it is read
    std::atomic<CommitSite> site{0};
  };

  void note(std::uint64_t key, bool counted_by_kind, CommitSite site = 0) {
    Place& place = place_of(key);
    if (place.key.load(std::memory_order_relaxed) == key + 1) return;
    place.host_ns.store(0, std::memory_order_relaxed);
    place.ns_per_byte.store(0, std::memory_order_relaxed);
    place.read_at.store(0, std::memory_order_relaxed);
    place.patience.store(0, std::memory_order_relaxed);
    place.size_plus_one.store(0, std::memory_order_relaxed);
    place.counted_by_kind.store(counted_by_kind, std::memory_order_relaxed);
    place.only_counts.store(false, std::memory_order_relaxed);
    place.site.store(site, std::memory_order_relaxed);
    place.key.store(key + 1, std::memory_order_release);
  }
  void forget(std::uint64_t key) {
    Place& place = place_of(key);
    if (place.key.load(std::memory_order_relaxed) == key + 1) place.key.store(0, std::memory_order_relaxed);
  }
  // Null if it is not known to be committed.
  Place* find(std::uint64_t key) {
    Place& place = place_of(key);
    return place.key.load(std::memory_order_acquire) == key + 1 ? &place : nullptr;
  }

 private:
  Place& place_of(std::uint64_t key) { return places_[(key * 0x9E3779B97F4A7C15ULL) >> (64 - 12)]; }

  std::array<Place, 4096> places_;
};

// A type as cheaply as it can be told: nothing of its contents is read.
struct TypeKind {
  std::string combiner;  // of the outermost constructor, as MPI names it
  std::int64_t size, extent;

  auto operator<=>(const TypeKind&) const = default;
};

TypeKind kind_of(MPI_Datatype handle);

// Of a type whose place this is, asked of the host but once.
std::int64_t size_of(CommittedTypes::Place& place, MPI_Datatype handle);

// Commits by kind, of a process's first `most_counted` commits: what costs the later ones nothing.
class CommittedKinds {
 public:
  // What is known of one kind.
  struct Commits {
    std::uint64_t never_packed = 0;
    CommitSite site = 0;  // of the first
  };

  // Whether this commit, the next one, is among the first: then it is to be counted.
  // Two threads in the same moment may count one commit for two: a locked addition would be dearer than all the rest.
  bool is_among_first() {
    const std::uint64_t before = commits_.load(std::memory_order_relaxed);
    commits_.store(before + 1, std::memory_order_relaxed);
    return before < most_counted;
  }
  void count(MPI_Datatype handle, CommitSite site);
  // One of them is being packed: it is not among those never packed.
  void packed(MPI_Datatype handle);

  std::uint64_t commits() const { return commits_.load(std::memory_order_relaxed); }
  std::map<TypeKind, Commits> never_packed() const;

 private:
  static constexpr std::uint64_t most_counted = 1000;

  std::atomic<std::uint64_t> commits_{0};
  mutable std::mutex mutex_;
  std::map<TypeKind, Commits> kinds_;
};

}  // namespace marshal
