// MPI_Graph_create, MPI_Dist_graph_create and MPI_Dist_graph_create_adjacent that may reorder.
//
// The host makes the graph without reordering. This also tells whether the arguments are good, and what the edges are,
// in every language and form of the arguments. Its rank 0 then plans (reordering/graph_reordering.h). If processes
// move, another graph takes the place of the first: over the same processes in the new order, again made by the host
// without reordering. No algorithm of the host's own for reordering is ever entered: Open MPI's is known to hang and to
// mix neighbours up (its issues 8939 and 11756).
//
// Open MPI (4.1 to 4.1.8, 5.0 to 5.0.10) can also hang in MPI_Dist_graph_create without reordering (its issue 13918).
// Its processes send the edges to each other on the communicator given, with the tags -50 and -51. Two nonblocking
// collectives on it have the same tags: the 18th and 19th in 5.0, the 24th and 25th in 4.1. Making a communicator takes
// three of them. If the collective that begins to make the graph has such a tag, a process that still waits for edges
// may take that collective's message for edges. So the host gets a communicator of its own, whose first nonblocking
// collective has another tag.
#pragma once

#include <mpi.h>

#include <optional>

#include "communicators/creation.h"
#include "reordering/graph_reordering.h"
#include "settings/settings.h"

namespace marshal {

// A communicator of the same processes as another, without anything of the program's: no attributes, no topology, no
// collective calls under way or counted. Errors in calls on it only return.
class ApartCommunicator {
 public:
  // Collective over `of`, an intracommunicator. All processes have one, or none has.
  explicit ApartCommunicator(MPI_Comm of);
  ~ApartCommunicator();
  ApartCommunicator(const ApartCommunicator&) = delete;
  ApartCommunicator& operator=(const ApartCommunicator&) = delete;

  bool is_there() const { return is_there_; }
  MPI_Comm handle() const { return handle_; }

 private:
  MPI_Comm handle_;
  bool is_there_ = false;
};

// Gives `to` the error handler of `from`, as if it had been made of it.
void inherit_error_handler(MPI_Comm from, MPI_Comm to);

// Gives an error to the communicator's error handler. Returns `code`.
int deliver_error(MPI_Comm communicator, int code);

// The arguments of MPI_Dist_graph_create on one process: edges of any vertices.
struct AnyEdges {
  int count;  // of sources
  const int* sources;
  const int* degrees;
  const int* destinations;
  const int* weights;
};

struct GraphCall {
  MPI_Comm comm;
  bool reorder;
  std::optional<WholeGraph> whole;     // of MPI_Graph_create
  MPI_Info info;                       // of the others
  std::optional<AnyEdges> to_be_sent;  // of MPI_Dist_graph_create
};

// One such call: construct it; make() the graph and improve() it where without_reordering() says so, else run the
// host's function as it is; enter() what was made.
class GraphCreation {
 public:
  explicit GraphCreation(const GraphCall& call);

  // True if make() is to be called. All processes whose edges the host accepts get the same answer.
  bool without_reordering() const { return use_ == CartUse::reorder || is_apart_; }

  // run_on(communicator) is the host's function without reordering, on that communicator instead of the program's.
  // Returns its code. Throws what the program's error handler throws, and nothing else. The host finds a wrong argument
  // before it sends a message: then it finds the same on the program's communicator, and calls the handler. After any
  // other error the other processes may have their graph, and this process must not wait for them.
  template <class RunOn>
  int make(RunOn run_on, MPI_Comm* graph) const {  // AGREEMENT: a graph that the host cannot make
    if (is_apart_) {
      const ApartCommunicator apart(call_.comm);
      if (apart.is_there()) {
        const int code = run_on(apart.handle());
        if (code == MPI_SUCCESS) {
          inherit_error_handler(call_.comm, *graph);
          return code;
        }
        if (!is_found_at_once(code)) return deliver_error(call_.comm, code);
      }
    }
    return run_on(call_.comm);
  }

  // Puts a graph in a better order into the place of `graph`, if there is one. Collective over it. Does not throw.
  void improve(MPI_Comm* graph);

  // Enters the graph on the books, and notes it for the report. Collective over it. Does not throw.
  void enter(Creation& creation, MPI_Comm graph);

 private:
  static bool is_found_at_once(int code);
  int size_of_prefix() const;
  void enter_unasked(Creation& creation, MPI_Comm graph);

  const GraphCall call_;
  const Communicator* from_;  // null: some processes may not know the communicator, so they could not agree
  CartUse use_ = CartUse::off;
  bool is_apart_ = false;
  bool tells_ = false;  // this process notes the graph for the report: it planned it
  PlannedGraph planned_;
};

// MPI_Graph_map: the rank of this process in the order that MPI_Graph_create would give it, MPI_UNDEFINED without a
// vertex. Nothing where the host is to answer. Local.
std::optional<int> rank_in_graph(const GraphCall& call);

}  // namespace marshal
