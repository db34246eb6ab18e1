#include "messages/mpich/rendezvous_sends.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

using marshal::RendezvousSends;

namespace {

const void* const gone = nullptr;
const void* const failed = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(-3));
int object;
const void* const request = &object;

void note_often(RendezvousSends& sends, std::int64_t bytes, const void* returned) {
  for (int i = 0; i < 10; ++i) {
    sends.note(bytes, returned);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rendezvous_sends_test)

BOOST_AUTO_TEST_CASE(a_request_is_neither_null_nor_an_error) {
  BOOST_TEST(RendezvousSends::is_request(request));
  BOOST_TEST(!RendezvousSends::is_request(gone));
  BOOST_TEST(!RendezvousSends::is_request(failed));
}

BOOST_AUTO_TEST_CASE(messages_with_requests_are_kept_back) {
  RendezvousSends sends;
  note_often(sends, 20000, request);
  BOOST_TEST(sends.include(20000));
  BOOST_TEST(!sends.include(19999));
  sends.note(20000, gone);
  BOOST_TEST(!sends.include(20000));
}

BOOST_AUTO_TEST_CASE(errors_tell_nothing) {
  RendezvousSends sends;
  note_often(sends, 20000, failed);
  BOOST_TEST(!sends.include(20000));
}

BOOST_AUTO_TEST_SUITE_END()
