// Stand-ins in convertors, with a mock of the host behind them.
#include "messages/openmpi/convertors.h"

#include <mpi.h>
#include <sys/uio.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "datatype/flatten.h"
#include "host/handles.h"
#include "host/host_family.h"
#include "messages/message_engine.h"
#include "mock_convertors.h"
#include "types/type_book.h"
#include "types/type_reader.h"

using namespace marshal;
using namespace marshal::datatype;
using mock::Advance, mock::advance, mock::committed, mock::completed, mock::Convertor, mock::faults, mock::for_send;
using mock::homogeneous, mock::moved_by_host, mock::of_try_out, mock::of_type, mock::place, mock::positions_set;
using mock::shape, mock::Shape;

namespace {

using Bytes = std::vector<std::byte>;

const char* try_out() {
  mock::start();
  return convertors::try_out();
}

// The book of types has this one, if any.
Datatype entry;
bool is_read = false;

Type tree() {
  const auto number = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  return Hvector{number(shape.blocks), number(shape.length), number(shape.stride), basic(1)};
}

// The type is read and on the book.
void put_on_book(bool staged = false) {
  CompileOptions options;
  options.stages_fragments = staged;
  const Type type = tree();
  entry.layout = std::make_shared<SharedLayout>(flattened(type), type.extent(), 0, options);
  is_read = true;
  books::types_on_book = 1;
}
void take_off_book() {
  is_read = false;
  books::type_departures.fetch_add(1);
}

// A message of `count` instances.

constexpr std::size_t count = 100;

struct Message {
  Bytes user = Bytes(count * shape.extent()), packed = Bytes(count * shape.size());
  Convertor c;

