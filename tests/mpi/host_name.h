// Which MPI a test program runs on, asked of the library: a program for the standard ABI is compiled once for all.
#pragma once

#include <mpi.h>
#include <string.h>

static inline int library_names_itself(const char* name) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(text, &length);
  return strstr(text, name) != NULL;
}
static inline int is_mpich(void) { return library_names_itself("MPICH"); }
static inline int is_open_mpi(void) { return library_names_itself("Open MPI"); }
