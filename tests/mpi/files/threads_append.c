// Two threads append records to one file at once by MPI_File_write and MPI_File_write_all, from memory with gaps and
// without. Each record comes to be there once and in one piece, as the library's own calls would leave them. A thread
// that asks for the pointer meanwhile finds it where a record begins, and may set it to where it is.
//
// cluster: nodes=1 ranks=1 env=MARSHAL_FILES=on args=file
// cluster: nodes=1 ranks=1 env=MARSHAL_FILES=on args=file env4=OMPI_MCA_io=^ompio
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/mpi/thread_multiple.h"

enum { long_ones = 40, short_ones = 1000, records = long_ones + short_ones, longest = 320 * 1024 };  // ints of a record
static MPI_File file;
static MPI_Offset seen_at[records];  // where the pointer was, before each record of the second thread

// The lengths in ints: more than a MiB, and a few KiB.
static int length_of(int number) { return number < long_ones ? longest - number : 700 + number % 50; }

static void* append(void* of) {
  const int thread = *(const int*)of;
  int* const memory = malloc(2 * longest * sizeof(int));
  for (int i = thread ? long_ones : 0; i < (thread ? records : long_ones); ++i) {
    const int length = length_of(i), stride = thread && i % 2 ? 1 : 2;
    for (int k = 0; k < length * stride; ++k) memory[k] = k % stride ? -1 : i;
    MPI_Datatype type;
    MPI_Type_vector(length, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (thread) {
      MPI_File_get_position(file, &seen_at[i]);
      MPI_File_seek(file, 0, MPI_SEEK_CUR);
    }
    if (thread && i % 4 < 2)
      MPI_File_write_all(file, memory, 1, type, MPI_STATUS_IGNORE);
    else
      MPI_File_write(file, memory, 1, type, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
  }
  free(memory);
  return NULL;
}

int main(int argc, char** argv) {
  init_thread_multiple(&argc, &argv);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  pthread_t other;
  int numbers[2] = {0, 1}, seen[records] = {0}, wrong = 0;
  pthread_create(&other, NULL, append, &numbers[1]);
  append(&numbers[0]);
  pthread_join(other, NULL);
  MPI_Offset size = 0, at = 0, expected = 0;
  MPI_File_get_size(file, &size);
  for (int i = 0; i < records; ++i) expected += (MPI_Offset)sizeof(int) * length_of(i);
  if (size != expected) {
    printf("%lld bytes instead of %lld\n", (long long)size, (long long)expected);
    wrong = 1;
  }
  int* const record = malloc(longest * sizeof(int));
  char* const begins = calloc((size_t)expected / sizeof(int) + 1, 1);  // by the number of ints before it
  while (!wrong && at < size) {
    MPI_File_read_at(file, at, record, 1, MPI_INT, MPI_STATUS_IGNORE);
    const int number = record[0], is_known = number >= 0 && number < records && !seen[number]++;
    const int length = is_known ? length_of(number) : 0;
    MPI_File_read_at(file, at, record, length, MPI_INT, MPI_STATUS_IGNORE);
    for (int k = 0; k < length; ++k) wrong += record[k] != number;
    wrong += !is_known;
    begins[at / (MPI_Offset)sizeof(int)] = 1;
    if (wrong) printf("another record at byte %lld: number %d\n", (long long)at, number);
    at += (MPI_Offset)sizeof(int) * length;
  }
  for (int i = long_ones; !wrong && i < records; ++i)
    if (!begins[seen_at[i] / (MPI_Offset)sizeof(int)]) {
      printf("the pointer was at byte %lld, inside a record\n", (long long)seen_at[i]);
      wrong = 1;
    }
  free(begins);
  free(record);
  MPI_File_close(&file);
  MPI_Finalize();
  return wrong != 0;
}
