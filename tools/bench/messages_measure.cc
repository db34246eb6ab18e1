// marshal-bench-messages-HOST, which `marshal bench messages` starts on two ranks under Marshal: the layouts of
// `marshal bench pack` in messages, by turns in every way. `host` calls the host's own PMPI_ functions with a duplicate
// of the type of which Marshal knows nothing, so the host packs; `marshal` is the type as a program has it. `hand`
// packs by a loop, sends bytes and unpacks by a loop; `pack` does so by MPI_Pack and MPI_Unpack. Each of
// these is verified at the receiver before it is timed. Two more send as many bytes: `two-blocks` is as `marshal`, of a
// datatype of two blocks, so what takes time is all but the packing; `contiguous` writes the bytes and sends them
// without a datatype. (Bytes that nobody has written since they were sent last are still in the receiver's cache: hosts
// copy those between processes twice as fast as any program's.) Without Marshal (--bare) `host` and `marshal` are the
// same, and `host` takes as long as it does beside Marshal.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "datatype/flatten.h"
#include "datatype/walk.h"
#include "record/json.h"
#include "tools/bench/fixed_costs.h"
#include "tools/bench/mpi_type.h"
#include "tools/bench/points.h"
#include "tools/command_line.h"
#include "tools/timing.h"

using namespace marshal;
using namespace marshal::bench;
using report::Json;

namespace {

struct Options : LayoutOptions {
  std::vector<std::string> calls;
  bool brief = false;
};

int me, other;
const MPI_Comm world = MPI_COMM_WORLD;

// The calls by the names that programs use, and by those that lead past Marshal.
struct EntryPoints {
  decltype(&MPI_Send) send;
  decltype(&MPI_Recv) recv;
  decltype(&MPI_Isend) isend;
  decltype(&MPI_Irecv) irecv;
  decltype(&MPI_Waitall) waitall;
  decltype(&MPI_Sendrecv) sendrecv;
  decltype(&MPI_Alltoallw) alltoallw;
  decltype(&MPI_Neighbor_alltoallw) neighbor_alltoallw;
  decltype(&MPI_Bcast) bcast;
};
const EntryPoints of_programs{MPI_Send,    MPI_Recv,     MPI_Isend,     MPI_Irecv,
                              MPI_Waitall, MPI_Sendrecv, MPI_Alltoallw, MPI_Neighbor_alltoallw,
                              MPI_Bcast};
const EntryPoints of_host{PMPI_Send,    PMPI_Recv,     PMPI_Isend,     PMPI_Irecv,
                          PMPI_Waitall, PMPI_Sendrecv, PMPI_Alltoallw, PMPI_Neighbor_alltoallw,
                          PMPI_Bcast};

// The buffers that a variant sends from and receives into, as a type or as bytes.
struct Ends {
  const EntryPoints& mpi;
  const void* from;
  void* to;
  int count;
  MPI_Datatype type;
  std::int64_t from_next, to_next;  // bytes to where the next message of a halo is sent from, and received
  // The work of a program without datatypes on message `number`: before it is sent, and after it has arrived.
  std::function<void(int number)> pack = [](int) {}, unpack = [](int) {};
};

// One of the calls: an exchange in both directions. The ping-pong counts half.
struct Call {
  const char* name;
  std::function<void(const Ends&)> run;
  int messages = 1;  // each way, each received into memory of its own
};

void ping_pong(const Ends& e) {
  const auto send = [&] {
    e.pack(0);
    e.mpi.send(e.from, e.count, e.type, other, 0, world);
  };
  if (me == 0) send();
  e.mpi.recv(e.to, e.count, e.type, other, 0, world, MPI_STATUS_IGNORE);
  e.unpack(0);
  if (me == 1) send();
}
// Six messages to, and six from, the other rank, as a halo in three dimensions has.
constexpr int faces = 6;
void halo(const Ends& e) {
  MPI_Request requests[2 * faces];
  auto* const to = static_cast<std::byte*>(e.to);
  const auto* const from = static_cast<const std::byte*>(e.from);
  for (int i = 0; i < faces; ++i) e.mpi.irecv(to + i * e.to_next, e.count, e.type, other, i, world, &requests[i]);
  for (int i = 0; i < faces; ++i) {
    e.pack(i);
    e.mpi.isend(from + i * e.from_next, e.count, e.type, other, i, world, &requests[faces + i]);
  }
  e.mpi.waitall(2 * faces, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < faces; ++i) e.unpack(i);
}
void sendrecv(const Ends& e) {
  e.pack(0);
  e.mpi.sendrecv(e.from, e.count, e.type, other, 0, e.to, e.count, e.type, other, 0, world, MPI_STATUS_IGNORE);
  e.unpack(0);
}
void alltoallw(const Ends& e) {
  const int displacements[2] = {0, 0};
  int counts[2] = {0, 0};
  counts[other] = e.count;
  const MPI_Datatype types[2] = {e.type, e.type};
  e.pack(0);
  e.mpi.alltoallw(e.from, counts, displacements, types, e.to, counts, displacements, types, world);
  e.unpack(0);
}
MPI_Comm pair;
void neighbor_alltoallw(const Ends& e) {
  const MPI_Aint displacement = 0;
  e.pack(0);
  e.mpi.neighbor_alltoallw(e.from, &e.count, &displacement, &e.type, e.to, &e.count, &displacement, &e.type, pair);
  e.unpack(0);
}
// From each rank to the other.
void bcast(const Ends& e) {
  for (int root = 0; root < 2; ++root) {
    if (me == root) e.pack(0);
    e.mpi.bcast(me == root ? const_cast<void*>(e.from) : e.to, e.count, e.type, root, world);
    if (me != root) e.unpack(0);
  }
}

const Call all_calls[] = {{"ping-pong", ping_pong},
                          {"halo", halo, faces},
                          {"Sendrecv", sendrecv},
                          {"Alltoallw", alltoallw},
                          {"Neighbor_alltoallw", neighbor_alltoallw},
                          {"Bcast", bcast}};

constexpr const char* variants[] = {"host", "hand", "pack", "marshal", "two-blocks", "contiguous"};
constexpr std::size_t variant_count = std::size(variants), verified_count = 4;

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {
    points_.set_variants({std::begin(variants), std::end(variants)});
  }

