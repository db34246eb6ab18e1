#include "messages/mpich/cut_receives.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "tests/unit/out_of_memory.h"

using namespace marshal;

namespace {

constexpr UcsStatus truncated = -9;
constexpr std::size_t element = 8;

// MPICH's state of a message: its function unpacks whole elements, and refuses the rest.
struct Message {
  char user[64] = {};
  int fragments = 0;
  bool fails = false;

  std::string bytes(std::size_t count) const { return {user, count}; }
};

UcsStatus unpack_by_host(void* state, std::size_t offset, const void* packed, std::size_t bytes) {
  Message& message = *static_cast<Message*>(state);
  ++message.fragments;
  if (message.fails || offset % element != 0) return truncated;
  std::memcpy(message.user + offset, packed, bytes - bytes % element);
  return bytes % element == 0 ? UcsStatus{0} : truncated;
}

const std::string packed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN";  // five elements

// Packed bytes from `from` to `to`, of a message of `size`.
UcsStatus arrive(CutReceives& receives, Message& message, std::size_t from, std::size_t to, std::size_t size) {
  return receives.unpack(unpack_by_host, &message, from, packed.data() + from, to - from, size);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cut_receives)

BOOST_AUTO_TEST_CASE(fragments_between_elements_are_the_hosts) {
  CutReceives receives;
  Message message;
  for (std::size_t from = 0; from < 32; from += 16) {
    BOOST_TEST(arrive(receives, message, from, from + 16, 32) == 0);
    BOOST_TEST(message.bytes(from + 16) == packed.substr(0, from + 16));
  }
  BOOST_TEST(receives.finish(unpack_by_host, &message) == 0U);
  BOOST_TEST(message.fragments == 2);
}

BOOST_AUTO_TEST_CASE(from_a_cut_fragment_on_bytes_are_kept_until_all_are_there) {
  CutReceives receives;
  Message message;
  BOOST_TEST(arrive(receives, message, 0, 8, 40) == 0);
  BOOST_TEST(arrive(receives, message, 8, 21, 40) == 0);
  BOOST_TEST(arrive(receives, message, 21, 24, 40) == 0);
  BOOST_TEST(arrive(receives, message, 24, 30, 40) == 0);
  BOOST_TEST(message.fragments == 2);
  BOOST_TEST(arrive(receives, message, 30, 40, 40) == 0);
  BOOST_TEST(message.fragments == 3);
  BOOST_TEST(message.bytes(40) == packed);
  BOOST_TEST(receives.finish(unpack_by_host, &message) == 0U);
  BOOST_TEST(message.fragments == 3);
}

BOOST_AUTO_TEST_CASE(the_hosts_answer_for_the_whole_message_holds) {
  CutReceives receives;
  Message message;
  BOOST_TEST(arrive(receives, message, 0, 3, 16) == 0);
  message.fails = true;
  BOOST_TEST(arrive(receives, message, 3, 16, 16) == truncated);
}

BOOST_AUTO_TEST_CASE(a_message_whose_last_fragment_is_cut_is_refused) {
  CutReceives receives;
  Message message;
  BOOST_TEST(arrive(receives, message, 0, 16, 21) == 0);
  BOOST_TEST(arrive(receives, message, 16, 21, 21) == truncated);
  BOOST_TEST(receives.finish(unpack_by_host, &message) == 0U);
}

BOOST_AUTO_TEST_CASE(a_shorter_message_is_unpacked_at_its_end) {
  CutReceives receives;
  Message whole, cut;
  for (Message* const message : {&whole, &cut}) {
    BOOST_TEST(arrive(receives, *message, 0, 13, 40) == 0);
    BOOST_TEST(arrive(receives, *message, 13, message == &whole ? 32 : 30, 40) == 0);
  }
  BOOST_TEST(receives.finish(unpack_by_host, &whole) == 0U);
  BOOST_TEST(whole.bytes(32) == packed.substr(0, 32));
  BOOST_TEST(receives.finish(unpack_by_host, &cut) == 30U);
  BOOST_TEST(cut.bytes(24) == packed.substr(0, 24));
  BOOST_TEST(receives.finish(unpack_by_host, &cut) == 0U);
}

BOOST_AUTO_TEST_CASE(messages_are_kept_apart) {
  CutReceives receives;
  Message one, other;
  BOOST_TEST(arrive(receives, one, 0, 3, 16) == 0);
  BOOST_TEST(arrive(receives, other, 0, 11, 24) == 0);
  BOOST_TEST(arrive(receives, one, 3, 16, 16) == 0);
  BOOST_TEST(one.bytes(16) == packed.substr(0, 16));
  BOOST_TEST(one.fragments == 2);
  // Its state may be that of the next message, while the other one is under way.
  BOOST_TEST(arrive(receives, one, 0, 8, 16) == 0);
  BOOST_TEST(one.fragments == 3);
  BOOST_TEST(arrive(receives, other, 11, 24, 24) == 0);
  BOOST_TEST(other.bytes(24) == packed.substr(0, 24));
}

BOOST_AUTO_TEST_CASE(without_memory_the_hosts_answer_for_the_fragment_holds) {
  CutReceives receives;
  Message message;
  out_of_memory = true;
  const UcsStatus status = arrive(receives, message, 0, 13, 40);
  out_of_memory = false;
  BOOST_TEST(status == truncated);
  BOOST_TEST(receives.finish(unpack_by_host, &message) == 0U);
  BOOST_TEST(message.fragments == 1);
}

BOOST_AUTO_TEST_SUITE_END()
