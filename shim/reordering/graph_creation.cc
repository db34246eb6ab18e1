#include "reordering/graph_creation.h"

#include "base/attempt.h"
#include "communicators/communicators_in_use.h"
#include "communicators/map_sources.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "reordering/cart_reordering.h"
#include "reordering/grid_record.h"
#include "reordering/kept_ranks.h"
#include "reordering/run_key.h"
#include "settings/settings_in_force.h"

namespace marshal {

namespace {

bool is_one_there(MPI_Comm of, MPI_Comm* made) {
  MPI_Group members;
  if (pmpi().Comm_group(of, &members) != MPI_SUCCESS) return false;
  const bool is_there = pmpi().Comm_create(of, members, made) == MPI_SUCCESS;
  pmpi().Group_free(&members);
  return is_there;
}

bool are_all_there(MPI_Comm of, bool mine) {
  int lacks = mine ? 0 : 1, any_lacks = 1;
  return pmpi().Allreduce(&lacks, &any_lacks, 1, predefined().type_int, predefined().op_max, of) == MPI_SUCCESS &&
         any_lacks == 0;
}

}  // namespace

ApartCommunicator::ApartCommunicator(MPI_Comm of) : handle_(predefined().comm_null) {
  const bool is_made = is_one_there(of, &handle_);
  is_there_ = are_all_there(of, is_made);  // AGREEMENT: whether there is that communicator
  if (is_there_)
    pmpi().Comm_set_errhandler(handle_, predefined().errors_return);
  else if (is_made)
    pmpi().Comm_free(&handle_);
}

ApartCommunicator::~ApartCommunicator() {
  if (is_there_) pmpi().Comm_free(&handle_);
}

void inherit_error_handler(MPI_Comm from, MPI_Comm to) {
  MPI_Errhandler handler;
  if (pmpi().Comm_get_errhandler(from, &handler) != MPI_SUCCESS) return;
  pmpi().Comm_set_errhandler(to, handler);
  pmpi().Errhandler_free(&handler);
}

int deliver_error(MPI_Comm communicator, int code) {
  if (pmpi().Comm_call_errhandler != nullptr) pmpi().Comm_call_errhandler(communicator, code);
  return code;
}

namespace {

// True if every host accepts the graph for `processes` processes.
bool is_acceptable_graph(std::int64_t processes, const WholeGraph& whole) {
  if (whole.vertices < 1 || whole.vertices > processes || whole.index == nullptr) return false;
  int edge = 0;
  for (int vertex = 0; vertex < whole.vertices; ++vertex) {
    if (whole.index[vertex] < edge || (whole.index[vertex] > edge && whole.edges == nullptr)) return false;
    for (; edge < whole.index[vertex]; ++edge)
      if (whole.edges[edge] < 0 || whole.edges[edge] >= whole.vertices) return false;
  }
  return true;
}

// The same for what one process gives; false for an intercommunicator. The host alone knows how languages say that
// there are no weights. Asks the host, as a process without memory may have no map.
bool is_acceptable_graph(MPI_Comm comm, const AnyEdges& edges) {
  int inter = 0;
  if (pmpi().Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) return false;
  const int processes = size_of(comm);
  if (edges.count < 0) return false;
  if (edges.count > 0 && (edges.sources == nullptr || edges.degrees == nullptr)) return false;
  const auto is_process = [&](int rank) { return rank >= 0 && rank < processes; };
  const int* destination = edges.destinations;
  for (int i = 0; i < edges.count; ++i) {
    if (!is_process(edges.sources[i]) || edges.degrees[i] < 0) return false;
    if (edges.degrees[i] > 0 && (edges.destinations == nullptr || edges.weights == nullptr)) return false;
    for (int edge = 0; edge < edges.degrees[i]; ++edge)
      if (!is_process(*destination++)) return false;
  }
  return true;
}

// MARSHAL_CART. Reordering needs the program's permission; a report of what it would do does not.
CartUse use_of(const Communicator& from, bool reorder) {
  const CartUse use = settings().graph;
  if (use == CartUse::off || !may_know_nodes(from)) return CartUse::off;
  return use == CartUse::reorder && !reorder ? CartUse::off : use;
}

}  // namespace

GraphCreation::GraphCreation(const GraphCall& call) : call_(call), from_(books::seen_by_all(call.comm)) {
  if (from_ == nullptr) return;
  // Without questions to the host nobody knows the graph.
  use_ = settings().asks_host ? use_of(*from_, call.reorder) : CartUse::off;
  // AGREEMENT: a graph made on a communicator of its own
  is_apart_ = is_open_mpi() && settings().graph == CartUse::reorder && (use_ == CartUse::reorder || !call.reorder) &&
              call.to_be_sent && is_acceptable_graph(call.comm, *call.to_be_sent);
}

void GraphCreation::improve(MPI_Comm* graph) {
  if (use_ != CartUse::reorder) return;
  MPI_Comm in_order = predefined().comm_null;
  tells_ = own_rank(*graph) == 0;
  const bool done = JointWork::run(*graph, [&](JointWork& all) {
    const std::optional<RankMap> processes = placed_processes(call_.comm, *from_);
    const JointWork::Numbers any =
        all.all_ready({processes && may_make_communicators() ? 0 : 1, must_keep_ranks(*from_) ? 1 : 0});
    if (any[1] != 0) planned_.reason = why_ranks_are_kept();
    if (any[0] != 0 && !may_make_communicators()) planned_.reason = why_no_communicators_are_made;
    if (any[0] != 0 || any[1] != 0) return;
    planned_ = plan_graph(all, map_of_prefix(*processes, size_of(*graph)), call_.whole);
    if (planned_.moves) make_graph_in_order(all, planned_, call_.whole, call_.info, &in_order);
  });
  if (!done) planned_ = {};
  if (planned_.moves) {
    pmpi().Comm_free(graph);
    *graph = in_order;
    if (notes_move(call_.comm, *graph)) leave_moved_run_note();
  } else if (in_order != predefined().comm_null) {
    pmpi().Comm_free(&in_order);
  }
}

bool GraphCreation::is_found_at_once(int code) {
  int error_class = MPI_SUCCESS;
  return pmpi().Error_class(code, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_ARG;
}

// The processes of the graph are the first so many of the communicator's; 0: only the host knows.
int GraphCreation::size_of_prefix() const {
  if (from_ == nullptr || call_.reorder) return 0;
  if (!call_.whole) return from_->map.size();
  return is_acceptable_graph(from_->map.size(), *call_.whole) ? call_.whole->vertices : 0;
}

// As enter(), where the host is not to be asked.
void GraphCreation::enter_unasked(Creation& creation, MPI_Comm graph) {
  creation.made_of_first(size_of_prefix(), books::find(call_.comm), graph);
  if (from_ == nullptr || !call_.reorder || rank_by_map(*from_) != 0) return;
  planned_.reason = settings().cause(Option::cart);
  attempt([&] {
    note_graph(creation.frames(), creation.call(), call_.whole ? call_.whole->vertices : from_->map.size(), planned_,
               false);
  });
}

void GraphCreation::enter(Creation& creation, MPI_Comm graph) {
  if (!settings().asks_host) return enter_unasked(creation, graph);
  const bool reordered = planned_.moves || (call_.reorder && use_ != CartUse::reorder);
  if (const Communicator* from = books::known(call_.comm))
    books::enter_made(graph, [&] {
      creation.made(graph, map_of_topology(graph, call_.comm, *from, reordered), std::nullopt, from->own_job,
                    from->reordered || planned_.moves, from->grid);
    });
  if (use_ == CartUse::report) {
    tells_ = own_rank(graph) == 0;
    const Communicator* entry = books::find(graph);
    const bool done = JointWork::run(graph, [&](JointWork& all) {
      const std::optional<RankMap> processes = entry == nullptr ? std::nullopt : placed_processes(graph, *entry);
      if (all.all_ready({processes ? 0 : 1})[0] == 0) planned_ = plan_graph(all, *processes, call_.whole);
    });
    if (!done) planned_ = {};
  }
  if (use_ == CartUse::off) {
    if (!call_.reorder || own_rank(graph) != 0) return;
    tells_ = true;
    planned_.reason =
        settings().graph == CartUse::off ? settings().cause(Option::cart) : "the nodes of the processes are not known";
  }
  if (!tells_) return;
  attempt([&] {
    if (use_ == CartUse::report && planned_.moves)
      planned_.reason = settings().cause(Option::cart) + ": what would have been";
    note_graph(creation.frames(), creation.call(), size_of(graph), planned_,
               use_ == CartUse::reorder && planned_.moves);
  });
}

std::optional<int> rank_in_graph(const GraphCall& call) {
  const Communicator* from = books::seen_by_all(call.comm);
  const bool asked = from != nullptr && is_acceptable_graph(from->map.size(), *call.whole) &&
                     use_of(*from, call.reorder) == CartUse::reorder && !must_keep_ranks(*from);
  const std::optional<RankMap> processes = asked ? placed_processes(call.comm, *from) : std::nullopt;
  if (!processes) return std::nullopt;
  const int own = own_rank(call.comm), vertices = call.whole->vertices;
  if (own >= vertices) return MPI_UNDEFINED;
  return plan_graph_alone(map_of_prefix(*processes, vertices), *call.whole).new_rank[static_cast<std::size_t>(own)];
}

}  // namespace marshal
