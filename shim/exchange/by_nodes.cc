#include "exchange/by_nodes.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal::exchange {
namespace {

constexpr std::size_t most_memory = std::size_t{64} << 20;  // of all communicators of a process
std::atomic<std::size_t> bytes_in_use{0};

// A block of 1 KiB nearly fills a packet by itself. Where nodes are large, the limit is lower: a communicator takes at
// most half of the memory.
std::size_t longest_block_of(const Places& places) {
  std::size_t longest = 1024;
  while (longest > 8 && bytes_of_parcel(places.most_blocks_of_leader(), longest) > most_memory / 2) longest /= 2;
  return longest;
}

}  // namespace

std::byte* ByNodes::take(std::size_t blocks) {
  constexpr std::size_t line = 64;
  const std::size_t at = taken_;
  taken_ += (bytes_of_parcel(blocks, longest_block_) + line - 1) / line * line;
  return memory_ == nullptr ? nullptr : memory_.get() + at;
}

ByNodes::ByNodes(const Places& places, std::vector<int> names, MPI_Comm own)
    : places_(places), names_(std::move(names)), own_(own), longest_block_(longest_block_of(places_)) {
  const auto members = static_cast<int>(places_.members(places_.own_node()).size());
  const auto divide = [&] {
    taken_ = 0;
    for (auto* parcels : {&to_leader_, &from_leader_, &from_member_, &to_member_, &to_node_, &from_node_})
      parcels->clear();
    for (int leader = 0; leader < places_.leaders(); ++leader) {
      const auto blocks = static_cast<std::size_t>(places_.processes_of(leader));
      to_leader_.push_back(take(blocks));
      from_leader_.push_back(take(blocks));
    }
    if (!places_.leads()) return;
    for (int member = 0; member < members; ++member) {
      const bool is_self = member == places_.own_index();
      const auto self = static_cast<std::size_t>(places_.own_index());
      from_member_.push_back(is_self ? to_leader_[self] : take(blocks_to_process()));
      to_member_.push_back(is_self ? from_leader_[self] : take(blocks_to_process()));
    }
    for (const int node : places_.nodes_of(places_.own_index())) {
      to_node_.push_back(take(blocks_to_node(node)));
      from_node_.push_back(node == places_.own_node() ? to_node_.back() : take(blocks_to_node(node)));
    }
  };
  divide();
  const auto most = static_cast<std::size_t>(std::max(members, places_.nodes()));
  for (auto* requests : {&from_members_, &from_nodes_, &from_leaders_}) requests->reserve(most);
  sends_.reserve(3 * most);
  readers_.reserve(most);
  writers_.reserve(most);
  reserved_.bytes = taken_;
  if (bytes_in_use.fetch_add(taken_) + taken_ > most_memory) return;
  memory_ = std::make_unique_for_overwrite<std::byte[]>(taken_);
  divide();
}

ByNodes::Reserved::~Reserved() { bytes_in_use -= bytes; }

void ByNodes::send(const std::byte* parcel, std::size_t bytes, int rank) {
  sends_.push_back(predefined().request_null);
  const int code =
      pmpi().Isend(parcel, static_cast<int>(bytes), predefined().type_byte, name_of(rank), tag_, own_, &sends_.back());
  has_failed_ |= code != MPI_SUCCESS;
}

void ByNodes::receive(std::vector<MPI_Request>& requests, std::byte* parcel, std::size_t blocks, int rank) {
  requests.push_back(predefined().request_null);
  const int code = pmpi().Irecv(parcel, static_cast<int>(bytes_of_parcel(blocks, longest_block_)),
                                predefined().type_byte, name_of(rank), tag_, own_, &requests.back());
  has_failed_ |= code != MPI_SUCCESS;
}

void ByNodes::wait(std::vector<MPI_Request>& requests) {
  const int code = pmpi().Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  has_failed_ |= code != MPI_SUCCESS;
  requests.clear();
}

ByNodes::Outcome ByNodes::run(const Blocks* send, const Blocks* receive, std::int64_t vote) {
  has_failed_ = false;
  messages_ = bytes_ = 0;
  const auto members = places_.members(places_.own_node());
  const int self = places_.own_index();
  if (places_.leads()) {
    for (std::size_t member = 0; member < members.size(); ++member)
      if (static_cast<int>(member) != self)
        this->receive(from_members_, from_member_[member], blocks_to_process(), members[member]);
    const std::span<const int> nodes = places_.nodes_of(self);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i] != places_.own_node())
        this->receive(from_nodes_, from_node_[i], blocks_to_node(nodes[i]),
                      places_.members(nodes[i])[static_cast<std::size_t>(self)]);
  }
  for (int leader = 0; leader < places_.leaders(); ++leader) {
    const auto from = static_cast<std::size_t>(leader);
    if (leader != self)
      this->receive(from_leaders_, from_leader_[from], static_cast<std::size_t>(places_.processes_of(leader)),
                    members[from]);
  }
  hand_to_leaders(send, {vote, send == nullptr ? 1 : 0, has_failed_ ? 1 : 0});
  if (places_.leads()) {
    wait(from_members_);
    exchange_between_nodes();
    wait(from_nodes_);
    hand_out();
  }
  wait(from_leaders_);
  Outcome outcome{{}, true, MPI_SUCCESS};
  if (!has_failed_) outcome = take_from_leaders(receive);  // AGREEMENT: whether an exchange by nodes falls back
  wait(sends_);
  // Never the host's call by some processes alone.
  if (has_failed_ || outcome.head.has_failed != 0) outcome = {{}, false, MPI_ERR_OTHER};
  return outcome;
}

