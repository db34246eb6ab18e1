#include "messages/choice.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "datatype/flatten.h"
#include "host/host_family.h"
#include "settings/settings_in_force.h"

using namespace marshal;
using namespace marshal::datatype;
using messages::Choice;

namespace {

enum class Host { open_mpi, mpich };

void begin(const char* setting, Host host) {
  static auto& all = *new std::vector<const Settings*>;  // older ones stay, and the leak sanitizer finds them here
  all.push_back(&settings());
  adopt_settings(std::string("MARSHAL_MESSAGES = ") + setting + "\n");
  detail::is_open_mpi = host == Host::open_mpi;
  messages::begin_to_choose();
}

enum class Fragments { in_place, staged };

SharedLayout layout_of(const Type& type, Fragments fragments = Fragments::in_place) {
  CompileOptions options;
  options.stages_fragments = fragments == Fragments::staged;
  return {flattened(type), type.extent(), 0, options};
}
Type blocks_of(std::int64_t bytes) { return Vector{40, bytes, 2 * bytes, basic(1)}; }

enum class Side { engine, host, trial };

Side side(const SharedLayout& layout, std::int64_t bytes) {
  MessageAccount account;  // without messages yet: a trial begins with timed ones
  const Choice choice = messages::choose(layout, account, bytes);
  return choice.timed ? Side::trial : choice.by_host ? Side::host : Side::engine;
}

constexpr std::int64_t kib = 1024;

}  // namespace

BOOST_AUTO_TEST_SUITE(choice)

BOOST_AUTO_TEST_CASE(short_blocks_are_the_engines_without_a_trial) {
  begin("auto", Host::open_mpi);
  for (const Fragments fragments : {Fragments::in_place, Fragments::staged}) {
    BOOST_TEST((side(layout_of(blocks_of(64), fragments), 2 * kib) == Side::engine));
    BOOST_TEST((side(layout_of(blocks_of(64), fragments), 63 * kib) == Side::engine));
    BOOST_TEST((side(layout_of(blocks_of(8), fragments), 999 * kib) == Side::engine));
  }
}

BOOST_AUTO_TEST_CASE(long_messages_of_several_numbers_a_block_are_tried) {
  begin("auto", Host::open_mpi);
  for (const Fragments fragments : {Fragments::in_place, Fragments::staged}) {
    BOOST_TEST((side(layout_of(blocks_of(64), fragments), 64 * kib) == Side::trial));
    BOOST_TEST((side(layout_of(blocks_of(32), fragments), 64 * kib) == Side::engine));
  }
}

BOOST_AUTO_TEST_CASE(transposes_are_tried_below_64_kib) {
  begin("auto", Host::open_mpi);
  constexpr std::int64_t n = 50;
  const Type transpose = Contiguous{n, Resized{0, 8, Vector{n, 1, n, basic(8)}}};
  const SharedLayout layout = layout_of(transpose);
  std::vector<std::byte> user(8 * n * n), packed(user.size());
  for (int i = 0; i < 10000 && !layout.plan.is_settled(1); ++i) layout.plan.pack(1, user.data(), packed.data());
  BOOST_REQUIRE((layout.plan.is_settled(1) && layout.plan.program(1).transposes));
  BOOST_TEST((side(layout, layout.plan.size()) == Side::trial));
  BOOST_TEST((side(layout, 2 * kib) == Side::engine));
}

BOOST_AUTO_TEST_CASE(longer_blocks_are_tried_where_fragments_are_staged) {
  begin("auto", Host::open_mpi);
  BOOST_TEST((side(layout_of(blocks_of(65), Fragments::staged), 2 * kib) == Side::trial));
  BOOST_TEST((side(layout_of(blocks_of(512), Fragments::staged), 2 * kib) == Side::trial));
  BOOST_TEST((side(layout_of(blocks_of(512), Fragments::in_place), 2 * kib) == Side::engine));
}

BOOST_AUTO_TEST_CASE(the_longest_blocks_are_the_hosts) {
  const auto is_left = [](const Type& type, Fragments fragments) {
    const SharedLayout layout = layout_of(type, fragments);
    if (!messages::is_left_to_host(layout)) return false;
    // On MPICH nobody asks for each message.
    if (is_open_mpi()) BOOST_TEST((side(layout, 2 * kib) == Side::host));
    return true;
  };
  begin("auto", Host::open_mpi);
  BOOST_TEST(!is_left(blocks_of(512), Fragments::staged));
  BOOST_TEST(is_left(blocks_of(513), Fragments::staged));
  BOOST_TEST(!is_left(blocks_of(4096), Fragments::in_place));
  BOOST_TEST(is_left(blocks_of(4097), Fragments::in_place));
  begin("auto", Host::mpich);
  const auto one_block = [](std::int64_t bytes) { return Type(Resized{0, 2 * bytes, Contiguous{bytes, basic(1)}}); };
  for (const Fragments fragments : {Fragments::in_place, Fragments::staged}) {
    BOOST_TEST(!is_left(blocks_of(4096), fragments));
    BOOST_TEST(is_left(blocks_of(4097), fragments));
    BOOST_TEST(!is_left(one_block(8192), fragments));
    BOOST_TEST(is_left(one_block(8193), fragments));
  }
}

BOOST_AUTO_TEST_CASE(a_trial_gives_the_message_to_the_faster_side) {
  begin("auto", Host::open_mpi);
  const SharedLayout layout = layout_of(blocks_of(512), Fragments::staged);
  for (const bool host_is_faster : {false, true}) {
    MessageAccount account;
    constexpr std::int64_t bytes = 20 * kib;
    for (int i = 0; i < 64; ++i) {
      const Choice choice = messages::choose(layout, account, bytes);
      const std::int64_t ns = choice.by_host == host_is_faster ? 1000 : 2000;
      if (choice.timed) account.trial.took(bytes, choice.by_host, ns, account.messages());
    }
    const Choice after = messages::choose(layout, account, bytes);
    BOOST_TEST(!after.timed);
    BOOST_TEST(after.by_host == host_is_faster);
  }
}

BOOST_AUTO_TEST_CASE(the_engine_moves_all_if_the_user_says_so) {
  for (const Host host : {Host::open_mpi, Host::mpich}) {
    begin("on", host);
    for (const std::int64_t block : {8, 64, 512, 10000}) {
      const SharedLayout layout = layout_of(blocks_of(block), Fragments::staged);
      BOOST_TEST(!messages::is_left_to_host(layout));
      BOOST_TEST((side(layout, 1 << 20) == Side::engine));
    }
  }
}

BOOST_AUTO_TEST_CASE(messages_are_on_while_they_are_seen) {
  BOOST_TEST(!messages::are_on());
  messages_are_seen = true;
  BOOST_TEST(messages::are_on());
  messages_are_seen = false;
}

BOOST_AUTO_TEST_SUITE_END()
