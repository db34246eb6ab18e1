#include "exchange/exchange.h"

#include <array>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "base/attempt.h"
#include "base/immortal.h"
#include "calls/packed_blocks.h"
#include "communicators/communicators.h"
#include "exchange/by_nodes.h"
#include "exchange/choice.h"
#include "host/host_family.h"
#include "host/joint_work.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "settings/settings_in_force.h"

namespace marshal::exchange {
namespace {

using Clock = std::chrono::steady_clock;

// To set a communicator up and to try it takes the time of some ten calls, 2 % of these.
constexpr std::uint32_t calls_before_trial = 512;
// MARSHAL_EXCHANGE=on tries at once.
constexpr std::uint32_t calls_before_use = 1;

struct Job {
  MPI_Comm own{};
  std::uint32_t first_call = calls_before_trial;
  bool always = false;
  int tag_bound = 0;
  std::atomic<int> next_tag{least_tag};

  static constexpr int least_tag = 1024;  // above those of gathering at the end
};
Job& job() {
  static Immortal<Job> the;
  return *the;
}

struct Sums {
  std::atomic<std::uint64_t> calls, by_nodes, fell_back, messages, bytes, messages_apart, bytes_apart, ns, ns_by_host;
};
constinit Sums sums;

int tag_bound_of(MPI_Comm own) {
  int* bound = nullptr;
  int is_set = 0;
  const bool is_known = pmpi().Comm_get_attr(own, MPI_TAG_UB, &bound, &is_set) == MPI_SUCCESS && is_set != 0;
  return is_known ? *bound : 32767;
}

}  // namespace

// A communicator that has had many exchanges keeps this.
// HANDLES: places, buffers and times of exchanges by nodes
class Kept final : public KeptWithCommunicator {
 public:
  Kept(std::vector<int> names, const Places& places) : ways(places, std::move(names), job().own) {
    for (Blocks* blocks : {&send, &receive}) blocks->reserve(static_cast<std::size_t>(places.processes()));
  }

  ByNodes ways;
  std::array<Choice, 3> choices;  // of each Exchange
  Blocks send, receive;
};

namespace {

std::unique_ptr<Kept> make_kept(const Communicator& communicator) {
  const std::int32_t processes = communicator.map.size();
  if (!communicator.map.tracked() || processes == 0) return nullptr;
  std::vector<std::int32_t> names(static_cast<std::size_t>(processes)), nodes;
  communicator.map.read_lpids(names);
  for (const std::int32_t name : names) nodes.push_back(node_map().node_of(name));
  const Places places(nodes, rank_by_map(communicator));
  if (!places.save_messages()) return nullptr;
  auto kept = std::make_unique<Kept>(std::move(names), places);
  return kept->ways.has_memory() ? std::move(kept) : nullptr;
}

// True if no communicator of this process has that tag yet.
bool claim(int tag) {
  int next = job().next_tag.load(std::memory_order_relaxed);
  while (next <= tag)
    if (job().next_tag.compare_exchange_weak(next, tag + 1, std::memory_order_relaxed)) return true;
  return false;
}

// All processes have it, or none.
std::unique_ptr<Kept> agree(const Communicator& communicator, MPI_Comm comm) {
  // AGREEMENT: whether exchanges of a communicator may go by nodes
  constexpr int most_tries = 8;  // where threads claim tags at once
  std::unique_ptr<Kept> kept;
  attempt([&] { kept = make_kept(communicator); });
  bool agreed = false;
  const bool done = JointWork::run(comm, [&](JointWork& all) {
    for (int i = 0; i < most_tries && !agreed; ++i) {
      const JointWork::Numbers most =
          all.all_ready({kept == nullptr ? 1 : 0, job().next_tag.load(std::memory_order_relaxed)});
      if (most[0] != 0 || most[1] >= job().tag_bound) return;
      agreed = all.all_ready({claim(most[1]) ? 0 : 1})[0] == 0;
      if (agreed) kept->ways.set_tag(most[1]);
    }
  });
  return done && agreed ? std::move(kept) : nullptr;
}

std::int64_t ns_since(Clock::time_point began) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count();
}

}  // namespace

void begin(MPI_Comm own) {
  Job& the = job();
  const NodeMap& map = node_map();
  const ExchangeWay way = settings().exchange;
  the.own = own;
  the.always = way == ExchangeWay::on;
  the.first_call = the.always ? calls_before_use : calls_before_trial;
  the.tag_bound = tag_bound_of(own);
  const bool is_on = way != ExchangeWay::off && map.nodes() > 1 && map.most_per_node() > 1;
  if (is_on) attempt(calls::note_plain_types);  // a process without them takes part, and falls back
  detail::on = is_on;
}

void end() { detail::on = false; }

report::Exchanges exchanges() {
  return {sums.calls,          sums.by_nodes,    sums.fell_back, sums.messages,  sums.bytes,
          sums.messages_apart, sums.bytes_apart, sums.ns,        sums.ns_by_host};
}

