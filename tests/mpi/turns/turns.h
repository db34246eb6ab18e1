// All parts of handles_by_turns.cc share this: chance, checks, and the handles that are alive.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "wrappers/actions/marshal.h"

namespace by_turns {

inline int me = 0, ranks = 0, wrong = 0;
inline std::mt19937 dice;  // the same on all ranks as a turn begins

inline unsigned first_seed = 0, turns = 0;
// A group may have another size on each rank, and what is drawn for it differs then: only until the next turn.
inline void begin_turn() { dice.seed(first_seed + ++turns); }

inline int draw(int below) { return static_cast<int>(dice() % static_cast<unsigned>(below)); }

inline int seen = -1;  // whether Marshal sees the calls: 1, 0, or by chance
inline bool is_seen() { return seen < 0 ? draw(2) == 0 : seen != 0; }

// Calls the MPI_ or the PMPI_ function.
#define BY_TURNS(name, ...) (is_seen() ? MPI_##name(__VA_ARGS__) : PMPI_##name(__VA_ARGS__))
#define CHECK(condition)                                                                        \
  do {                                                                                          \
    if (condition) break;                                                                       \
    if (wrong++ < 10) printf("rank %d, %s, line %d: %s\n", me, __FILE__, __LINE__, #condition); \
  } while (false)

inline std::vector<int> first_numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

inline MPI_Group world;

inline void check_translation(MPI_Group from, MPI_Group to) {
  int size = 0;
  PMPI_Group_size(from, &size);
  const std::vector<int> all = first_numbers(size);
  std::vector<int> found(all.size() + 1), expected(found);
  MPI_Group_translate_ranks(from, size, all.data(), to, found.data());
  PMPI_Group_translate_ranks(from, size, all.data(), to, expected.data());
  CHECK(found == expected);
}

// Both name the same processes in the same order.
inline void check_same(MPI_Group a, MPI_Group b) {
  int relation = 0;
  PMPI_Group_compare(a, b, &relation);
  CHECK(relation == MPI_IDENT);
}

// The messages that this process has sent so far to processes of its job.
struct Sent {
  unsigned long long messages = 0, bytes = 0;
  bool operator==(const Sent&) const = default;
};
inline Sent sent() {
  Sent all;
  for (int peer = 0; marshal_sent != nullptr && peer < ranks; ++peer) {
    Sent one;
    CHECK(marshal_sent(peer, &one.messages, &one.bytes) == MARSHAL_SUCCESS);
    all.messages += one.messages;
    all.bytes += one.bytes;
  }
  return all;
}
inline void check_sent(const Sent& before, int messages, int bytes) {
  if (marshal_sent == nullptr) return;
  CHECK(sent() == (Sent{before.messages + static_cast<unsigned long long>(messages),
                        before.bytes + static_cast<unsigned long long>(bytes)}));
}

// The handles of one kind. All ranks have as many, in the same order.
template <class Handle>
struct Kind {
  std::vector<Handle> alive;
  std::size_t most;

  Handle any() const { return alive[static_cast<std::size_t>(draw(static_cast<int>(alive.size())))]; }
  template <class End>
  void end_one(End end) {
    const auto which = alive.begin() + draw(static_cast<int>(alive.size()));
    Handle ended = *which;
    alive.erase(which);
    end(ended);
  }
};

// Makes one where there are few, frees one where there are many.
template <class Handle, class Make, class End>
void make_or_end(Kind<Handle>& kind, Make make, End end) {
  if (kind.alive.empty() || (kind.alive.size() < kind.most && draw(2) == 0))
    kind.alive.push_back(make());
  else
    kind.end_one(end);
}

// The checks of other kinds stand beside what makes them.
inline Kind<MPI_Comm> communicators{{}, 8};
inline Kind<MPI_Group> groups{{}, 10};
inline Kind<MPI_Win> windows{{}, 3};
inline Kind<MPI_File> files{{}, 2};

}  // namespace by_turns
