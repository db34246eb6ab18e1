// Types that were in messages are freed by the host's own function, which Marshal does not see, and other memory takes
// their place. Nobody asks the host about them any more, at MPI_Finalize above all; and types that get their handles
// are packed as they are.
// cluster: nodes=1 ranks=1
// cluster: nodes=1 ranks=1 env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/measure.h"

enum { types = 300, room = 4096, chunks = 20000 };
typedef int free_type(MPI_Datatype*);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  free_type* const free_unseen = (free_type*)hosts_own("PMPI_Type_free");
  static int from[room], to[room], wrong;
  static char packed[sizeof from], expected[sizeof from];
  for (int i = 0; i < room; i++) from[i] = i;
  for (int i = 0; i < types; i++) {
    MPI_Datatype type;
    MPI_Type_vector(2 + i % 7, 1 + i % 3, 4 + i % 5, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(from, 10, type, 0, 0, to, 10, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    for (int pack = 0; pack < (i % 10 ? 0 : 300); pack++) {
      int position = 0, position_by_host = 0;
      MPI_Pack(from, 3, type, packed, sizeof packed, &position, MPI_COMM_SELF);
      PMPI_Pack(from, 3, type, expected, sizeof expected, &position_by_host, MPI_COMM_SELF);
      if (position != position_by_host || memcmp(packed, expected, position) != 0) ++wrong;
    }
    free_unseen(&type);
  }
  for (int i = 0; i < chunks; i++) {
    const size_t size = 16 + 16 * (i % 64);
    memset(malloc(size), 0xA5, size);
  }
  if (wrong) printf("%d packs with other bytes\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
