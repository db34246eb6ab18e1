/* What the programs of benchmarks in C share: the median, and the host's own functions. */
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

static inline int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Sorts the values. */
static inline double median(double* values, int n) {
  qsort(values, (size_t)n, sizeof *values, by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The host's own function behind a name: a call of it is seen by nobody in front of the host. */
static inline void* hosts_own(const char* name) {
  const char* const names[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12", "libmpi_abi.so.0"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void* const library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    void* const found = library ? dlsym(library, name) : NULL;
    if (found) return found;
  }
  return dlsym(RTLD_DEFAULT, name);
}
