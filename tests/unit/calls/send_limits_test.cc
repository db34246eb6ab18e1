#include "calls/send_limits.h"

#include <boost/test/unit_test.hpp>
#include <chrono>

using namespace marshal;
using calls::SendAs;
using calls::SendLimits;

namespace {

// Sends of a host that keeps back bytes from one size on, and datatypes from another.
struct Host {
  std::int64_t keeps_bytes_from, keeps_types_from;
  SendLimits limits{};
  RendezvousSizes::Time now{};

  SendAs send(std::int64_t bytes) {
    const SendAs as = limits.choose(bytes);
    now += std::chrono::milliseconds(2);
    if (as != SendAs::bytes)
      limits.note(as, bytes, bytes >= (as == SendAs::watched_type ? keeps_types_from : keeps_bytes_from), now);
    return as;
  }
  SendAs send_often(std::int64_t bytes) {
    for (int i = 0; i < 30; ++i) send(bytes);
    return send(bytes);
  }
};

}  // namespace

BOOST_TEST_DONT_PRINT_LOG_VALUE(SendAs)
BOOST_AUTO_TEST_SUITE(send_limits_test)

BOOST_AUTO_TEST_CASE(nothing_is_sent_as_bytes_before_it_is_watched) {
  SendLimits limits;
  BOOST_TEST((limits.choose(100) == SendAs::watched_type));
}

BOOST_AUTO_TEST_CASE(messages_that_go_at_once_become_bytes) {
  Host host{8192, 8192};
  BOOST_TEST((host.send_often(4096) == SendAs::bytes));
  BOOST_TEST((host.send(1000) == SendAs::bytes));
}

BOOST_AUTO_TEST_CASE(messages_that_are_kept_back_anyway_become_bytes) {
  Host host{8192, 8192};
  BOOST_TEST((host.send_often(65536) == SendAs::bytes));
  BOOST_TEST((host.send(1 << 20) == SendAs::bytes));
}

BOOST_AUTO_TEST_CASE(no_message_waits_as_bytes_that_would_not_wait_as_a_datatype) {
  Host host{8192, 32768};
  BOOST_TEST((host.send_often(16384) == SendAs::watched_type));
  BOOST_TEST((host.send_often(32768) == SendAs::bytes));
  BOOST_TEST((host.send_often(4096) == SendAs::bytes));
  BOOST_TEST((host.send(16384) == SendAs::watched_type));
}

BOOST_AUTO_TEST_CASE(few_messages_are_abandoned) {
  Host host{0, 1 << 30};
  int abandoned = 0;
  for (std::int64_t bytes = 200000; bytes > 100; bytes -= 100)
    abandoned += host.send(bytes) == SendAs::watched_bytes ? 1 : 0;
  BOOST_TEST(abandoned > 0);
  BOOST_TEST(abandoned <= 16);
}

BOOST_AUTO_TEST_SUITE_END()
