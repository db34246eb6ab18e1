// The fixed costs of calls: commits, small packs, and the life of a type that is packed a few times, by the MPI_ and
// the PMPI_ names in turns; under Marshal the MPI_ names are Marshal's. Only for files compiled for one host.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

namespace marshal::bench {

struct FixedCost {
  std::string what;
  double marshal_ns, host_ns;
};

namespace fixed {

constexpr int types_at_once = 256, rounds = 41;

struct Calls {
  decltype(&MPI_Type_commit) commit;
  decltype(&MPI_Type_free) free;
  decltype(&MPI_Pack) pack;
  decltype(&MPI_Unpack) unpack;
  decltype(&MPI_Pack_size) pack_size;
};
constexpr Calls by_marshal{MPI_Type_commit, MPI_Type_free, MPI_Pack, MPI_Unpack, MPI_Pack_size};
constexpr Calls by_host{PMPI_Type_commit, PMPI_Type_free, PMPI_Pack, PMPI_Unpack, PMPI_Pack_size};

// Medians over the rounds of what `ns_of` measures with either's calls.
template <class NsOf>
FixedCost in_turns(const std::string& what, NsOf ns_of) {
  std::vector<double> marshal, host;
  for (int round = 0; round < rounds; ++round) {
    marshal.push_back(ns_of(by_marshal));
    host.push_back(ns_of(by_host));
  }
  const auto median = [](std::vector<double>& all) {
    std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
    return all[rounds / 2];
  };
  return {what, median(marshal), median(host)};
}

template <class Run>
double ns_each(int times, Run run) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i) run(i);
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / times;
}

// Types that live for a few packs and were never seen before: committed, packed so many times and freed.
template <class Pack>
void all_brief_lives(std::vector<FixedCost>& all, Pack pack) {
  std::mt19937 random(1);
  const auto irregular = [&](int blocks) {
    std::vector<int> places{0};
    while (places.size() < static_cast<std::size_t>(blocks)) places.push_back(places.back() + 2 + random() % 4);
    MPI_Datatype type;
    PMPI_Type_create_indexed_block(blocks, 1, places.data(), MPI_DOUBLE, &type);
    return type;
  };
  int strides = 0;
  const auto strided = [&] {
    MPI_Datatype type;
    PMPI_Type_create_hvector(64, 1, 16 + 8 * (strides++ % 800), MPI_DOUBLE, &type);
    return type;
  };
  for (const int packs : {1, 3, 10, 30, 100, 300, 1000}) {
    const auto life = [&](const std::string& what, const auto& make) {
      all.push_back(in_turns("a new " + what + ", packed " + std::to_string(packs) + " times", [&](const Calls& calls) {
        MPI_Datatype type = make();
        return ns_each(1, [&](int) {
          calls.commit(&type);
          for (int i = 0; i < packs; ++i) pack(calls, type);
          calls.free(&type);
        });
      }));
    };
    life("list of 64 irregular blocks", [&] { return irregular(64); });
    life("list of 2000 irregular blocks", [&] { return irregular(2000); });
    life("vector of 64 blocks", strided);
  }
}

}  // namespace fixed

inline std::vector<FixedCost> fixed_costs() {
  using namespace fixed;
  std::vector<FixedCost> all;
  std::vector<double> user(1 << 16), packed(1 << 16);
  const int room = static_cast<int>(packed.size() * sizeof(double));
  const auto vector_of = [](int blocks) {
    MPI_Datatype type;
    PMPI_Type_vector(blocks, 1, 2, MPI_DOUBLE, &type);
    return type;
  };
  const auto list_of = [](int blocks) {
    std::vector<int> places;
    for (int i = 0; i < blocks; ++i) places.push_back(3 * i + i % 3);
    MPI_Datatype type;
    PMPI_Type_create_indexed_block(blocks, 1, places.data(), MPI_DOUBLE, &type);
    return type;
  };
  const auto commits = [&](const std::string& what, const auto& make) {
    all.push_back(in_turns("MPI_Type_commit, " + what, [&](const Calls& calls) {
      std::vector<MPI_Datatype> types;
      for (int i = 0; i < types_at_once; ++i) types.push_back(make());
      const double ns = ns_each(types_at_once, [&](int i) { calls.commit(&types[static_cast<std::size_t>(i)]); });
      for (MPI_Datatype& type : types) calls.free(&type);
      return ns;
    }));
  };
  // A process's first thousand commits are looked at for the report; the very first one gets that ready.
  const auto vectors_made = [&](const Calls& calls, int times) {
    return ns_each(times, [&](int) {
      MPI_Datatype type = vector_of(4);
      calls.commit(&type);
      calls.free(&type);
    });
  };
  const double very_first = vectors_made(by_marshal, 1), very_first_bare = vectors_made(by_host, 1);
  const double first = vectors_made(by_marshal, 999), bare = vectors_made(by_host, 999);
  all.push_back({"vector of 4 made, committed, freed; the very first", very_first, very_first_bare});
  all.push_back({"vector of 4 made, committed, freed; the next 999", first, bare});
  commits("vector of 4 blocks", [&] { return vector_of(4); });
  commits("list of 1000 blocks", [&] { return list_of(1000); });

  MPI_Datatype small = vector_of(4);
  MPI_Type_commit(&small);
  const auto pack = [&](const Calls& calls, MPI_Datatype type) {
    int position = 0;
    calls.pack(user.data(), 1, type, packed.data(), room, &position, MPI_COMM_SELF);
  };
  for (int i = 0; i < 10000; ++i) pack(by_marshal, small);
  all.push_back(in_turns("MPI_Pack, vector of 4 blocks",
                         [&](const Calls& calls) { return ns_each(2000, [&](int) { pack(calls, small); }); }));
  all.push_back(in_turns("MPI_Unpack, vector of 4 blocks", [&](const Calls& calls) {
    return ns_each(2000, [&](int) {
      int position = 0;
      calls.unpack(packed.data(), room, &position, user.data(), 1, small, MPI_COMM_SELF);
    });
  }));
  all.push_back(in_turns("MPI_Pack_size, vector of 4 blocks", [&](const Calls& calls) {
    int size = 0;
    return ns_each(2000, [&](int) { calls.pack_size(1, small, MPI_COMM_SELF, &size); });
  }));
  MPI_Type_free(&small);

  for (const int packs : {1, 100, 2000}) {
    const auto life = [&](const std::string& what, const auto& make) {
      const std::string name = what + " committed, packed " + std::to_string(packs) + " times, freed";
      all.push_back(in_turns(name, [&](const Calls& calls) {
        return ns_each(1, [&](int) {
          MPI_Datatype type = make();
          calls.commit(&type);
          for (int i = 0; i < packs; ++i) pack(calls, type);
          calls.free(&type);
        });
      }));
    };
    life("vector of 4 blocks", [&] { return vector_of(4); });
    life("vector of 8192 blocks", [&] { return vector_of(8192); });
    life("list of 1000 blocks", [&] { return list_of(1000); });
  }
  all_brief_lives(all, [&](const Calls& calls, MPI_Datatype type) { pack(calls, type); });
  return all;
}

}  // namespace marshal::bench
