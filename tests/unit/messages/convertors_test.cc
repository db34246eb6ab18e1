// Stand-ins in convertors, with a fake of Open MPI's convertors behind them.
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
#include "host/implementation.h"
#include "host/next_symbol.h"
#include "host/predefined.h"
#include "messages/choice.h"
#include "settings/settings_in_force.h"
#include "types/type_book.h"
#include "types/type_reader.h"

using namespace marshal;
using namespace marshal::datatype;

namespace {

using Bytes = std::vector<std::byte>;

// ---- The fake of Open MPI. All its datatypes are vectors of one shape, in bytes.

struct Shape {
  std::size_t blocks, length, stride;
  std::size_t size() const { return blocks * length; }
  std::size_t extent() const { return (blocks - 1) * stride + length; }
};
constexpr Shape of_try_out{5, 12, 16};
Shape shape = of_try_out;

struct Convertor;
using Advance = std::int32_t (*)(Convertor*, iovec*, std::uint32_t*, std::size_t*);
struct Convertor {
  std::byte object[16];
  std::uint32_t remote_architecture, flags;
  std::size_t local_size, remote_size;
  const void *type, *description;
  std::size_t count;
  std::uint32_t stack_size;
  std::byte* user;
  void* stack;
  Advance advance;
  void* master;
  std::uint32_t host_at;  // in the place of Open MPI's stack: the packed byte from where the host goes on
  std::size_t partial_length;
  std::size_t converted;
};
static_assert(sizeof(Convertor) == 128);

constexpr std::uint32_t completed = 0x08000000, homogeneous = 0x80000, for_receive = 0x20000, for_send = 0x40000;

// What is wrong with this host.
struct Faults {
  bool has_no_convertors = false, has_checksums = false, does_not_rewind = false, tells_other_places = false;
};
Faults faults;
int moved_by_host = 0, positions_set = 0;  // calls

std::byte* place(const Convertor& c, std::size_t packed_byte) {
  const std::size_t instance = packed_byte / shape.size(), within = packed_byte % shape.size();
  return c.user + instance * shape.extent() + within / shape.length * shape.stride + within % shape.length;
}

template <bool unpack>
std::int32_t advance(Convertor* c, iovec* iovecs, std::uint32_t* iovec_count, std::size_t* moved) {
  ++moved_by_host;
  *moved = 0;
  std::uint32_t i = 0;
  for (; i < *iovec_count && c->converted < c->local_size; ++i) {
    const std::size_t bytes = std::min(iovecs[i].iov_len, c->local_size - c->converted);
    auto* const packed = static_cast<std::byte*>(iovecs[i].iov_base);
    for (std::size_t k = 0; packed != nullptr && k < bytes; ++k) {
      std::byte& user = *place(*c, c->host_at + k);
      (unpack ? user : packed[k]) = unpack ? packed[k] : user;
    }
    if (packed == nullptr) iovecs[i].iov_base = place(*c, c->host_at);
    iovecs[i].iov_len = bytes;
    c->host_at += static_cast<std::uint32_t>(bytes);
    c->converted += bytes;
    *moved += bytes;
  }
  *iovec_count = i;
  if (c->converted < c->local_size) return 0;
  c->flags |= completed;
  return 1;
}

int host_set_position(void* convertor, std::size_t* position) {
  ++positions_set;
  auto& c = *static_cast<Convertor*>(convertor);
  if ((*position == 0 || *position < c.converted) && !faults.does_not_rewind) c.host_at = 0, c.converted = 0;
  c.host_at += static_cast<std::uint32_t>(*position - c.converted);
  c.converted = *position;
  return 0;
}

std::int32_t host_raw(void* convertor, void* places, std::uint32_t* place_count, std::size_t* length) {
  auto& c = *static_cast<Convertor*>(convertor);
  auto* const iovecs = static_cast<iovec*>(places);
  std::uint32_t i = 0;
  for (*length = 0; i < *place_count && c.converted < c.local_size; ++i) {
    const std::size_t bytes = shape.length - c.host_at % shape.length;
    iovecs[i] = {place(c, c.host_at) + (faults.tells_other_places ? 1 : 0), bytes};
    c.host_at += static_cast<std::uint32_t>(bytes);
    c.converted += bytes;
    *length += bytes;
  }
  *place_count = i;
  return c.converted == c.local_size;
}

template <bool unpack>
int host_prepare(void* convertor, const void* type, std::size_t count, const void* user) {
  auto& c = *static_cast<Convertor*>(convertor);
  c = {};
  c.flags = homogeneous | (unpack ? for_receive : for_send) | (faults.has_checksums ? 0x200000U : 0U);
  c.local_size = c.remote_size = count * shape.size();
  c.type = type;
  c.count = count;
  c.user = static_cast<std::byte*>(const_cast<void*>(user));
  c.advance = advance<unpack>;
  return 0;
}

char of_type[64];  // Open MPI's handles are addresses
const auto committed = reinterpret_cast<MPI_Datatype>(of_type);

template <bool unpack>
int pack_or_unpack(void* user, int count, MPI_Datatype type, void* packed, int room, int* position) {
  Convertor c;
  convertors::prepare_to_try<unpack>(host_prepare<unpack>, &c, type, static_cast<std::size_t>(count), user);
  iovec iovecs{static_cast<std::byte*>(packed) + *position, static_cast<std::size_t>(room - *position)};
  std::uint32_t iovec_count = 1;
  std::size_t moved = 0;
  if (c.advance(&c, &iovecs, &iovec_count, &moved) != 1) return MPI_ERR_OTHER;
  *position += static_cast<int>(moved);
  return MPI_SUCCESS;
}
int host_pack(const void* user, int count, MPI_Datatype type, void* packed, int room, int* position, MPI_Comm) {
  return pack_or_unpack<false>(const_cast<void*>(user), count, type, packed, room, position);
}
int host_unpack(const void* packed, int room, int* position, void* user, int count, MPI_Datatype type, MPI_Comm) {
  return pack_or_unpack<true>(user, count, type, const_cast<void*>(packed), room, position);
}
int type_vector(int, int, int, MPI_Datatype, MPI_Datatype* made) {
  *made = committed;
  return MPI_SUCCESS;
}
int type_commit(MPI_Datatype*) { return MPI_SUCCESS; }
int type_free(MPI_Datatype*) { return MPI_SUCCESS; }

void* host_symbol(const char* symbol) {
  if (faults.has_no_convertors) return nullptr;
  if (symbol == std::string("opal_convertor_raw")) return reinterpret_cast<void*>(host_raw);
  BOOST_REQUIRE(symbol == std::string("opal_convertor_set_position_nocheck"));
  return reinterpret_cast<void*>(host_set_position);
}
const char* try_out() {
  set_symbol_finder({nullptr, nullptr, host_symbol, nullptr});
  return convertors::try_out();
}

// ---- The book of types has this one, if any.

Datatype entry;
bool is_read = false, reads_in_messages = false;

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

// ---- A message of `count` instances.

constexpr std::size_t count = 100;

struct Message {
  Bytes user = Bytes(count * shape.extent()), packed = Bytes(count * shape.size());
  Convertor c;

