#include "host/node_map.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <unordered_map>

#include "base/immortal.h"
#include "base/message.h"
#include "base/process_facts.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "pattern/detect.h"
#include "settings/settings_in_force.h"
#include "topology/domains.h"

namespace marshal {
namespace {

NodeMap& the_map() {
  static Immortal<NodeMap> map;
  return *map;
}

bool made_up = false;

// The lowest lpid on each process's node as MARSHAL_TOPOLOGY describes them; empty: as the host sees them.
std::vector<std::int32_t> described_leaders(int size, bool speaks) {
  if (!settings().topology_given) return {};
  try {
    const auto description = topology::parse_placement(settings().text(Option::topology));
    std::vector<std::int32_t> node = topology::node_of_rank(description, size);
    std::vector<std::int32_t> first(static_cast<std::size_t>(description.nodes), -1);
    for (std::int32_t lpid = 0; lpid < size; ++lpid) {
      std::int32_t& of_node = node[static_cast<std::size_t>(lpid)];
      std::int32_t& leader = first[static_cast<std::size_t>(of_node)];
      if (leader < 0) leader = lpid;
      of_node = leader;
    }
    return node;
  } catch (const std::invalid_argument& error) {
    if (speaks) say(Level::warning, "MARSHAL_TOPOLOGY: {}; the real nodes are taken", error.what());
    return {};
  }
}

struct MembersOf {
  explicit MembersOf(MPI_Comm communicator) { checked("MPI_Comm_group", pmpi().Comm_group(communicator, &group)); }
  ~MembersOf() { pmpi().Group_free(&group); }
  MembersOf(const MembersOf&) = delete;
  MembersOf& operator=(const MembersOf&) = delete;

  MPI_Group group{};
};

// The rank in `all` of rank 0 of `part`. Local.
std::int32_t first_of(MPI_Comm part, MPI_Comm all) {
  const MembersOf of_part(part), of_all(all);
  const int zero = 0;
  int first = 0;
  checked("MPI_Group_translate_ranks", pmpi().Group_translate_ranks(of_part.group, 1, &zero, of_all.group, &first));
  return first;
}

bool is_alone_everywhere(const std::vector<std::int32_t>& leader_of) {
  for (std::size_t lpid = 0; lpid < leader_of.size(); ++lpid)
    if (leader_of[lpid] != static_cast<std::int32_t>(lpid)) return false;
  return leader_of.size() > 1;
}

// If a host stands on several lines of a machine file, as "marshal order" writes them, Hydra takes it for as many
// nodes. MPICH's split follows Hydra.
bool launched_by_hydra() { return std::getenv("MPI_LOCALNRANKS") != nullptr && std::getenv("PMI_RANK") != nullptr; }

// The processes of one machine are on one node, also where the host's split says otherwise: a host whose transport
// shares no memory (MPICH 5 over UCX) splits into single processes. Collective.
void by_machine(JointWork& all, std::vector<std::int32_t>& leader_of) {
  const auto& own = predefined();
  const std::uint64_t machine = machine_number();
  std::vector<std::uint64_t> machines(leader_of.size());
  std::unordered_map<std::uint64_t, std::int32_t> first;
  all.all_ready();
  checked("MPI_Allgather",
          pmpi().Allgather(&machine, 1, own.type_int64, machines.data(), 1, own.type_int64, all.communicator()));
  for (std::size_t lpid = 0; lpid < machines.size(); ++lpid)
    leader_of[lpid] = first.try_emplace(machines[lpid], static_cast<std::int32_t>(lpid)).first->second;
}

}  // namespace

NodeMap::NodeMap(std::span<const std::int32_t> leader_of) : processes_(static_cast<std::int32_t>(leader_of.size())) {
  // A node's lowest lpid comes before its others, so numbers can be given in passing.
  std::vector<std::int32_t> node_of(leader_of.size()), sizes;
  for (std::size_t lpid = 0; lpid < leader_of.size(); ++lpid) {
    const auto leader = static_cast<std::size_t>(leader_of[lpid]);
    if (leader == lpid) {
      node_of[lpid] = static_cast<std::int32_t>(sizes.size());
      sizes.push_back(0);
    } else {
      node_of[lpid] = node_of[leader];
    }
    ++sizes[static_cast<std::size_t>(node_of[lpid])];
  }
  nodes_ = static_cast<std::int32_t>(sizes.size());
  if (nodes_ > 0) {
    least_ = *std::min_element(sizes.begin(), sizes.end());
    most_ = *std::max_element(sizes.begin(), sizes.end());
  }
  pattern_ = detect(std::span<const std::int32_t>(node_of));
  if (!pattern_) table_ = std::move(node_of);
}

const NodeMap& node_map() { return the_map(); }

bool nodes_are_made_up() { return made_up; }

void learn_nodes(JointWork& all) {  // AGREEMENT: the map of nodes
  const MPI_Comm communicator = all.communicator();
  const int rank = own_rank(communicator), size = size_of(communicator);
  if (auto leader_of = described_leaders(size, rank == 0); !leader_of.empty()) {
    the_map() = NodeMap(leader_of);
    made_up = true;
    return;
  }
  MPI_Comm& node = all.temporary();
  const auto& own = predefined();
  all.all_ready();
  const int code = pmpi().Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, own.info_null, &node);
  const JointWork::Numbers any = all.all_ready({code == MPI_SUCCESS ? 0 : 1, launched_by_hydra() ? 1 : 0});
  if (any[0] != 0) return;  // the nodes are not known then
  // With one key for all, the node's ranks are in the order of the communicator's: its rank 0 is the lowest.
  const std::int32_t leader = first_of(node, communicator);
  std::vector<std::int32_t> leader_of(static_cast<std::size_t>(size));
  all.all_ready();
  checked("MPI_Allgather", pmpi().Allgather(&leader, 1, own.type_int, leader_of.data(), 1, own.type_int, communicator));
  if (any[1] != 0 || is_alone_everywhere(leader_of)) by_machine(all, leader_of);
  the_map() = NodeMap(leader_of);
}

}  // namespace marshal