  // False where something arrived wrong.
  bool run() {
    for (const std::int64_t size : options_.sizes) {
      std::size_t number = 0;
      for (const Layout& layout : all_layouts(size)) {
        ++number;
        if (wanted_.matches(layout) && !measure(layout, size, number)) return false;
      }
    }
    if (me == 0) points_.print_end();
    return true;
  }

 private:
  static std::vector<Layout> all_layouts(std::int64_t size) {
    std::vector<Layout> all = layouts(size);
    for (Layout& layout : long_blocks(size)) all.push_back(std::move(layout));
    return all;
  }

  bool measure(const Layout& layout, std::int64_t size, std::size_t number) {
    const datatype::Pieces pieces = datatype::flattened(layout.type);
    const std::int64_t extent = layout.type.extent();
    const datatype::Span all = layout.touched(pieces);
    constexpr std::int64_t most = std::int64_t{256} << 20;
    constexpr std::int64_t line = 64;
    const std::int64_t span = (all.end - all.first + line - 1) / line * line;
    int messages = 1;
    for (const Call& call : all_calls)
      if (is_asked_for(call) && span * call.messages <= most) messages = std::max(messages, call.messages);
    if (span > most) return true;
    const auto bytes = static_cast<int>(layout.bytes());
    const std::int64_t mean_block = datatype::packed_size(pieces) / datatype::block_count(pieces);
    // Two blocks of so many bytes together, a few bytes apart.
    constexpr std::int64_t gap = 8;
    const std::int64_t half = bytes / 2, apart = bytes + gap;
    const MpiType two_blocks(datatype::Hindexed{{half, bytes - half}, {0, half + gap}, datatype::basic(1)});
    Memory from(span), to(span * messages), packed(apart * messages), arrived(apart * messages), expected(bytes);
    from.fill(static_cast<std::size_t>(other));
    std::byte *sender = from.data() - all.first, *receiver = to.data() - all.first;
    datatype::reference_pack(pieces, extent, layout.count, sender, expected.data(), {0, bytes});
    from.fill(static_cast<std::size_t>(me));

    const MpiType type(layout.type, commit_at_place(number));
    if (!type.made()) return true;
    MPI_Datatype bare;
    PMPI_Type_dup(type.get(), &bare);
    const int count = static_cast<int>(layout.count);
    const auto packed_at = [&](int i) { return packed.data() + std::int64_t{i} * bytes; };
    const auto arrived_at = [&](int i) { return arrived.data() + std::int64_t{i} * bytes; };
    const auto received_at = [&](int i) { return receiver + i * span; };
    const Ends of_bytes{of_host, packed.data(), arrived.data(), bytes, MPI_BYTE, bytes, bytes};
    Ends looped = of_bytes, packed_first = of_bytes, written = of_bytes;
    looped.pack = [&](int i) { layout.by_hand({sender, packed_at(i), false}); };
    looped.unpack = [&](int i) { layout.by_hand({received_at(i), arrived_at(i), true}); };
    packed_first.pack = [&](int i) {
      int position = 0;
      MPI_Pack(sender, count, type.get(), packed_at(i), bytes, &position, world);
    };
    packed_first.unpack = [&](int i) {
      int position = 0;
      MPI_Unpack(arrived_at(i), bytes, &position, received_at(i), count, type.get(), world);
    };
    int value = 0;
    written.pack = [&](int i) { std::memset(packed_at(i), ++value, static_cast<std::size_t>(bytes)); };
    const Ends ends[variant_count] = {{of_host, sender, receiver, count, bare, 0, span},
                                      looped,
                                      packed_first,
                                      {of_programs, sender, receiver, count, type.get(), 0, span},
                                      {of_programs, packed.data(), arrived.data(), 1, two_blocks.get(), apart, apart},
                                      written};
    for (const Call& call : all_calls) {
      if (!is_asked_for(call) || call.messages > messages) continue;
      std::function<void()> runs[variant_count];
      for (std::size_t v = 0; v < variant_count; ++v) runs[v] = [&call, &on = ends[v]] { call.run(on); };
      for (std::size_t v = 0; v < verified_count; ++v) {
        std::memset(to.data(), 0, to.size);
        runs[v]();
        for (int i = 0; i < call.messages; ++i) {
          datatype::reference_pack(pieces, extent, layout.count, receiver + i * span, arrived.data(), {0, bytes});
          if (std::memcmp(arrived.data(), expected.data(), expected.size) != 0) {
            std::fprintf(stderr, "marshal bench messages: %s, %s, %d B by %s: other bytes arrived\n", call.name,
                         layout.name.c_str(), bytes, variants[v]);
            return false;
          }
        }
      }
      std::vector<double> seconds = times_of(runs);
      if (&call == &all_calls[0])  // there and back
        for (double& one : seconds) one /= 2;
      if (me == 0)
        points_.add({call.name, call.name, layout.group, layout.name, size, bytes, mean_block, std::move(seconds)});
    }
    PMPI_Type_free(&bare);
    return true;
  }