  Message() {
    for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<std::byte>(5 * i + i / 256);
  }
  template <bool unpack>
  void prepare() {
    host_prepare<unpack>(&c, of_type, count, user.data());
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
    adopt_settings("MARSHAL_MESSAGES = auto\n");
    detail::is_open_mpi = true;
    messages::begin_to_choose();
    BOOST_REQUIRE(try_out() == nullptr);
    messages_are_seen = true;
    moved_by_host = positions_set = 0;
  }
  ~On() {
    messages_are_seen = false;
    take_off_book();
    reads_in_messages = false;
  }
};

}  // namespace

// In the place of pmpi.cc, predefined.cc, type_reader.cc and type_book.cc.
namespace marshal {

const Pmpi& pmpi() {
  static const Pmpi table = [] {
    Pmpi functions;
    functions.Pack = host_pack;
    functions.Unpack = host_unpack;
    functions.Type_vector = type_vector;
    functions.Type_commit = type_commit;
    functions.Type_free = type_free;
    return functions;
  }();
  return table;
}
const Predefined& predefined() {
  static const Predefined none{};
  return none;
}
Type read_type(MPI_Datatype) { return tree(); }
bool is_named(MPI_Datatype) { return false; }

namespace books {
const Datatype* find_type_on_book(std::uint64_t key) noexcept {
  return is_read && key == key_of(committed) ? &entry : nullptr;
}
bool note_travel(std::uint64_t, std::int64_t) { return reads_in_messages; }
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
  const std::string others = "its convertors are not as Marshal knows them";
  faults = {.has_checksums = true};
  BOOST_TEST(try_out() == others);
  faults = {.does_not_rewind = true};
  BOOST_TEST(try_out() == others);
  faults = {.tells_other_places = true};
  BOOST_TEST(try_out() == others);
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
  host_prepare<true>(&as_prepared, of_type, count, message.user.data());
  message.c.advance = as_prepared.advance;
  BOOST_TEST(std::memcmp(&message.c, &as_prepared, sizeof as_prepared) == 0);
}

BOOST_AUTO_TEST_CASE(a_type_that_is_worth_it_is_read_in_its_message) {
  const On on;
  reads_in_messages = true;
  Message message;
  message.prepare<false>();
  BOOST_TEST((message.c.advance != advance<false>));
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
    BOOST_TEST(convertors::set_position(host_set_position, &message.c, &at) == 0);
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
  convertors::set_position(host_set_position, &message.c, &position);
  messages_are_seen = false;
  convertors::set_position(host_set_position, &message.c, &position);
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
  convertors::set_position(host_set_position, &message.c, &position);
  BOOST_TEST((message.c.advance == engine));  // no start
  message.c.converted = message.c.local_size;
  position = 0;
  convertors::set_position(host_set_position, &message.c, &position);
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
  convertors::raw(host_raw, &message.c, places, &place_count, &bytes);
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

// This host moves byte by byte.
BOOST_AUTO_TEST_CASE(a_trial_times_messages_of_both_sides) {
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
  BOOST_TEST((entry.layout->sent.trial.side(bytes) == HostTrial::Side::engine));
  BOOST_TEST((entry.layout->received.trial.side(bytes) == HostTrial::Side::engine));
}

// A host has two functions for each direction. Those of a host that has more stay its own.
BOOST_AUTO_TEST_CASE(more_functions_of_the_host_than_there_are_stand_ins_stay) {
  const On on;
  put_on_book();
  const auto taken = [](Advance original) {
    Message message;
    host_prepare<false>(&message.c, of_type, count, message.user.data());
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

BOOST_AUTO_TEST_SUITE_END()