void ByNodes::hand_to_leaders(const Blocks* send, Head own) {
  for (int rank = 0; send != nullptr && rank < places_.processes(); ++rank)
    if (send->bytes(rank) > static_cast<std::int64_t>(longest_block_)) own.falls_back = 1;
  writers_.clear();
  for (int leader = 0; leader < places_.leaders(); ++leader) {
    ParcelWriter writer(to_leader_[static_cast<std::size_t>(leader)],
                        static_cast<std::size_t>(places_.processes_of(leader)));
    for (const int node : places_.nodes_of(leader))
      for (const int rank : places_.members(node)) {
        const std::int64_t bytes = own.falls_back != 0 ? 0 : send->bytes(rank);
        std::byte* const to = writer.add(static_cast<std::uint32_t>(bytes));
        if (bytes != 0 && !send->pack(rank, to, own_)) own.falls_back = 1;
      }
    writers_.push_back(writer);
  }
  // All leaders hear the same of this process.
  for (int leader = 0; leader < places_.leaders(); ++leader) {
    const auto to = static_cast<std::size_t>(leader);
    const std::size_t bytes = writers_[to].end(own);
    if (leader != places_.own_index()) this->send(to_leader_[to], bytes, places_.members(places_.own_node())[to]);
  }
}

void ByNodes::exchange_between_nodes() {
  readers_.clear();
  Head of_node{0, 0, has_failed_ ? 1 : 0};
  for (const std::byte* parcel : from_member_) {
    if (has_failed_) continue;
    readers_.emplace_back(parcel, blocks_to_process());
    of_node.add(readers_.back().head());
  }
  const std::span<const int> nodes = places_.nodes_of(places_.own_index());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ParcelWriter writer(to_node_[i], blocks_to_node(nodes[i]));
    const std::size_t there = places_.members(nodes[i]).size();
    for (ParcelReader& reader : readers_)
      for (std::size_t k = 0; k < there; ++k) writer.add(reader.next());
    if (has_failed_) writer.add_empty(blocks_to_node(nodes[i]));
    const std::size_t bytes = writer.end(of_node);
    if (nodes[i] == places_.own_node()) continue;
    send(to_node_[i], bytes, places_.members(nodes[i])[static_cast<std::size_t>(places_.own_index())]);
    ++messages_;
    bytes_ += bytes;
  }
}

void ByNodes::hand_out() {
  const auto members = places_.members(places_.own_node());
  writers_.clear();
  for (std::byte* parcel : to_member_) writers_.emplace_back(parcel, blocks_to_process());
  Head of_nodes{0, 0, has_failed_ ? 1 : 0};
  const std::span<const int> nodes = places_.nodes_of(places_.own_index());
  if (has_failed_)
    for (ParcelWriter& writer : writers_) writer.add_empty(blocks_to_process());
  for (std::size_t i = 0; i < nodes.size() && !has_failed_; ++i) {
    ParcelReader reader(from_node_[i], blocks_to_node(nodes[i]));
    of_nodes.add(reader.head());
    for (std::size_t k = places_.members(nodes[i]).size(); k > 0; --k)
      for (ParcelWriter& writer : writers_) writer.add(reader.next());
  }
  for (std::size_t member = 0; member < members.size(); ++member) {
    const std::size_t bytes = writers_[member].end(of_nodes);
    if (static_cast<int>(member) != places_.own_index()) send(to_member_[member], bytes, members[member]);
  }
}

ByNodes::Outcome ByNodes::take_from_leaders(const Blocks* receive) {
  Outcome outcome{{}, true, MPI_SUCCESS};
  for (const std::byte* parcel : from_leader_) outcome.head.add(ParcelReader(parcel, 0).head());
  if (outcome.head.falls_back != 0 || outcome.head.has_failed != 0) return outcome;
  for (int leader = 0; leader < places_.leaders(); ++leader) {
    ParcelReader reader(from_leader_[static_cast<std::size_t>(leader)],
                        static_cast<std::size_t>(places_.processes_of(leader)));
    for (const int node : places_.nodes_of(leader))
      for (const int rank : places_.members(node)) {
        const Block block = reader.next();
        const int code = receive->unpack(rank, block.data, block.bytes, own_, tag_);
        if (code != MPI_SUCCESS) outcome.code = code;
      }
  }
  return outcome;
}

}  // namespace marshal::exchange
