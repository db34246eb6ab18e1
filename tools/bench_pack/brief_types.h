// Types that are made by the ten thousand, each for one message or one access to a window: what one costs in CPU time,
// from its constructor to MPI_Type_free. Only for files compiled for one host.
#pragma once

#include <mpi.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/cpu_time.h"
#include "tools/bench_pack/fixed_costs.h"

namespace marshal::bench {

namespace brief {

constexpr int samples = 9, types_each = 2000;

// A part of a box as some programs make it: a plane of rows in a struct, planes in a struct; each level committed, all
// but the last freed at once.
inline MPI_Datatype nested_structs(const int (&part)[3], int width) {
  const int one = 1;
  const MPI_Aint row = static_cast<MPI_Aint>(sizeof(double)) * width, plane = row * width;
  const auto in_struct = [&](MPI_Datatype of, MPI_Aint at) {
    MPI_Datatype type;
    MPI_Type_create_struct(1, &one, &at, &of, &type);
    return type;
  };
  MPI_Datatype rows, in_plane, sized, planes;
  MPI_Type_vector(part[1], part[0], width, MPI_DOUBLE, &rows);
  MPI_Type_commit(&rows);
  in_plane = in_struct(rows, row);
  MPI_Type_create_resized(in_plane, 0, plane, &sized);
  MPI_Type_commit(&sized);
  MPI_Type_contiguous(part[2], sized, &planes);
  MPI_Type_commit(&planes);
  MPI_Datatype box = in_struct(planes, plane);
  MPI_Type_commit(&box);
  for (MPI_Datatype* type : {&rows, &in_plane, &sized, &planes}) MPI_Type_free(type);
  return box;
}

inline MPI_Datatype list_of_numbers(int number) {
  constexpr int blocks = 8;
  int lengths[blocks], places[blocks];
  for (int i = 0; i < blocks; ++i) {
    lengths[i] = 1;
    places[i] = 100 * i + (7 * number + 3 * i) % 50;
  }
  MPI_Datatype type;
  MPI_Type_indexed(blocks, lengths, places, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

// The least of some samples: a disturbance only adds.
template <class Life>
FixedCost cpu_cost(const std::string& what, Life life) {
  double least = 0;
  for (int sample = 0; sample < samples; ++sample) {
    const auto began = thread_cpu_time();
    for (int i = 0; i < types_each; ++i) life(i);
    const double ns = std::chrono::duration<double, std::nano>(thread_cpu_time() - began).count() / types_each;
    if (sample == 0 || ns < least) least = ns;
  }
  return {what, least};
}

}  // namespace brief

// `other`: a rank of `comm`, which does the same at the same time, or this process.
inline std::vector<FixedCost> brief_types(MPI_Comm comm, int other) {
  constexpr int width = 24;
  std::vector<double> from(width * width * width), to(from.size());
  std::vector<FixedCost> all;
  all.push_back(brief::cpu_cost("nested structs, in one message, CPU time", [&](int i) {
    int part[3] = {width - 2, width - 2, width - 2};
    part[i % 3] = 2;
    MPI_Datatype type = brief::nested_structs(part, width);
    MPI_Sendrecv(from.data(), 1, type, other, 0, to.data(), 1, type, other, 0, comm, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
  }));
  double* memory = nullptr;
  MPI_Win window;
  MPI_Win_allocate(static_cast<MPI_Aint>(sizeof(double) * to.size()), 1, MPI_INFO_NULL, comm, &memory, &window);
  MPI_Win_lock_all(0, window);
  all.push_back(brief::cpu_cost("list of 8 blocks, in one MPI_Put, CPU time", [&](int i) {
    MPI_Datatype type = brief::list_of_numbers(i);
    MPI_Put(from.data(), 1, type, other, 0, 1, type, window);
    MPI_Win_flush(other, window);
    MPI_Type_free(&type);
  }));
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  return all;
}

}  // namespace marshal::bench
