/* A ring of exactly ten, which may be reordered, six times in one program and in each of the three ways: by its own
   code for this Open MPI ends with an error or never returns. Rank r has the neighbours that were specified for vertex
   r, and the same order each time. */
// cluster: ranks=10
// cluster: nodes=2 ranks=10 cyclic=yes
// cluster: nodes=5 ranks=10
// cluster: nodes=2 ranks=10 cyclic=yes env=MARSHAL_CART=best,graphs:report
#include <mpi.h>
#include <stdio.h>

enum { size = 10, times = 6 };
static int failures;

/* Which process plays which vertex must be the same each time. */
static void check(MPI_Comm ring, int old, int* played, int left, int right) {
  int rank, got[2];
  MPI_Comm_rank(ring, &rank);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, ring);
  if (left < 0) left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (got[0] != left || got[1] != right)
    ++failures, printf("rank %d: neighbours %d and %d, not %d and %d\n", rank, got[0], got[1], left, right);
  if (*played >= 0 && rank != *played) ++failures, printf("process %d: vertex %d, and %d before\n", old, rank, *played);
  *played = rank;
  MPI_Comm_free(&ring);
}

int main(int argc, char** argv) {
  int old, ranks, all, index[size], edges[2 * size], played[3] = {-1, -1, -1};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &old);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != size) MPI_Abort(MPI_COMM_WORLD, 2);
  const int beside[2] = {(old + size - 1) % size, (old + 1) % size}, degree = 2;
  for (int vertex = 0; vertex < size; ++vertex) {
    index[vertex] = 2 * vertex + 2;
    edges[2 * vertex] = (vertex + size - 1) % size;
    edges[2 * vertex + 1] = (vertex + 1) % size;
  }
  for (int time = 0; time < times; ++time) {
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, beside, MPI_UNWEIGHTED, 2, beside, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   1, &ring);
    check(ring, old, &played[0], -1, -1);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &old, &degree, beside, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &ring);
    int rank, sources[2], destinations[2];
    MPI_Comm_rank(ring, &rank);
    MPI_Dist_graph_neighbors(ring, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED);
    if (sources[0] + sources[1] != (rank + size - 1) % size + (rank + 1) % size)
      ++failures, printf("rank %d: not the ring's neighbours\n", rank);
    check(ring, old, &played[1], sources[0], sources[1]);
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 1, &ring);
    check(ring, old, &played[2], -1, -1);
  }
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
