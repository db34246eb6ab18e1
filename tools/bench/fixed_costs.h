// What types cost that live briefly: that are packed a few times, or made for one message. Only for files compiled for
// one host.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu_time.h"
#include "tools/bench/mpi_type.h"
#include "tools/timing.h"

namespace marshal::bench {

struct FixedCost {
  std::string what;
  double ns;
};
// A line of JSON each.
inline void print(const std::vector<FixedCost>& costs) {
  for (const FixedCost& cost : costs) std::printf("{\"what\": \"%s\", \"ns\": %.4f}\n", cost.what.c_str(), cost.ns);
}

namespace fixed {

constexpr int rounds = 41;
constexpr int all_packs[] = {1, 3, 10, 30, 100, 300, 1000};          // of short lives
constexpr int first_lives = 50, places_each = 3, short_lives = 401;  // of types with few packs

// The median of so many times what `measure` says.
template <class Measure>
FixedCost median_cost(int times, const std::string& what, Measure measure) {
  std::vector<double> ns;
  for (int i = 0; i < times; ++i) ns.push_back(measure());
  return {what, tools::median_of(std::move(ns))};
}

template <class Run>
double ns_each(int times, Run run) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i) run(i);
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / times;
}

// Types that live for a few packs and were never seen before: committed, packed so many times and freed. Marshal learns
// from the first lives at a place what pays for the next ones there. So those are measured apart: the mean at each of
// some new places, and of these the median: places may share what they learn (types/site_history.h). Then the median of
// many lives at the last place.
template <class Pack>
void all_brief_lives(std::vector<FixedCost>& all, Pack pack) {
  std::mt19937 random(1);
  const auto irregular = [&](int blocks) {
    std::vector<int> places{0};
    while (places.size() < static_cast<std::size_t>(blocks)) places.push_back(places.back() + 2 + random() % 4);
    MPI_Datatype type;
    MPI_Type_create_indexed_block(blocks, 1, places.data(), MPI_DOUBLE, &type);
    return type;
  };
  int strides = 0;
  std::size_t place = 0;
  const auto strided = [&] {
    MPI_Datatype type;
    // At most 50 KB apart: what memory takes would be most of it otherwise, now more, now less.
    MPI_Type_create_hvector(64, 1, 16 + 8 * (strides++ % 100), MPI_DOUBLE, &type);
    return type;
  };
  constexpr int kinds = 3;
  static_assert(std::size(all_packs) * kinds * places_each <= commit_places, "each place must be new");
  for (const int packs : all_packs) {
    const auto lives = [&](const std::string& what, const auto& make) {
      Commit* commit = nullptr;
      const auto life = [&] {
        MPI_Datatype type = make();
        return ns_each(1, [&](int) {
          commit(&type);
          for (int i = 0; i < packs; ++i) pack(type);
          MPI_Type_free(&type);
        });
      };
      const std::string name = "a new " + what + ", packed " + std::to_string(packs) + " times";
      all.push_back(median_cost(places_each, name + ", first " + std::to_string(first_lives), [&] {
        commit = commit_at_place(place++);
        double learning = 0;
        for (int i = 0; i < first_lives; ++i) learning += life();
        return learning / first_lives;
      }));
      all.push_back(median_cost(packs <= 30 ? short_lives : rounds, name, life));
    };
    lives("list of 64 irregular blocks", [&] { return irregular(64); });
    lives("list of 2000 irregular blocks", [&] { return irregular(2000); });
    lives("vector of 64 blocks", strided);
  }
}

}  // namespace fixed

inline std::vector<FixedCost> fixed_costs() {
  std::vector<FixedCost> all;
  std::vector<double> user(1 << 16), packed(1 << 16);
  fixed::all_brief_lives(all, [&](MPI_Datatype type) {
    int position = 0;
    MPI_Pack(user.data(), 1, type, packed.data(), static_cast<int>(packed.size() * sizeof(double)), &position,
             MPI_COMM_SELF);
  });
  return all;
}

// Types that are made by the ten thousand, each for one message or one access to a window: what one costs in CPU time,
// from its constructor to MPI_Type_free.
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
