#include "host/ucx_endpoints.h"

#include <boost/test/unit_test.hpp>

using marshal::endpoints::has_only_tcp;

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

BOOST_AUTO_TEST_SUITE_END()