  bool is_asked_for(const Call& call) const {
    return options_.calls.empty() ||
           std::find(options_.calls.begin(), options_.calls.end(), call.name) != options_.calls.end();
  }

  // The variants take turns, and each is run once untimed before its sample, as the one before it leaves other memory
  // in the caches; rank 0's medians.
  std::vector<double> times_of(const std::function<void()> (&runs)[variant_count]) const {
    std::vector<double> medians, samples[variant_count];
    int repeats[variant_count];
    for (std::size_t v = 0; v < variant_count; ++v) {
      for (int i = 0; i < 3; ++i) runs[v]();
      PMPI_Barrier(world);
      const double begin = MPI_Wtime();
      for (int i = 0; i < 3; ++i) runs[v]();
      repeats[v] = std::clamp(static_cast<int>(options_.slice / ((MPI_Wtime() - begin) / 3 + 1e-9)), 1, 10000);
    }
    PMPI_Bcast(repeats, static_cast<int>(variant_count), MPI_INT, 0, world);
    for (int round = 0; round < options_.rounds; ++round)
      for (std::size_t v = 0; v < variant_count; ++v) {
        runs[v]();
        PMPI_Barrier(world);
        const double begin = MPI_Wtime();
        for (int i = 0; i < repeats[v]; ++i) runs[v]();
        samples[v].push_back((MPI_Wtime() - begin) / repeats[v]);
      }
    for (const std::vector<double>& of_variant : samples) medians.push_back(tools::median_of(of_variant));
    return medians;
  }

