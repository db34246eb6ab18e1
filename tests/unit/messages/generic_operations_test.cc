// The functions that UCX calls for messages, with a fake of MPICH's own behind them.
#include "messages/mpich/generic_operations.h"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <set>
#include <vector>

#include "datatype/flatten.h"
#include "messages/message_fragments.h"
#include "messages/mpich/cut_receives.h"
#include "types/type_book.h"

using namespace marshal;
using namespace marshal::datatype;
using namespace marshal::generic_types;

namespace {

using Bytes = std::vector<std::byte>;

constexpr UcsStatus truncated = -9;
constexpr std::int64_t element = 8;

// Every second one of eight doubles.
const Type every_second = Vector{4, 1, 2, basic(element)};

std::shared_ptr<const SharedLayout> new_layout() {
  return std::make_shared<SharedLayout>(flattened(every_second), every_second.extent(), 0, CompileOptions{});
}
const std::shared_ptr<const SharedLayout> layout = new_layout();

// MPICH's record of a type, which begins with the number in the handle.
struct HostContext {
  std::uint32_t number;
};

// MPICH's state of a message.
struct HostState {
  const void* context;
  std::byte* user;
  std::int64_t count;
  std::int64_t size() const { return count * layout->plan.size(); }
};
std::set<HostState*> under_way;
int packs = 0, unpacks = 0;  // fragments that MPICH's own functions moved

HostState& of(void* state) {
  auto* const known = static_cast<HostState*>(state);
  BOOST_REQUIRE(under_way.contains(known));
  return *known;
}

void* host_start_unpack(void* context, void* user, std::size_t count) {
  auto* const made = new HostState{context, static_cast<std::byte*>(user), static_cast<std::int64_t>(count)};
  under_way.insert(made);
  return made;
}
void* host_start_pack(void* context, const void* user, std::size_t count) {
  return host_start_unpack(context, const_cast<void*>(user), count);
}
std::size_t host_packed_size(void* state) {
  return static_cast<std::size_t>(of(state).count) * static_cast<std::size_t>(layout->plan.size());
}
std::size_t host_pack(void* state, std::size_t offset, void* packed, std::size_t room) {
  ++packs;
  const PackedRange range = range_within(offset, room, of(state).size());
  layout->plan.pack_range(of(state).count, of(state).user, static_cast<std::byte*>(packed), range);
  return static_cast<std::size_t>(range.to - range.from);
}
// It unpacks whole elements and refuses the rest.
UcsStatus host_unpack(void* state, std::size_t offset, const void* packed, std::size_t bytes) {
  ++unpacks;
  if (offset % element != 0) return truncated;
  const PackedRange range = range_within(offset, bytes - bytes % element, of(state).size());
  layout->plan.unpack_range(of(state).count, of(state).user, static_cast<const std::byte*>(packed), range);
  return bytes % element == 0 ? UcsStatus{0} : truncated;
}
void host_finish(void* state) {
  under_way.erase(&of(state));
  delete static_cast<HostState*>(state);
}

bool must_be_read = false;    // so the book of types says in the next message
std::uint64_t asked_for = 0;  // the key of the type in it
bool is_taken_over = true;    // by take_over()
bool moves_fragments = true;  // of types that are bound from now on

BoundTypes types;

Bound& bind(std::uint64_t datatype) {
  ucx::GenericRecord& record = ucx::record_of_generic(datatype);
  Bound& made = types.enter(datatype, record.context);
  made.layout = layout;
  made.element = element;
  made.by_fragments = moves_fragments;
  made.life = std::make_shared<MessageLife>(site_histories[0], 256, 0);
  record = {&made, engine_operations};
  return made;
}
void bind_if_taken_over(std::uint64_t, std::uint64_t datatype) noexcept {
  if (is_taken_over) bind(datatype);
}

constexpr std::int64_t count = 100;

// A type that MPICH committed, watched as long as it is not bound. Its functions are called by the record, as UCX does.
struct Committed {
  HostContext context{7};
  alignas(8) ucx::GenericRecord record{&context, counting_operations};
  const std::uint64_t datatype =
      static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&record)) | ucx::generic_class;

  Committed() {
    mpich_operations = {host_start_pack, host_start_unpack, host_packed_size, host_pack, host_unpack, host_finish};
    take_over = bind_if_taken_over;
    key_bits = 0x4c00000000;
    newest_datatypes.note(context.number, datatype);
    must_be_read = false, is_taken_over = moves_fragments = true;
    packs = unpacks = 0;
    receive_ends::go_on();
  }
  ~Committed() {
    newest_datatypes.forget(context.number, datatype);
    types.end(&context);
    BOOST_TEST(under_way.empty());
  }
  void* start_pack(const Bytes& user) {
    return record.operations.start_pack(record.context, user.data(), static_cast<std::size_t>(count));
  }
  void* start_unpack(Bytes& user) {
    return record.operations.start_unpack(record.context, user.data(), static_cast<std::size_t>(count));
  }
};

