// MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw by nodes leave the same bytes and codes as the host's PMPI functions.
// Communicators, counts, types and places are random, as is MPI_IN_PLACE. Some blocks are too long to go by nodes, and
// some are shorter than the receiver's.
//
//   exchanges_as_by_pmpi [CALLS]    (default: 300) MARSHAL_TEST_SEED: that of another run
//
// cluster: sizes=1,3,2 env=MARSHAL_EXCHANGE=on exchanges=yes
// cluster: nodes=3 ranks=9 cyclic=yes env=MARSHAL_EXCHANGE=on exchanges=yes
// cluster: sizes=4,1 env=MARSHAL_EXCHANGE=on exchanges=yes args=150
// cluster: sizes=3,3,2,2 env=MARSHAL_EXCHANGE=auto exchanges=yes args=3600
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

enum { unit = 6 };  // doubles of a piece; each block has whole pieces
int world_rank;
unsigned seed;
long call_number;

[[noreturn]] void fail(const char* what) {
  printf("seed %u, call %ld, rank %d: %s\n", seed, call_number, world_rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

// Numbers that all ranks draw alike, or each for itself.
struct Random {
  std::mt19937 bits;
  int below(int n) { return static_cast<int>(bits() % static_cast<unsigned>(n)); }
};

// Datatypes of one piece: as many doubles, elsewhere in memory. `doubles`: of its extent.
struct Piece {
  MPI_Datatype type;
  int doubles, per_piece;  // instances
};
std::vector<Piece> pieces;

void make_pieces() {
  MPI_Datatype type, other;
  pieces.push_back({MPI_DOUBLE, 1, unit});
  MPI_Type_contiguous(unit, MPI_DOUBLE, &type);
  pieces.push_back({type, unit, 1});
  MPI_Type_vector(3, 2, 3, MPI_DOUBLE, &type);
  pieces.push_back({type, 8, 1});
  MPI_Type_vector(unit, 1, 2, MPI_DOUBLE, &other);
  MPI_Type_create_resized(other, 0, 13 * sizeof(double), &type);
  MPI_Type_free(&other);
  pieces.push_back({type, 13, 1});
  const int lengths[] = {1, 4, 1}, places[] = {6, 1, 0};
  MPI_Type_indexed(3, lengths, places, MPI_DOUBLE, &other);
  MPI_Type_create_resized(other, 0, 9 * sizeof(double), &type);
  MPI_Type_free(&other);
  pieces.push_back({type, 9, 1});
  for (Piece& piece : pieces)
    if (piece.type != MPI_DOUBLE) MPI_Type_commit(&piece.type);
}

// One side of a call.
struct Side {
  std::vector<int> counts, extents, bytes;  // places in extents of the type, and in bytes
  std::vector<MPI_Datatype> types;
  std::vector<double> memory;

  // `kind`: of each block. Blocks stand in any order, with room between them.
  void lay_out(const std::vector<int>& blocks, const std::vector<int>& kind, bool in_order, Random& own) {
    const std::size_t n = blocks.size();
    std::vector<std::size_t> order(n);
    for (std::size_t k = 0; k < n; ++k) order[k] = k;
    if (!in_order) std::shuffle(order.begin(), order.end(), own.bits);
    counts.resize(n), extents.resize(n), bytes.resize(n), types.resize(n);
    int at = 0;  // in doubles
    for (const std::size_t k : order) {
      const Piece& piece = pieces[static_cast<std::size_t>(kind[k])];
      if (!in_order) at += own.below(3);
      at = (at + piece.doubles - 1) / piece.doubles * piece.doubles;
      counts[k] = blocks[k] * piece.per_piece;
      extents[k] = at / piece.doubles;
      bytes[k] = at * static_cast<int>(sizeof(double));
      types[k] = piece.type;
      at += counts[k] * piece.doubles;
    }
    memory.assign(static_cast<std::size_t>(at) + 64, 0);
  }
  void fill(int salt) {
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = salt * 1e6 + static_cast<double>(i) + call_number * 1e-3;
  }
};

enum { alltoall, alltoallv, alltoallw };

#if MPI_VERSION >= 4
struct LargeSide {
  explicit LargeSide(const Side& s)
      : counts(s.counts.begin(), s.counts.end()),
        extents(s.extents.begin(), s.extents.end()),
        bytes(s.bytes.begin(), s.bytes.end()) {}
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> extents, bytes;
};
int call_large(int which, void* out, const Side& s, void* in, const Side& r, MPI_Comm comm) {
  const LargeSide sent(s), received(r);
  if (which == alltoall)
    return MPI_Alltoall_c(out, sent.counts[0], s.types[0], in, received.counts[0], r.types[0], comm);
  if (which == alltoallv)
    return MPI_Alltoallv_c(out, sent.counts.data(), sent.extents.data(), s.types[0], in, received.counts.data(),
                           received.extents.data(), r.types[0], comm);
  return MPI_Alltoallw_c(out, sent.counts.data(), sent.bytes.data(), s.types.data(), in, received.counts.data(),
                         received.bytes.data(), r.types.data(), comm);
}
#endif

// The processes may mix functions with large counts and those with others.
int call(bool by_marshal, int which, void* out, const Side& s, void* in, const Side& r, MPI_Comm comm) {
#if MPI_VERSION >= 4
  if (by_marshal && (call_number + world_rank) % 4 == 0) return call_large(which, out, s, in, r, comm);
#endif
  if (which == alltoall)
    return (by_marshal ? MPI_Alltoall : PMPI_Alltoall)(out, s.counts[0], s.types[0], in, r.counts[0], r.types[0], comm);
  if (which == alltoallv)
    return (by_marshal ? MPI_Alltoallv : PMPI_Alltoallv)(out, s.counts.data(), s.extents.data(), s.types[0], in,
                                                         r.counts.data(), r.extents.data(), r.types[0], comm);
  return (by_marshal ? MPI_Alltoallw : PMPI_Alltoallw)(out, s.counts.data(), s.bytes.data(), s.types.data(), in,
                                                       r.counts.data(), r.bytes.data(), r.types.data(), comm);
}

void one_call(MPI_Comm comm) {
  Random common{
      std::mt19937(seed * 17u + static_cast<unsigned>(call_number) * 7919u)};  // the size of `comm` may differ
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size == 1) return;  // Open MPI 4.1 takes the places of MPI_Alltoallw for extents there, and writes elsewhere
  Random own{std::mt19937(seed * 31u + static_cast<unsigned>(call_number) * 1009u + static_cast<unsigned>(world_rank))};
  const int which = common.below(3);
  const bool in_place = common.below(5) == 0;
  const bool shorter = which != alltoall && !in_place && common.below(4) == 0;
  const int most = common.below(8) == 0 ? 60 : common.below(4) == 0 ? 1 : 8;  // pieces of a block
  const int empty = common.below(3);                                          // of 4 blocks
  // The pieces of each pair, which all ranks draw: those that are sent, and those that the receiver asks for.
  const auto n = static_cast<std::size_t>(size), self = static_cast<std::size_t>(rank);
  std::vector<int> sent(n * n), asked(n * n);
  const int even = common.below(most + 1);
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t q = 0; q < n; ++q) {
      int pieces_here = common.below(4) < empty ? 0 : common.below(most + 1);
      if (which == alltoall) pieces_here = even;
      if (in_place && q < p) pieces_here = sent[q * n + p];
      sent[p * n + q] = pieces_here;
      // Where hosts send no empty block, a receiver that asks for one waits for ever.
      const bool may_be_shorter = shorter && pieces_here > 0 && p != q;
      asked[p * n + q] = pieces_here + (may_be_shorter ? common.below(3) : 0);
    }
  std::vector<int> out_blocks(n), in_blocks(n), out_kind(n), in_kind(n);
  const int kinds = static_cast<int>(pieces.size());
  const int one_out = own.below(kinds), one_in = own.below(kinds);
  for (std::size_t k = 0; k < n; ++k) {
    out_blocks[k] = sent[self * n + k];
    in_blocks[k] = asked[k * n + self];
    out_kind[k] = which == alltoallw ? own.below(kinds) : one_out;
    in_kind[k] = which == alltoallw ? own.below(kinds) : one_in;
  }
  Side out, in;
  out.lay_out(out_blocks, out_kind, which == alltoall, own);
  in.lay_out(in_blocks, in_kind, which == alltoall, own);
  out.fill(world_rank + 1);
  in.fill(-1 - world_rank);
  const std::vector<double> before = in.memory;
  std::vector<double> sent_before = out.memory;
  const int by_host = call(false, which, in_place ? MPI_IN_PLACE : out.memory.data(), out, in.memory.data(), in, comm);
  const std::vector<double> wanted = in.memory;
  in.memory = before;
  const int by_marshal =
      call(true, which, in_place ? MPI_IN_PLACE : out.memory.data(), out, in.memory.data(), in, comm);
  const char* const name[] = {"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"};
  if (by_host != by_marshal) fail("another code");
  if (memcmp(wanted.data(), in.memory.data(), wanted.size() * sizeof(double)) != 0) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i] != in.memory[i]) {
        printf("%s of %d%s%s: double %zu of %zu: %g, by the host %g, before %g\n", name[which], size,
               in_place ? ", in place" : "", shorter ? ", shorter" : "", i, wanted.size(), in.memory[i], wanted[i],
               before[i]);
        break;
      }
    fail("other bytes");
  }
  if (out.memory != sent_before) fail("the data sent were changed");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const long calls = argc > 1 ? atol(argv[1]) : 300;
  const char* const given = getenv("MARSHAL_TEST_SEED");
  seed = given != nullptr ? static_cast<unsigned>(atol(given)) : static_cast<unsigned>(time(nullptr));
  MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (world_rank == 0) printf("MARSHAL_TEST_SEED=%u\n", seed), fflush(stdout);
  make_pieces();
  Random common{std::mt19937(seed)};
  MPI_Comm some = MPI_COMM_NULL, turned = MPI_COMM_NULL;
  for (call_number = 0; call_number < calls; ++call_number) {
    if (call_number % 50 == 0) {
      if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
      if (turned != MPI_COMM_NULL) MPI_Comm_free(&turned);
      std::vector<int> color(512), key(512);
      for (int i = 0; i < 512; ++i)
        color[static_cast<std::size_t>(i)] = common.below(2), key[static_cast<std::size_t>(i)] = common.below(100);
      MPI_Comm_split(MPI_COMM_WORLD, color[static_cast<std::size_t>(world_rank)], 0, &some);
      MPI_Comm_split(MPI_COMM_WORLD, 0, key[static_cast<std::size_t>(world_rank)], &turned);
    }
    const int chosen = common.below(3);
    one_call(chosen == 0 ? MPI_COMM_WORLD : chosen == 1 ? some : turned);
  }
  MPI_Comm_free(&some);
  MPI_Comm_free(&turned);
  for (Piece& piece : pieces)
    if (piece.type != MPI_DOUBLE) MPI_Type_free(&piece.type);
  MPI_Finalize();
  return 0;
}
