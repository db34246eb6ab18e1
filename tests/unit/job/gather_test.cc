// Gathers and renders the report of a million processes, each with 300 communicators, as the root of the reduction
// does: PMPI's point-to-point calls are a mock that hands out the merged record of each subtree.
//
//   gather_test --log_level=message     shows the sizes and times
#include "job/gather.h"

#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstring>
#include <map>

#include "host/pmpi.h"
#include "host/predefined.h"
#include "pages/pages.h"

namespace {

constexpr int ranks_in_loop = 1 << 20, communicator_count = 300, grids_page = 8, layout_count = 40;

int rank_of_mine = 0;
std::map<int, std::vector<std::uint8_t>> inbox;  // by sender
std::size_t received = 0, received_bytes = 0, largest = 0, sent = 0;
int sent_to = -1;

marshal::report::Spread spread_of(std::uint64_t samples, std::uint64_t each) {
  marshal::report::Spread spread;
  spread.samples = samples;
  spread.sum = samples * each;
  spread.min = spread.max = each;
  return spread;
}

// The merged record of `count` processes from `first` on.
marshal::report::Record record_of(std::uint64_t first, std::uint64_t count) {
  using namespace marshal::report;
  Record record;
  record.job.program = "climate";
  record.job.host = "node0";
  record.job.mpi = "MPICH 4.0.2";
  record.job.ranks = ranks_in_loop;
  record.job.nodes = ranks_in_loop / 128;
  record.job.project_ranks = std::uint64_t{16} << 20;
  record.ranks = RankSet::from_intervals({{first, first + count - 1}});
  record.own.wall_ns = spread_of(count, 3600000000000);
  record.own.init_ns = record.own.finalize_ns = spread_of(count, 4000000);
  for (std::uint64_t c = 0; c < communicator_count; ++c) {
    const CallSite site{"MPI_Comm_split", {{"/opt/site/lib/libcoupler.so.4", 4096 + 64 * c}, {"/opt/climate", 4096}}};
    CommunicatorSite row;
    row.communicators = first == 0 ? 128 : 0;
    row.made = row.alive = spread_of(count, 1);
    row.freed = spread_of(count, 0);
    row.ranks = spread_of(count, 8192);
    row.models = {{"stride", count}};
    row.marshal.per_process = spread_of(count, 64);
    row.host.per_process = spread_of(count, 70000);
    row.host.growing = count * 65536;
    row.symbol = fmt::format("coupler_split_{} at coupler.F90:{}", c, 10 * c);
    record.communicators[site].merge(row);
  }
  if (first == 0) {
    for (std::uint64_t g = 0; g < grids_page; ++g) {
      const GridKey key{{"MPI_Cart_create", {{"/opt/climate", 8192 + g}}}, {1024, 1024}, {1, 1}, "search", true};
      Grid grid{.made = 1, .processes = ranks_in_loop, .nodes = ranks_in_loop / 128};
      for (std::uint64_t run = 0; run < most_node_runs; ++run)
        grid.before.node_runs.emplace_back(run,
                                           run + 1 < most_node_runs ? 100 : ranks_in_loop - 100 * (most_node_runs - 1));
      grid.after = grid.before;
      record.grids[key].merge(grid);
    }
  }
  for (std::uint64_t d = 0; d < layout_count; ++d) {
    DatatypeLayout layout{.size = 512, .extent = 8192, .blocks = 64, .commits = count};
    layout.pack = {count, 512 * count, 1000 * count, 4096 * count, 0, 0};
    for (std::int64_t b = 0; b < 64; ++b) layout.picture.emplace_back(128 * b, 8);
    record.datatypes[{fmt::format("64 x 8 B every {} B", 128 + d), d}].merge(layout);
  }
  record.calls["MPI_Comm_split"].merge({communicator_count * count, count});
  return record;
}

int comm_rank(MPI_Comm, int* rank) { return *rank = rank_of_mine, MPI_SUCCESS; }
int comm_size(MPI_Comm, int* size) { return *size = ranks_in_loop, MPI_SUCCESS; }
int probe(int from, int, MPI_Comm, MPI_Status* status) {
  inbox[from] = marshal::message_of(record_of(static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(from)));
  status->MPI_SOURCE = from;
  return MPI_SUCCESS;
}
int get_count(const MPI_Status* status, MPI_Datatype, int* count) {
  *count = static_cast<int>(inbox.at(status->MPI_SOURCE).size());
  return MPI_SUCCESS;
}
int recv(void* buffer, int count, MPI_Datatype, int from, int, MPI_Comm, MPI_Status*) {
  std::memcpy(buffer, inbox.at(from).data(), static_cast<std::size_t>(count));
  inbox.erase(from);
  ++received;
  received_bytes += static_cast<std::size_t>(count);
  largest = std::max(largest, static_cast<std::size_t>(count));
  return MPI_SUCCESS;
}
int send(const void*, int count, MPI_Datatype, int to, int, MPI_Comm) {
  sent = static_cast<std::size_t>(count);
  sent_to = to;
  return MPI_SUCCESS;
}

template <class Work>
auto timed(const char* what, Work work) {
  const auto began = std::chrono::steady_clock::now();
  auto result = work();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  BOOST_TEST_MESSAGE(fmt::format("{}: {:.0f} ms", what, took.count()));
  return result;
}

}  // namespace

