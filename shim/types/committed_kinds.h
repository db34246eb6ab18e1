// Counts commits by kind for the report, the first thousand of a process; later ones cost nothing.
#pragma once

#include <mpi.h>

#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

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
  static constexpr std::uint64_t most_counted = 1000;
  // True if the next commit is among the first: then it is to be counted by kind.
  bool is_next_among_first() const { return commits() < most_counted; }
  void add() { commits_.store(commits() + 1, std::memory_order_relaxed); }
  std::uint64_t commits() const { return commits_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> commits_{0};
};

// The first of them. A type keeps the number of its kind: its handle may be another type's by the time of a use.
class CommittedKinds {
 public:
  struct Commits {
    TypeKind kind;
    CommitSite site;
    std::uint64_t never_packed;
  };

  // The number of this kind at this site, from 1 on; 0 if it is not counted.
  std::uint16_t count(TypeKind kind, CommitSite site);
  // One of the types of that number is packed for the first time.
  void packed(std::uint16_t number);
  CommitSite site_of(std::uint16_t number) const;  // 0 for number 0

  std::vector<Commits> never_packed() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<TypeKind, CommitSite>, std::uint16_t> numbers_;
  std::vector<Commits> commits_;  // of number 1, 2, …
};

}  // namespace marshal