  Message() {
    for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<std::byte>(5 * i + i / 256);
  }
  template <bool unpack>
  void prepare() {
    mock::prepare<unpack>(&c, of_type, count, user.data());
    convertors::prepared<unpack>(&c);
  }
  // Moves so many packed bytes on, in two parts.
  std::int32_t go_on(std::size_t bytes) {
    std::byte* const at = packed.data() + c.converted;
    iovec iovecs[2] = {{at, bytes / 3}, {at + bytes / 3, bytes - bytes / 3}};
    std::uint32_t iovec_count = 2;
    std::size_t moved = 0;
    const std::size_t before = c.converted;
    const std::int32_t code = c.advance(&c, iovecs, &iovec_count, &moved);
    BOOST_TEST(moved == c.converted - before);
    BOOST_TEST(moved == iovecs[0].iov_len + (iovec_count > 1 ? iovecs[1].iov_len : 0));
    return code;
  }
  Bytes expected() {
    Bytes all(packed.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = *place(c, i);
    return all;
  }
};

// The host is tried, and messages are on.
struct On {
  On() {
    faults = {};
    shape = of_try_out;
    detail::is_open_mpi = true;
    begin_to_choose();
    BOOST_REQUIRE(try_out() == nullptr);
    messages_are_seen = true;
    moved_by_host = positions_set = 0;
  }
  ~On() {
    messages_are_seen = false;
    take_off_book();
    books::may_read_in_messages = false;
  }
};

}  // namespace

// In the place of type_reader.cc and type_book.cc.
namespace marshal {

Type read_type(MPI_Datatype) { return tree(); }
bool is_named(MPI_Datatype) { return false; }

namespace books {
const Datatype* find_type_on_book(std::uint64_t key) noexcept {
  return is_read && key == key_of(committed) ? &entry : nullptr;
}
const Datatype* find_shared_type(std::uint64_t key) noexcept { return find_type_on_book(key); }
const Datatype* read_type_now(MPI_Datatype) {
  put_on_book();
  return &entry;
}
}  // namespace books
}  // namespace marshal

BOOST_AUTO_TEST_SUITE(convertors_test)

BOOST_AUTO_TEST_CASE(a_host_as_marshal_knows_it_is_taken_and_no_other) {
  shape = of_try_out;
  faults = {};
  BOOST_TEST(try_out() == nullptr);
  faults = {.has_no_convertors = true};
  BOOST_TEST(try_out() == std::string("it has no convertors that Marshal knows"));
  faults = {.has_no_positions = true};
  BOOST_TEST(try_out() == std::string("its convertors have other functions than those of Open MPI 4.1 and 5.0"));
  faults = {.has_other_flags = true};
  BOOST_TEST(try_out() == std::string("it lays out its convertors otherwise than Open MPI 4.1 and 5.0"));
  const std::string others = "its convertors are not as Marshal knows them";
  faults = {.has_checksums = true};
  BOOST_TEST(try_out() == others);
  faults = {.does_not_rewind = true};
  BOOST_TEST(try_out() == std::string("its convertors take positions otherwise"));
  faults = {.tells_other_places = true};
  BOOST_TEST(try_out() == std::string("its convertors tell places otherwise"));
  faults = {.forgets_count_in_clones = true};
  BOOST_TEST(try_out() == std::string("it clones convertors otherwise"));
}

BOOST_AUTO_TEST_CASE(convertors_with_gaps_to_close_and_nothing_else_to_do_can_be_taken) {
  Convertor c{};
  c.type = of_type;
  BOOST_TEST(convertors::key_of_type(&c) == key_of(committed));
  c.flags = homogeneous | for_send | 7;
  BOOST_TEST(convertors::can_be_taken(&c));
  for (const std::uint32_t other : {0x100000U, 0x200000U, 0x400000U, 0x800000U, 0x10000000U, completed}) {
    c.flags = homogeneous | other;
    BOOST_TEST(!convertors::can_be_taken(&c));
  }
  c.flags = for_send;
  BOOST_TEST(!convertors::can_be_taken(&c));
}

BOOST_AUTO_TEST_CASE(convertors_of_packs_are_known) {
  Convertor c{};
  c.type = of_type;
  BOOST_TEST(!convertors::is_of_a_pack(&c));
  {
    const PackingByHost packing;
    BOOST_TEST(convertors::is_of_a_pack(&c));
  }
  BOOST_TEST(!convertors::is_of_a_pack(&c));
  note_passed_on_pack(key_of(committed));
  BOOST_TEST(convertors::is_of_a_pack(&c));
  BOOST_TEST(!convertors::is_of_a_pack(&c));  // the next is a message's
}

BOOST_AUTO_TEST_CASE(types_that_are_not_read_stay_the_hosts) {
  const On on;
  Message message;
  message.prepare<false>();
  BOOST_TEST((message.c.advance == advance<false>));
  BOOST_TEST(message.go_on(message.packed.size()) == 1);
  BOOST_TEST((message.packed == message.expected()));
}

BOOST_AUTO_TEST_CASE(only_the_function_of_a_convertor_is_replaced) {
  const On on;
  put_on_book();
  Message message;
  message.prepare<true>();
  BOOST_TEST((message.c.advance != advance<true>));
  Convertor as_prepared{};
  mock::prepare<true>(&as_prepared, of_type, count, message.user.data());
  message.c.advance = as_prepared.advance;
  BOOST_TEST(std::memcmp(&message.c, &as_prepared, sizeof as_prepared) == 0);
}

BOOST_AUTO_TEST_CASE(a_type_that_is_worth_it_is_read_in_its_message) {
  const On on;
  UnreadType& type = books::unread_place_of(key_of(committed));
  type.begin(key_of(committed), 0, false, true);  // the first type of a place is believed to be worth it
  Message host, engine;
  host.prepare<false>();
  BOOST_TEST((host.c.advance == advance<false>));
  books::may_read_in_messages = true;
  engine.prepare<false>();
  BOOST_TEST((engine.c.advance != advance<false>));
  type.forget();
}

BOOST_AUTO_TEST_CASE(the_engine_moves_fragment_by_fragment) {
  const On on;
  put_on_book();
  Message sent;
  sent.prepare<false>();
  BOOST_TEST(sent.go_on(1000) == 0);
  BOOST_TEST(sent.go_on(777) == 0);
  BOOST_TEST((sent.c.flags & completed) == 0U);
  BOOST_TEST(sent.go_on(sent.packed.size()) == 1);  // more room than bytes are left
  BOOST_TEST((sent.c.flags & completed) != 0U);
  BOOST_TEST((sent.packed == sent.expected()));
  Message received;
  received.user.assign(received.user.size(), std::byte{});
  received.packed = sent.packed;
  received.prepare<true>();
  BOOST_TEST(received.go_on(50) == 0);
  BOOST_TEST(received.go_on(received.packed.size()) == 1);
  BOOST_TEST((received.expected() == sent.packed));
  BOOST_TEST(moved_by_host == 0);
  BOOST_TEST(entry.layout->sent.by_engine.messages == 1U);
  BOOST_TEST(entry.layout->sent.by_engine.bytes == sent.packed.size());
  BOOST_TEST(entry.layout->received.by_engine.messages == 1U);
}

BOOST_AUTO_TEST_CASE(the_host_goes_on_where_the_engine_stopped) {
  for (const bool is_asked_for_places : {false, true}) {
    const On on;
    put_on_book();
    Message message;
    message.prepare<false>();
    BOOST_TEST(message.go_on(1001) == 0);
    BOOST_TEST(moved_by_host == 0);
    if (is_asked_for_places) {
      iovec where{nullptr, 3};
      std::uint32_t iovec_count = 1;
      std::size_t moved = 0;
      message.c.advance(&message.c, &where, &iovec_count, &moved);
      BOOST_TEST(where.iov_base == place(message.c, 1001));
      std::memcpy(message.packed.data() + 1001, where.iov_base, 3);
    } else {
      take_off_book();
    }
    BOOST_TEST(message.go_on(message.packed.size()) == 1);
    BOOST_TEST(moved_by_host > 0);
    BOOST_TEST((message.c.advance == advance<false>));
    BOOST_TEST((message.packed == message.expected()));
  }
}

BOOST_AUTO_TEST_CASE(a_new_position_of_the_engine_needs_no_host) {
  const On on;
  put_on_book();
  Message message;
  message.prepare<false>();
  message.go_on(1000);
  for (const std::size_t position : {std::size_t{417}, std::size_t{0}}) {
    std::size_t at = position;
    BOOST_TEST(convertors::set_position(mock::set_position, &message.c, &at) == 0);
    BOOST_TEST(message.c.converted == position);
  }
  BOOST_TEST(positions_set == 0);
  BOOST_TEST(message.go_on(message.packed.size()) == 1);
  BOOST_TEST((message.packed == message.expected()));
}

BOOST_AUTO_TEST_CASE(a_new_position_of_others_is_the_hosts) {
  const On on;
  Message message;
  message.prepare<false>();
  std::size_t position = 417;
  convertors::set_position(mock::set_position, &message.c, &position);
  messages_are_seen = false;
  convertors::set_position(mock::set_position, &message.c, &position);
  BOOST_TEST(positions_set == 2);
}

BOOST_AUTO_TEST_CASE(a_persistent_request_chooses_anew_at_each_start) {
  const On on;
  put_on_book();
  Message message;
  message.prepare<false>();
  const Advance engine = message.c.advance;
  message.go_on(message.packed.size());
  // By now the layout's blocks are so long that they are left to the host.
  const Shape before = shape;
  shape = {2, 5000, 6000};
  put_on_book();
  shape = before;
  std::size_t position = 500;
  convertors::set_position(mock::set_position, &message.c, &position);
  BOOST_TEST((message.c.advance == engine));  // no start
  message.c.converted = message.c.local_size;
  position = 0;
  convertors::set_position(mock::set_position, &message.c, &position);
  BOOST_TEST((message.c.advance != engine && message.c.advance != advance<false>));
  BOOST_TEST(positions_set == 1);
  message.c.flags &= ~completed;
  BOOST_TEST(message.go_on(message.packed.size()) == 1);
  BOOST_TEST(moved_by_host == 1);
  BOOST_TEST(entry.layout->sent.by_host.messages == 1U);
}

BOOST_AUTO_TEST_CASE(the_host_tells_places_from_where_the_engine_stopped) {
  const On on;
  put_on_book();
  Message message;
  message.prepare<false>();
  message.go_on(1001);
  iovec places[1];
  std::uint32_t place_count = 1;
  std::size_t bytes = 0;
  convertors::raw(mock::raw, &message.c, places, &place_count, &bytes);
  BOOST_TEST(places[0].iov_base == place(message.c, 1001));
  BOOST_TEST((message.c.advance == advance<false>));
}

BOOST_AUTO_TEST_CASE(what_is_left_to_the_host_is_counted_by_fragment) {
  const On on;
  shape = {2, 600, 700};
  put_on_book(true);
  Message message;
  message.prepare<true>();
  message.go_on(1000);
  message.go_on(1000);
  BOOST_TEST(message.go_on(message.packed.size()) == 1);
  BOOST_TEST((message.packed == message.expected()));
  BOOST_TEST(moved_by_host == 3);
  BOOST_TEST(entry.layout->received.by_host.messages == 1U);
  BOOST_TEST(entry.layout->received.by_host.calls == 3U);
  BOOST_TEST(entry.layout->received.by_host.bytes == message.packed.size());
}

BOOST_AUTO_TEST_CASE(a_trial_times_messages_of_both_sides_and_decides) {
  const On on;
  shape = {2, 512, 600};
  put_on_book(true);
  for (int i = 0; i < 64; ++i) {
    Message sent, received;
    sent.prepare<false>();
    sent.go_on(50000);
    BOOST_TEST(sent.go_on(sent.packed.size()) == 1);
    BOOST_REQUIRE((sent.packed == sent.expected()));
    received.packed = sent.packed;
    received.prepare<true>();
    BOOST_TEST(received.go_on(received.packed.size()) == 1);
    BOOST_REQUIRE((received.packed == received.expected()));
  }
  BOOST_TEST(moved_by_host > 0);
  const auto bytes = static_cast<std::int64_t>(count * shape.size());
  for (const MessageAccount* const account : {&entry.layout->sent, &entry.layout->received}) {
    BOOST_TEST(account->by_engine.timed_bytes > 0U);
    BOOST_TEST(account->by_host.timed_bytes > 0U);
    BOOST_TEST((account->trial.side(bytes) != HostTrial::Side::undecided));
  }
}

// A host has two functions for each direction. A host that has more keeps the others as its own.
BOOST_AUTO_TEST_CASE(more_functions_of_the_host_than_there_are_stand_ins_stay) {
  const On on;
  put_on_book();
  const auto taken = [](Advance original) {
    Message message;
    mock::prepare<false>(&message.c, of_type, count, message.user.data());
    message.c.advance = original;
    convertors::prepared<false>(&message.c);
    return message.c.advance != original;
  };
  const Advance others[] = {
      [](Convertor* c, iovec* v, std::uint32_t* n, std::size_t* m) { return 1 * advance<false>(c, v, n, m); },
      [](Convertor* c, iovec* v, std::uint32_t* n, std::size_t* m) { return 2 * advance<false>(c, v, n, m); },
      [](Convertor* c, iovec* v, std::uint32_t* n, std::size_t* m) { return 3 * advance<false>(c, v, n, m); },
      [](Convertor* c, iovec* v, std::uint32_t* n, std::size_t* m) { return 4 * advance<false>(c, v, n, m); }};
  BOOST_TEST(taken(advance<false>));
  for (int i = 0; i < 3; ++i) BOOST_TEST(taken(others[i]));
  BOOST_TEST(!taken(others[3]));
  BOOST_TEST(taken(others[0]));
}

BOOST_AUTO_TEST_CASE(messages_are_on_while_they_are_seen) {
  BOOST_TEST(!messages::are_on());
  messages_are_seen = true;
  BOOST_TEST(messages::are_on());
  messages_are_seen = false;
}

BOOST_AUTO_TEST_SUITE_END()
