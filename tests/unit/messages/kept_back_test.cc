#include "messages/mpich/kept_back.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

using marshal::KeptBack;

namespace {

const void* const gone = nullptr;
const void* const failed = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(-3));
int object;
const void* const request = &object;

void note_often(KeptBack& kept, std::int64_t bytes, const void* returned) {
  for (int i = 0; i < 10; ++i) {
    kept.note(bytes, returned);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(kept_back_test)

BOOST_AUTO_TEST_CASE(a_request_is_neither_null_nor_an_error) {
  BOOST_TEST(KeptBack::is_request(request));
  BOOST_TEST(!KeptBack::is_request(gone));
  BOOST_TEST(!KeptBack::is_request(failed));
}

BOOST_AUTO_TEST_CASE(messages_with_requests_are_kept_back) {
  KeptBack kept;
  note_often(kept, 20000, request);
  BOOST_TEST(kept.are(20000));
  BOOST_TEST(!kept.are(19999));
  kept.note(20000, gone);
  BOOST_TEST(!kept.are(20000));
}

BOOST_AUTO_TEST_CASE(errors_tell_nothing) {
  KeptBack kept;
  note_often(kept, 20000, failed);
  BOOST_TEST(!kept.are(20000));
}

BOOST_AUTO_TEST_SUITE_END()
