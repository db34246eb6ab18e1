// Four ranks write the inside of a ghosted 3-D array of their own into one HDF5 dataset, collectively and each by itself, and
// read both back. usage: hdf5-ghosted FILE
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 12, columns = 10, depth = 14, ghosts = 2 };
enum { all_rows = rows + 2 * ghosts, all_columns = columns + 2 * ghosts, all_depth = depth + 2 * ghosts };
static double out[all_rows][all_columns][all_depth], in[all_rows][all_columns][all_depth];

static int is_ghost(int i, int j, int k) {
  return i < ghosts || i >= rows + ghosts || j < ghosts || j >= columns + ghosts || k < ghosts || k >= depth + ghosts;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me, ranks, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2 || ranks != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  // No times in the file.
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_obj_track_times(create, 0);
  const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const hsize_t whole[3] = {2 * rows, 2 * columns, depth}, memory_size[3] = {all_rows, all_columns, all_depth};
  const hsize_t part[3] = {rows, columns, depth}, behind[3] = {ghosts, ghosts, ghosts};
  const hsize_t place[3] = {(hsize_t)(me / 2 * rows), (hsize_t)(me % 2 * columns), 0};
  const hid_t in_file = H5Screate_simple(3, whole, NULL), in_memory = H5Screate_simple(3, memory_size, NULL);
  H5Sselect_hyperslab(in_file, H5S_SELECT_SET, place, NULL, part, NULL);
  H5Sselect_hyperslab(in_memory, H5S_SELECT_SET, behind, NULL, part, NULL);
  const char* names[2] = {"independent", "collective"};
  for (int collective = 0; collective < 2; ++collective) {
    const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(transfer, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
    const hid_t data = H5Dcreate2(file, names[collective], H5T_NATIVE_DOUBLE, in_file, H5P_DEFAULT, create, H5P_DEFAULT);
    for (int i = 0; i < all_rows; ++i)
      for (int j = 0; j < all_columns; ++j)
        for (int k = 0; k < all_depth; ++k) {
          out[i][j][k] = me + 10.0 * i + 1000.0 * j + 100000.0 * k + collective * 0.5;
          in[i][j][k] = -1;
        }
    wrong += H5Dwrite(data, H5T_NATIVE_DOUBLE, in_memory, in_file, transfer, out) < 0;
    MPI_Barrier(MPI_COMM_WORLD);
    wrong += H5Dread(data, H5T_NATIVE_DOUBLE, in_memory, in_file, transfer, in) < 0;
    for (int i = 0; i < all_rows; ++i)
      for (int j = 0; j < all_columns; ++j)
        for (int k = 0; k < all_depth; ++k) wrong += in[i][j][k] != (is_ghost(i, j, k) ? -1 : out[i][j][k]);
    H5Dclose(data);
    H5Pclose(transfer);
  }
  H5Sclose(in_file);
  H5Sclose(in_memory);
  H5Fclose(file);
  H5Pclose(access);
  H5Pclose(create);
  if (wrong) printf("rank %d: %d other elements\n", me, wrong);
  MPI_Finalize();
  return wrong != 0;
}
