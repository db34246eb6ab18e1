/* Each rank writes and reads memory with gaps: by MPI_File_write_at_all from a ghosted array, by MPI_File_read_at into
 * it, by a split read, and pieces of 64 KiB that the MPI library moves as fast. What came is checked; who packed is in
 * the report (packed_is_counted). At last an etype is larger than what goes at once in parts.
 *
 * cluster: nodes=1 ranks=2 args=file env=MARSHAL_FILES=on
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { pieces = 4096, length = 8, stride = 16, long_piece = 65536, pieces_of_etype = 76800 };

int main(int argc, char** argv) {
  static char memory[pieces * stride], back[pieces * stride], large[4 * (long_piece + 64)];
  MPI_File file;
  MPI_Datatype type, long_type;
  MPI_Status status;
  int rank, count = 0, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Type_vector(pieces, length, stride, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Type_vector(4, long_piece, long_piece + 64, MPI_BYTE, &long_type);
  MPI_Type_commit(&long_type);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int i = 0; i < pieces * stride; ++i) memory[i] = (char)(i * 7 + rank);
  MPI_Offset offset = (MPI_Offset)rank * pieces * length;
  MPI_File_write_at_all(file, offset, memory, 1, type, &status);
  MPI_Get_count(&status, type, &count);
  wrong += count != 1;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, offset, back, 1, type, &status);
  MPI_Get_count(&status, type, &count);
  wrong += count != 1;
  for (int i = 0; i < pieces * stride; ++i) wrong += back[i] != (i % stride < length ? memory[i] : 0);
  memset(back, 0, sizeof back);
  MPI_File_read_at_all_begin(file, offset, back, 1, type);
  MPI_File_read_at_all_end(file, back, &status);
  for (int i = 0; i < pieces * stride; ++i) wrong += back[i] != (i % stride < length ? memory[i] : 0);
  MPI_File_write_at(file, (MPI_Offset)1 << 20, large, 1, long_type, MPI_STATUS_IGNORE);
  MPI_Datatype etype, half;
  char* twice = calloc(pieces_of_etype, stride);
  MPI_Type_contiguous(pieces_of_etype * length, MPI_BYTE, &etype);
  MPI_Type_commit(&etype);
  MPI_Type_vector(pieces_of_etype, length, stride, MPI_BYTE, &half);
  MPI_Type_commit(&half);
  MPI_File_set_view(file, 0, etype, etype, "native", MPI_INFO_NULL);
  if (twice == NULL || MPI_File_write_at(file, 2 + rank, twice, 1, half, MPI_STATUS_IGNORE) != MPI_SUCCESS) ++wrong;
  MPI_File_close(&file);
  MPI_Type_free(&etype);
  MPI_Type_free(&half);
  free(twice);
  MPI_Type_free(&type);
  MPI_Type_free(&long_type);
  if (wrong) fprintf(stderr, "rank %d: %d differences\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