Turn::Turn(Exchange which, MPI_Comm comm) : comm_(comm) {
  const Communicator* const communicator = books::seen_by_all(comm);
  if (communicator == nullptr || communicator->remote || !communicator->own_job) return;
  number_ = communicator->number;
  if (communicator->exchange_is_due) {
    communicator->exchange_is_due = false;
    return;
  }
  const std::uint32_t count = communicator->exchanges;
  if (count < job().first_call) {
    communicator->exchanges = count + 1;
    return;
  }
  if (count == job().first_call) {
    communicator->exchanges = count + 1;
    communicator->exchange = agree(*communicator, comm);
  }
  kept_ = static_cast<Kept*>(communicator->exchange.get());
  if (kept_ == nullptr) return;
  sums.calls += 1;
  choice_ = &kept_->choices[static_cast<std::size_t>(which)];
  by_nodes_ = choice_->next_goes_by_nodes() || job().always;
  is_noted_ = by_nodes_ || choice_->is_noted();
  if (is_noted_) began_ = Clock::now();
}

std::optional<int> Turn::run(const Arguments& send, const Arguments& receive, bool may_take_part, bool by_engine) {
  Kept& kept = *kept_;
  const int processes = kept.ways.places().processes(), self = kept.ways.places().self();
  has_blocks_ = may_take_part && kept.send.begin(send, processes, by_engine);
  // Open MPI refuses a call where what a process sends to itself is not what it receives from itself.
  const bool takes_part = has_blocks_ && kept.receive.begin(receive, processes, by_engine) &&
                          !(is_open_mpi() && kept.send.bytes(self) != kept.receive.bytes(self));
  const std::int64_t vote = takes_part ? choice_->vote() : 0;  // what all cannot do is not what was timed
  const ByNodes::Outcome outcome =
      kept.ways.run(takes_part ? &kept.send : nullptr, takes_part ? &kept.receive : nullptr, vote);
  if (outcome.is_whole) choice_->decide(outcome.head.votes);
  fell_back_ = outcome.head.falls_back != 0;
  if (fell_back_) return std::nullopt;
  return outcome.code;
}

void Turn::end(const Arguments& send, bool may_take_part) {
  if (!is_noted_) return;
  const std::int64_t ns = ns_since(began_);
  // A handler of the program may have freed the communicator.
  const Communicator* const communicator = books::seen_by_all(comm_);
  if (communicator == nullptr || communicator->exchange.get() != kept_) return;
  Kept& kept = *kept_;
  const Places& places = kept.ways.places();
  if (by_nodes_) (fell_back_ ? sums.fell_back : sums.by_nodes) += 1;
  if (!by_nodes_) has_blocks_ = may_take_part && kept.send.begin(send, places.processes(), false);
  if (!has_blocks_) return;
  std::int64_t bytes = 0, bytes_apart = 0;
  std::uint64_t messages_apart = 0;
  for (int node = 0; node < places.nodes(); ++node)
    for (const int rank : places.members(node)) {
      const std::int64_t of_block = kept.send.bytes(rank);
      bytes += of_block;
      if (node == places.own_node() || of_block == 0) continue;
      bytes_apart += of_block;
      ++messages_apart;
    }
  if (by_nodes_ && !fell_back_) {
    sums.messages += kept.ways.messages();
    sums.bytes += kept.ways.bytes();
    sums.messages_apart += messages_apart;
    sums.bytes_apart += static_cast<std::uint64_t>(bytes_apart);
    if (const std::int64_t by_host = choice_->time_of_host(bytes); by_host != 0) {
      sums.ns += static_cast<std::uint64_t>(ns);
      sums.ns_by_host += static_cast<std::uint64_t>(by_host);
    }
  }
  if (choice_->is_noted() && !job().always) choice_->note(bytes, ns);
}

// A call that the host refuses for its arguments sends nothing: the others wait in the host's own, until this process
// makes the call again.
void Turn::fail(int code, const Arguments& send, const Arguments& receive) {
  const bool is_by_host = !by_nodes_ || fell_back_;
  int of = MPI_SUCCESS;
  if (!is_by_host || pmpi().Error_class == nullptr || pmpi().Error_class(code, &of) != MPI_SUCCESS) return;
  const Communicator* const communicator = books::seen_by_all(comm_);
  if (communicator == nullptr || communicator->number != number_) return;
  bool is_refused = of == MPI_ERR_BUFFER || of == MPI_ERR_COUNT || of == MPI_ERR_TYPE || of == MPI_ERR_ARG;
  if (of == MPI_ERR_TRUNCATE && is_open_mpi()) {
    const int self = own_rank(comm_);
    is_refused = bytes_of_block(send, self) != bytes_of_block(receive, self);
  }
  if (is_refused) communicator->exchange_is_due = true;
}

}  // namespace marshal::exchange