namespace marshal {

const Pmpi& pmpi() {
  static const Pmpi mock = [] {
    Pmpi p;
    p.Comm_rank = comm_rank;
    p.Comm_size = comm_size;
    p.Probe = probe;
    p.Get_count = get_count;
    p.Recv = recv;
    p.Send = send;
    return p;
  }();
  return mock;
}

}  // namespace marshal

using namespace marshal;

BOOST_AUTO_TEST_CASE(the_root_of_a_million_processes_receives_twenty_bounded_records) {
  rank_of_mine = 0;
  received = received_bytes = largest = 0;
  const report::Record whole = timed("gathering on rank 0, the records of subtrees made meanwhile",
                                     [] { return gather(record_of(0, 1), MPI_COMM_NULL).record; });
  BOOST_TEST_MESSAGE(fmt::format("{} records, {} B in all, the largest {} B", received, received_bytes, largest));
  BOOST_TEST(received == 20U);
  BOOST_TEST(largest < 1u << 20);
  BOOST_TEST(whole.ranks.count() == static_cast<std::uint64_t>(ranks_in_loop));
  BOOST_TEST(whole.communicators.size() == report::most_sites);
  BOOST_TEST(whole.communicators.overflowed());
  std::uint64_t made = whole.communicators.others().made.sum;
  whole.communicators.each([&](const auto&, const auto& row) { made += row.made.sum; });
  BOOST_TEST(made == std::uint64_t{ranks_in_loop} * communicator_count);

  const std::string json = timed("JSON", [&] { return report::to_json(whole); });
  const std::string html = timed("HTML", [&] { return report::to_html(whole); });
  const std::string text = timed("text", [&] { return report::to_text(whole, "report.json"); });
  std::string why_not;
  const auto again = timed("reading the JSON", [&] { return report::from_json(json, why_not); });
  BOOST_TEST((again && *again == whole), why_not);
  BOOST_TEST_MESSAGE(fmt::format("JSON {} B, HTML {} B, text {} B", json.size(), html.size(), text.size()));
  BOOST_TEST(json.size() < 2u << 20);
  BOOST_TEST(html.size() < 2u << 20);
  BOOST_TEST(text.size() < 16u << 10);
}

BOOST_AUTO_TEST_CASE(a_leaf_sends_its_record_once_and_receives_nothing) {
  rank_of_mine = ranks_in_loop - 1;
  received = 0;
  sent_to = -1;
  gather(record_of(ranks_in_loop - 1, 1), MPI_COMM_NULL);
  BOOST_TEST(received == 0U);
  BOOST_TEST(sent_to == ranks_in_loop - 2);
  BOOST_TEST_MESSAGE(fmt::format("a leaf sends {} B", sent));
  BOOST_TEST(sent < 1u << 20);
}
