#include "calls/eager_bytes.h"

#include <boost/test/unit_test.hpp>

using namespace marshal;
using calls::EagerBytes;
using Way = EagerBytes::Way;

namespace {

// Sends of a host that keeps bytes back from one size on.
struct Host {
  std::int64_t keeps_from;
  EagerBytes eager{};

  Way send(std::int64_t bytes) {
    const Way way = eager.choose(bytes);
    if (way == Way::watched_bytes) eager.note(bytes, bytes < keeps_from);
    return way;
  }
};

}  // namespace

BOOST_TEST_DONT_PRINT_LOG_VALUE(Way)
BOOST_AUTO_TEST_SUITE(eager_bytes_test)

BOOST_AUTO_TEST_CASE(nothing_is_sent_as_bytes_before_it_was_watched) {
  Host host{8192};
  BOOST_TEST((host.send(4000) == Way::watched_bytes));
  BOOST_TEST((host.send(4000) == Way::bytes));
  BOOST_TEST((host.send(100) == Way::bytes));
  BOOST_TEST((host.send(4001) == Way::watched_bytes));
}

BOOST_AUTO_TEST_CASE(bytes_that_were_kept_back_go_in_two_blocks_from_then_on) {
  Host host{8192};
  BOOST_TEST((host.send(9000) == Way::watched_bytes));
  BOOST_TEST((host.send(9000) == Way::two_blocks));
  BOOST_TEST((host.send(16000) == Way::two_blocks));
  BOOST_TEST((host.send(8000) == Way::watched_bytes));
  BOOST_TEST((host.send(8000) == Way::bytes));
}

BOOST_AUTO_TEST_CASE(long_messages_are_never_watched) {
  Host host{1 << 30};
  BOOST_TEST((host.send(16 * 1024 + 1) == Way::two_blocks));
  BOOST_TEST((host.send(1 << 20) == Way::two_blocks));
}

BOOST_AUTO_TEST_CASE(few_messages_are_left_under_way) {
  Host host{0};
  int watched = 0;
  for (std::int64_t bytes = 16 * 1024; bytes > 256; bytes -= 8)
    watched += host.send(bytes) == Way::watched_bytes ? 1 : 0;
  BOOST_TEST(watched == 8);
}

BOOST_AUTO_TEST_SUITE_END()
