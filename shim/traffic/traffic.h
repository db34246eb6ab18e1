// The traffic between the processes of a job: a sparse matrix, process × peer, by rows. Value types; traffic_file.h has
// their file.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace marshal::traffic {

// A process is a rank of the job's MPI_COMM_WORLD. A file with more of them counts as damaged.
inline constexpr std::uint32_t most_processes = 1U << 24;

struct Volume {
  std::uint64_t messages = 0, bytes = 0;
  bool operator==(const Volume&) const = default;
};

// The traffic from one process to one peer: a process (also itself) or a whole node.
struct Sent {
  std::uint32_t peer = 0;
  std::uint64_t messages = 0, bytes = 0;
  bool operator==(const Sent&) const = default;
};

// All that one process sent. Peers ascend, each once.
struct Row {
  std::uint32_t process = 0;
  std::span<const Sent> to_processes;
  std::span<const Sent> to_nodes;  // the rest, if the process had more peers than it kept apart
  Volume foreign;                  // to processes of other jobs
};

struct Job {
  // Text about the run by name: "program", "arguments", "job", "started", "mpi", "marshal", "seconds" from
  // MPI_Init to the end, "collectives_in_parts": bytes of collectives on communicators of some of the processes. Any
  // name may be missing.
  std::map<std::string, std::string> facts;
  std::vector<std::string> node_names;         // nodes are numbered by this list
  std::vector<std::uint32_t> node_of_process;  // one for each process of the job

  std::uint32_t processes() const { return static_cast<std::uint32_t>(node_of_process.size()); }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(node_names.size()); }
  bool operator==(const Job&) const = default;
};

// A whole job's traffic in memory: 24 bytes a pair.
struct Matrix {
  Job job;
  std::vector<std::uint64_t> begin{0};  // of each process's part of `sent`, and the end of the last
  std::vector<Sent> sent;
  Volume to_nodes, foreign;  // sums of the rows' other parts

  std::span<const Sent> of(std::uint32_t process) const {
    return {sent.data() + begin[process], sent.data() + begin[process + 1]};
  }
};

}  // namespace marshal::traffic