Bytes memory() { return Bytes(static_cast<std::size_t>(count * every_second.extent())); }
Bytes numbered() {
  Bytes all = memory();
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(7 * i + i / 256);
  return all;
}
Bytes packed_of(const Bytes& user) {
  Bytes all(static_cast<std::size_t>(count * layout->plan.size()));
  layout->plan.pack(count, user.data(), all.data());
  return all;
}
Bytes unpacked_of(const Bytes& packed, std::int64_t bytes) {
  Bytes all = memory();
  layout->plan.unpack_range(count, all.data(), packed.data(), {0, bytes});
  return all;
}

// From packed byte `at` on.
void pack_rest(void* state, Bytes& packed, std::size_t at) {
  while (at < packed.size()) {
    const std::size_t more =
        engine_operations.pack(state, at, packed.data() + at, std::min<std::size_t>(500, packed.size() - at));
    BOOST_REQUIRE(more != 0U);
    at += more;
  }
}

void unpack_range(void* state, const Bytes& packed, std::size_t from, std::size_t to) {
  BOOST_TEST(engine_operations.unpack(state, from, packed.data() + from, to - from) == 0);
}

std::size_t refused() { return receive_ends::detail::refused; }

}  // namespace

// The book of types, as far as messages ask it.
namespace marshal::books {
bool note_travel(std::uint64_t key, std::int64_t) {
  asked_for = key;
  return must_be_read;
}
}  // namespace marshal::books

BOOST_AUTO_TEST_SUITE(generic_operations)

BOOST_AUTO_TEST_CASE(a_type_is_watched_or_bound_or_neither) {
  Committed type;
  BOOST_TEST((is_watched(&type.record) && bound(&type.record) == nullptr));
  BOOST_TEST(are_unpacked_here(type.datatype));
  BOOST_TEST(host_context(type.record) == &type.context);
  const Bound& made = bind(type.datatype);
  BOOST_TEST((!is_watched(&type.record) && bound(&type.record) == &made));
  BOOST_TEST(are_unpacked_here(type.datatype));
  BOOST_TEST(host_context(type.record) == &type.context);
  type.record.operations = mpich_operations;
  BOOST_TEST((!is_watched(&type.record) && bound(&type.record) == nullptr));
  BOOST_TEST(!are_unpacked_here(type.datatype));
  BOOST_TEST(!are_unpacked_here(type.datatype - 1));  // of another class
  BOOST_TEST((!is_watched(nullptr) && bound(nullptr) == nullptr));
}

BOOST_AUTO_TEST_CASE(messages_of_a_watched_type_are_the_hosts) {
  Committed type;
  const Bytes user = numbered();
  Bytes packed(packed_of(user).size()), back = memory();
  void* const sent = type.start_pack(user);
  BOOST_TEST(asked_for == 0x4c00000007U);
  BOOST_TEST(counting_operations.packed_size(sent) == packed.size());
  pack_rest(sent, packed, 0);
  counting_operations.finish(sent);
  BOOST_TEST((packed == packed_of(user)));
  void* const received = type.start_unpack(back);
  unpack_range(received, packed, 0, packed.size());
  counting_operations.finish(received);
  BOOST_TEST((back == unpacked_of(packed, count * layout->plan.size())));
  BOOST_TEST((packs == 7 && unpacks == 1));
}

