#include "messages/mpich/ucx_endpoints.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstring>
#include <set>
#include <thread>

#include "host/next_symbol.h"

using marshal::endpoints::has_only_tcp;

namespace {

// A library of UCX whose endpoints send over TCP where their first byte says so, and that notes who was asked about.
std::set<const void*> asked;
void print_endpoint(const void* endpoint, std::FILE* stream) {
  asked.insert(endpoint);
  const bool is_tcp = *static_cast<const char*>(endpoint) != 0;
  std::fprintf(stream, "# lane[0]:  1:%s md[1] -> md[1]\n", is_tcp ? "tcp/lo.0" : "posix/memory.0");
}
void* find(const char* symbol) {
  return std::strcmp(symbol, "ucp_ep_print_info") == 0 ? reinterpret_cast<void*>(print_endpoint) : nullptr;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ucx_endpoints)

// As UCX 1.13 prints them.
BOOST_AUTO_TEST_CASE(lanes_of_tcp_alone_are_told_from_others) {
  BOOST_TEST(has_only_tcp(
      "#\n# UCP endpoint \n#\n#               peer: <no debug data>\n"
      "#                 lane[0]:  1:tcp/lo.0 md[1]                -> md[1]/tcp/sysdev[255] rma_bw#0 am am_bw#0\n"
      "#                 lane[1]:  2:tcp/eth0.0 md[1]              -> md[1]/tcp/sysdev[255] rma_bw#1 wireup\n#\n"
      "#                tag_send: 0..<egr/short>..8185..<egr/zcopy>..8192..<rndv>..(inf)\n"));
  BOOST_TEST(
      !has_only_tcp("#                 lane[0]:  3:sysv/memory.0 md[2]           -> md[2]/sysv/sysdev[255] am am_bw#0\n"
                    "#                 lane[1]:  4:posix/memory.0 md[3]          -> md[3]/posix/sysdev[255]\n"
                    "#                 lane[2]:  5:cma/memory.0 md[4]            -> md[4]/cma/sysdev[255] rma_bw#0\n"));
}

BOOST_AUTO_TEST_CASE(one_lane_of_another_transport_is_enough) {
  BOOST_TEST(
      !has_only_tcp("# lane[0]:  1:tcp/lo.0 md[1] -> md[1]/tcp/sysdev[255] am\n"
                    "# lane[1]:  2:rc_mlx5/mlx5_0:1.0 md[5] -> md[5]/ib/sysdev[0] rma_bw#0\n"));
  BOOST_TEST(!has_only_tcp("# lane[0]:  7:self/memory0.0 md[0] -> md[0]/self/sysdev[255] am am_bw#0\n"));
}

BOOST_AUTO_TEST_CASE(a_text_that_says_nothing_of_lanes_is_not_tcp) {
  for (const char* text : {"", "lane[", " lane[0]: tcp", "# lane[0]:  1:tcp md[1]\n# tcp/lo", " lane[0\n1:tcp/lo",
                           "#\n# UCP endpoint 1:tcp/lo.0"})
    BOOST_TEST(!has_only_tcp(text), text);
}

// All processes must not act by the endpoints that one of them sees: with 57 processes on nodes of 56 and of one, the
// first process may see none over TCP. And an endpoint that is not the host's may be closed.
BOOST_AUTO_TEST_CASE(a_process_sees_some_endpoints_of_the_host_alone) {
  using namespace marshal::endpoints;
  marshal::SymbolFinder finder = marshal::symbol_finder();
  finder.of_host = find;
  marshal::set_symbol_finder(finder);
  std::array<char, 57> over_tcp{};
  char closed = 1, of_thread = 1, made_behind = 1, of_others = 1;
  note_created(&closed);
  {
    const MadeByHost by_host(MadeByHost::When::in_init);
    for (char& endpoint : over_tcp) note_created(&endpoint);
    std::thread([&] { note_created(&of_thread); }).join();
  }
  note_created(&made_behind);
  over_tcp.back() = 1;
  BOOST_TEST(!begin());
  note_created(&of_others);
  BOOST_TEST(!job_uses_tcp());
  agree_on_tcp(true);
  BOOST_TEST(job_uses_tcp());
  BOOST_TEST(lead_over_tcp(&over_tcp.back()));
  BOOST_TEST(!lead_over_tcp(over_tcp.data()));
  for (char* const endpoint : {&closed, &of_thread, &made_behind, &of_others}) {
    BOOST_TEST(!lead_over_tcp(endpoint));
    BOOST_TEST(!asked.contains(endpoint));
  }
  BOOST_TEST(asked.contains(over_tcp.data()));
}

BOOST_AUTO_TEST_SUITE_END()
