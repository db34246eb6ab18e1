// Single rank-to-address translations, each a function of its own so that instructions can be counted: VC-VCRT, the
// three implementations of the models (AV-Rankmap preprint, section IV-C2), and Marshal's.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rankmap/rank_map.h"

namespace marshal::tools {

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
struct Communicator {
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
  bool takes_map;  // a RankMap, else a Communicator
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
  std::array<Communicator, 5> communicators_;
  std::array<RankMap, 5> maps_;
};

}  // namespace marshal::tools
