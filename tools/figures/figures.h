// The figures of `marshal bench rankmap`: those of the papers about rank maps, beside models and what Marshal takes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rankmap/rank_map.h"
#include "tools/bench/frame.h"

namespace marshal::tools {

// rates.cc: lookups, also in communicators made from communicators, beside the published rates and latencies.
FigureTable translation_rates(int rounds);  // beside AV-Rankmap Table V
FigureTable generations(int rounds);        // beside AV-Rankmap Table VI
FigureTable latency_per_level(int rounds);  // beside sparse groups, Tables 2 to 4

// memory.cc: models from first principles beside what Marshal's maps really allocate.
// Per process, for 10 and 100 communicators of each kind; `all` for every number of processes of the paper's axes. The
// last is Table 1 of the sparse-group paper, beside what maps of those forms allocate.
std::vector<FigureTable> memory_tables(bool all);
// Each published statement about memory: whether the model gives it, with which parameters, or why not.
FigureTable published_memory_claims();

// events.cc: single translations, beside the papers' tables.
// Preprint Table III, by callgrind.
FigureTable instruction_counts();
// AV-Rankmap Table IV: the processor's counters through PAPI, or else callgrind's cache simulation; the title says
// which.
FigureTable cache_misses();
// The program's work when it is run again under valgrind: every probe of a model, `calls` times each.
void run_probes(int model, int processes, int calls);

// Single rank-to-address translations, each a function of its own so that instructions can be counted: VC-VCRT, the
// three implementations of the models (AV-Rankmap preprint, section IV-C2), and Marshal's.

// An element of an address vector, 16 bytes as in the published disassembly, and a virtual connection of 480.
struct Address {
  const void* endpoint;
  std::uint64_t transport;
};
struct VirtualConnection {
  const void* endpoint;
  std::array<char, 472> rest;
};
struct ProcessPair {
  std::int32_t group, lpid;
};

enum Model : std::int32_t { direct_model, offset_model, stride_model, lut_model, mlut_model };
inline constexpr std::array<const char*, 5> model_names{"direct", "offset", "stride", "lut", "mlut"};

// The data that an MPI library keeps for a communicator under either scheme.
struct ProbedCommunicator {
  Model model;
  std::int32_t stride, offset;
  const std::int32_t* lut;
  const ProcessPair* mlut;
  const VirtualConnection* const* vcrt;
};

using Probe = const void* (*)(const void* communicator, std::int32_t rank);

struct NamedProbe {
  const char* name;  // the function's own
  const char* variant;
  Model model;
  Probe probe;
  bool takes_map;  // a RankMap, else a ProbedCommunicator
};

// All variants in all models, and the communicators to call them with: half of the processes, as in the papers.
const std::vector<NamedProbe>& probes();

class ProbeInputs {
 public:
  explicit ProbeInputs(std::int32_t processes);
  const void* of(const NamedProbe& probe) const;
  std::int32_t size() const { return size_; }

 private:
  std::int32_t size_;
  std::vector<std::int32_t> lut_;
  std::vector<ProcessPair> mlut_;
  std::vector<VirtualConnection> connections_;
  std::array<std::vector<const VirtualConnection*>, 5> vcrts_;
  std::array<ProbedCommunicator, 5> communicators_;
  std::array<RankMap, 5> maps_;
};

}  // namespace marshal::tools