  Options options_;
  Pattern wanted_{options_.only};
  Points points_{options_};
};

// CPU time of rank 0. To compare with the host, run it with --bare, too.
void print_brief_types(bool json) {
  const std::vector<FixedCost> costs = brief_types(world, other);
  if (me != 0) return;
  Json rows = Json::array();
  for (const FixedCost& cost : costs) {
    rows.push_back(Json::object({{"what", cost.what}, {"cpu_ns", cost.ns}}));
    if (!json) std::printf("%-50s %10.1f ns\n", cost.what.c_str(), cost.ns);
  }
  if (json) std::puts(report::json_text(Json::object({{"costs", std::move(rows)}}), 2).c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  options.sizes = {256, 4096, 32768, 262144, 2 << 20};
  options.only = "ddtbench|face|vector|struct";
  options.slice = 300e-6;
  tools::CommandLine line("marshal bench messages",
                          "Measures messages of datatypes between two ranks: the host, loops by hand, MPI_Pack before "
                          "the send, Marshal, datatypes of two blocks, and contiguous messages.");
  // `marshal bench messages` takes these before this program is started.
  std::string transport, way;
  bool bare = false;
  options.add_to(line);
  line.option("--transport", &transport, "shared memory or TCP (default: shm)", {.among = {"shm", "tcp"}});
  line.option("--by", &way, "where Marshal packs: inside the MPI library, or before its calls (default: as found)",
              {.among = {"pipeline", "calls"}});
  line.flag("--bare", bare, "run without Marshal: then `marshal` is the host, too");
  line.option("--calls", &options.calls, "of ping-pong, halo, Sendrecv, Alltoallw, Neighbor_alltoallw, Bcast",
              {.commas = true});
  line.flag("--brief", options.brief, "what types that are made for one message or one MPI_Put cost, instead");
  if (const auto over = line.parse({argv, static_cast<std::size_t>(argc)})) return *over;
  if (!Pattern(options.only).valid()) {
    std::fprintf(stderr, "marshal bench messages: --only %s: no regular expression\n", options.only.c_str());
    return 2;
  }
  MPI_Init(nullptr, nullptr);
  int size;
  MPI_Comm_rank(world, &me);
  MPI_Comm_size(world, &size);
  if (size != 2) {
    std::fprintf(stderr, "marshal bench messages: %d ranks, not 2\n", size);
    MPI_Abort(world, 2);
  }
  other = 1 - me;
  MPI_Dist_graph_create_adjacent(world, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &pair);
  if (options.brief)
    print_brief_types(options.json);
  else if (!Bench(options).run())
    MPI_Abort(world, 1);
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "marshal bench messages: %s\n", error.what());
  return 1;
}
