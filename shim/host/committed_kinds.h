// Counts commits by kind for the report, the first thousand of a process; later ones cost nothing.
#pragma once

#include <mpi.h>

#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "callsites/commit_sites.h"

namespace marshal {

// The kind of a type, at little cost: its contents are not read.
struct TypeKind {
  std::string combiner;  // of the outermost constructor, as MPI names it
  std::int64_t size, extent;

  auto operator<=>(const TypeKind&) const = default;
};

TypeKind kind_of(MPI_Datatype handle);

// How many commits there were.
// Two threads at the same moment may count two commits as one: a locked addition would cost more than all the rest.
class CommitCount {
 public:
  // Whether the next commit is among the first: then it is to be counted by kind.
  bool is_next_among_first() const { return commits() < most_counted; }
  void add() { commits_.store(commits() + 1, std::memory_order_relaxed); }
  std::uint64_t commits() const { return commits_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t most_counted = 1000;
  std::atomic<std::uint64_t> commits_{0};
};

// The first of them.
class CommittedKinds {
 public:
  struct Commits {
    std::uint64_t never_packed = 0;
    CommitSite site = 0;  // of the first
  };

  void count(MPI_Datatype handle, CommitSite site);
  // One of the counted types is packed for the first time.
  void packed(MPI_Datatype handle);

  std::map<TypeKind, Commits> never_packed() const;

 private:
  mutable std::mutex mutex_;
  std::map<TypeKind, Commits> kinds_;
};

}  // namespace marshal