BOOST_AUTO_TEST_CASE(messages_of_a_bound_type_are_the_engines_and_the_host_ends_its_state) {
  Committed type;
  bind(type.datatype);
  const Bytes user = numbered();
  Bytes packed(packed_of(user).size()), back = memory();
  void* const sent = type.start_pack(user);
  BOOST_TEST(under_way.size() == 1U);
  BOOST_TEST(engine_operations.packed_size(sent) == packed.size());
  pack_rest(sent, packed, 0);
  engine_operations.finish(sent);
  BOOST_TEST(under_way.empty());
  BOOST_TEST((packed == packed_of(user)));
  void* const received = type.start_unpack(back);
  unpack_range(received, packed, 0, 504);
  unpack_range(received, packed, 504, packed.size());
  engine_operations.finish(received);
  BOOST_TEST((back == unpacked_of(packed, count * layout->plan.size())));
  BOOST_TEST((packs == 0 && unpacks == 0 && refused() == 0));
}

// UCX calls the new functions for all messages from the moment that the type is bound.
BOOST_AUTO_TEST_CASE(messages_that_began_before_their_type_was_bound_stay_the_hosts) {
  Committed type;
  const Bytes user = numbered();
  Bytes packed(packed_of(user).size()), back = memory();
  void* const sent = type.start_pack(user);
  void* const received = type.start_unpack(back);
  const std::size_t first = type.record.operations.pack(sent, 0, packed.data(), 400);
  bind(type.datatype);
  BOOST_TEST(engine_operations.packed_size(sent) == packed.size());
  pack_rest(sent, packed, first);
  BOOST_TEST((packed == packed_of(user)));
  unpack_range(received, packed, 0, packed.size());
  BOOST_TEST((back == unpacked_of(packed, count * layout->plan.size())));
  BOOST_TEST((packs == 1 + 6 && unpacks == 1));
  engine_operations.finish(sent);
  engine_operations.finish(received);
}

BOOST_AUTO_TEST_CASE(a_type_that_becomes_worth_reading_is_bound_in_its_message) {
  const Bytes user = numbered();
  for (const bool is_sent : {true, false}) {
    Committed type;
    must_be_read = true;
    Bytes packed = packed_of(user), back = memory();
    void* const state = is_sent ? type.start_pack(user) : type.start_unpack(back);
    BOOST_TEST(bound(&type.record) != nullptr);
    if (is_sent)
      pack_rest(state, packed, 0);
    else
      unpack_range(state, packed, 0, packed.size());
    engine_operations.finish(state);
    BOOST_TEST((packs == 0 && unpacks == 0));
  }
}

BOOST_AUTO_TEST_CASE(a_type_that_cannot_be_taken_over_stays_watched) {
  Committed type, newest;
  must_be_read = true;
  BOOST_TEST(travels(&type.context, 1000) == nullptr);  // the newest type of this number is the other one
  newest.context.number = 8;
  BOOST_TEST(travels(&newest.context, 1000) == nullptr);
  newest.context.number = 7;
  is_taken_over = false;
  BOOST_TEST(travels(&newest.context, 1000) == nullptr);
  BOOST_TEST((is_watched(&type.record) && is_watched(&newest.record)));
  is_taken_over = true;
  const Bound* const now = travels(&newest.context, 1000);
  BOOST_TEST((now != nullptr && now == bound(&newest.record)));
}

BOOST_AUTO_TEST_CASE(fragments_that_the_host_moves_of_a_bound_type_are_counted) {
  Committed type;
  moves_fragments = false;
  bind(type.datatype);
  const std::uint64_t messages = layout->sent.by_host.messages, calls = layout->sent.by_host.calls;
  const Bytes user = numbered();
  Bytes packed(packed_of(user).size());
  void* const sent = type.start_pack(user);
  pack_rest(sent, packed, 0);
  engine_operations.finish(sent);
  BOOST_TEST((packed == packed_of(user)));
  BOOST_TEST(packs == 7);
  BOOST_TEST(layout->sent.by_host.messages == messages + 1);
  BOOST_TEST(layout->sent.by_host.calls == calls + 7);
}

