// The memory that one process would spend on addresses and rank maps under VC-VCRT (MPICH 3.2), under AV-Rankmap, and
// with plain tables, from first principles. Source: AV-Rankmap, section IV-A; AV-Rankmap preprint, sections V-A and
// V-B.
//
// The published sizes are a virtual connection of 480 B and an address vector element of 12 B. The size of a VCRT entry
// is not given, and no one value fits every figure: it is a parameter. Each communicator of a user brings two internal
// ones, of the ranks on a node and of the nodes' first ranks; an intercommunicator also one of its local group.
#pragma once

#include <cstdint>

namespace marshal::memory_model {

enum class Scheme { vc_vcrt, av_rankmap, plain_tables };

// Bytes, except ranks_per_node.
struct Parameters {
  std::int64_t vc = 480;
  std::int64_t ave = 12;
  std::int64_t vcrt_entry = 8;       // 4 or 8
  std::int64_t vcrt_beside = 0;      // other tables of a new communicator, per rank: two of ints make 8
  std::int64_t plain_entry = 4;      // an lpid
  std::int64_t lut_entry = 4;        // an lpid
  std::int64_t mlut_entry = 8;       // process group and lpid
  std::int64_t rankmap_record = 64;  // a regular map: 7 dups of Nekbone, 3 maps each, take 1.3 KB
  std::int64_t ranks_per_node = 16;
};

// The properties of a communicator that matter here. `duplicate`: same ranks as the parent, so that tables are shared
// where the scheme can. `regular`: direct, offset or strided.
struct Communicator {
  std::int64_t size = 0;         // of the local group
  std::int64_t remote_size = 0;  // 0 for an intracommunicator
  bool duplicate = false;
  bool regular = true;
  bool several_groups = false;  // processes of more than one MPI_COMM_WORLD
};

// After MPI_Init with `world` processes: the addresses, and the world's own maps.
std::int64_t base(Scheme scheme, std::int64_t world, const Parameters& parameters = {});

// The cost of one more communicator.
std::int64_t added(Scheme scheme, const Communicator& communicator, const Parameters& parameters = {});

}  // namespace marshal::memory_model