BOOST_AUTO_TEST_CASE(a_state_that_the_host_has_made_already_is_used_once) {
  Committed type;
  const Bytes user = numbered();
  void* const made = mpich_operations.start_pack(&type.context, user.data(), count);
  begun_to_pack = made;
  void* const first = type.start_pack(user);
  BOOST_TEST(under_way.size() == 1U);
  void* const second = type.start_pack(user);
  BOOST_TEST(under_way.size() == 2U);
  counting_operations.finish(first);
  BOOST_TEST(!under_way.contains(static_cast<HostState*>(made)));
  counting_operations.finish(second);
}

BOOST_AUTO_TEST_CASE(a_message_outlives_its_type) {
  Committed type;
  Bound& made = bind(type.datatype);
  made.layout = new_layout();
  const std::weak_ptr<const SharedLayout> only_of_this_type = made.layout;
  const Bytes user = numbered();
  Bytes packed(packed_of(user).size());
  void* const sent = type.start_pack(user);
  types.end(&type.context);
  Committed other;  // of this thread's next message: then the type itself is kept no longer
  BoundTypes::use(&bind(other.datatype));
  types.end(&other.context);
  BOOST_REQUIRE(!only_of_this_type.expired());
  pack_rest(sent, packed, 0);
  engine_operations.finish(sent);
  BOOST_TEST((packed == packed_of(user)));
}

BOOST_AUTO_TEST_CASE(a_fragment_may_end_inside_an_element_but_a_message_must_not) {
  const Bytes packed = packed_of(numbered());
  for (const std::size_t length : {packed.size(), std::size_t{808}, std::size_t{804}}) {
    Committed type;
    bind(type.datatype);
    Bytes back = memory();
    void* const received = type.start_unpack(back);
    unpack_range(received, packed, 0, 101);
    unpack_range(received, packed, 101, 103);
    unpack_range(received, packed, 103, 515);
    unpack_range(received, packed, 515, length);
    engine_operations.finish(received);
    const std::size_t whole = length - length % element;
    BOOST_TEST((back == unpacked_of(packed, static_cast<std::int64_t>(whole))));
    BOOST_TEST(refused() == (length == whole ? 0 : length));
  }
}

BOOST_AUTO_TEST_CASE(cut_receives_of_the_host_are_completed_while_messages_are_on) {
  const Bytes packed = packed_of(numbered());
  for (const bool are_on : {false, true}) {
    Committed type;
    messages_are_seen = are_on;
    Bytes back = memory();
    void* const received = type.start_unpack(back);
    BOOST_TEST(counting_operations.unpack(received, 0, packed.data(), 101) == (are_on ? UcsStatus{0} : truncated));
    if (are_on) {
      unpack_range(received, packed, 101, packed.size());
      BOOST_TEST((back == unpacked_of(packed, count * layout->plan.size())));
    }
    counting_operations.finish(received);
    BOOST_TEST(refused() == 0U);
  }
  Committed type;
  Bytes back = memory();
  void* const received = type.start_unpack(back);
  unpack_range(received, packed, 0, 101);
  counting_operations.finish(received);
  messages_are_seen = false;
  BOOST_TEST(refused() == 101U);
}

// UCX may not have called back for the one before (cut_receives.h).
BOOST_AUTO_TEST_CASE(a_receive_that_goes_on_has_not_been_refused) {
  Committed type;
  const Bytes packed = packed_of(numbered());
  Bytes back = memory();
  void* const received = type.start_unpack(back);
  receive_ends::refuse(100);
  unpack_range(received, packed, 0, packed.size());
  BOOST_TEST(refused() == 0U);
  counting_operations.finish(received);
}

BOOST_AUTO_TEST_CASE(messages_without_bytes_or_with_too_many_are_the_hosts) {
  Committed type;
  bind(type.datatype);
  constexpr std::size_t too_many = (std::size_t{1} << 63) / 32;  // an instance has 32 bytes
  for (const std::size_t instances : {std::size_t{0}, too_many}) {
    void* const sent = type.record.operations.start_pack(type.record.context, nullptr, instances);
    BOOST_TEST(engine_operations.packed_size(sent) == 32 * instances);
    engine_operations.finish(sent);
  }
  BOOST_TEST(bytes_of(8, 3) == 24);
  BOOST_TEST(bytes_of(8, 0) == 0);
  BOOST_TEST(bytes_of(32, too_many) == 0);
  BOOST_TEST(bytes_of(8, ~std::size_t{0}) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
