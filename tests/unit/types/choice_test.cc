// Who packs: engine, host or the faster one of a trial, on each way.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "datatype/flatten.h"
#include "host/host_family.h"
#include "settings/settings_in_force.h"
#include "types/layouts.h"
#include "types/site_history.h"

using namespace marshal;
using namespace marshal::datatype;

namespace {

enum class Host { open_mpi, mpich };

void begin(const char* setting, Host host) {
  static auto& all = *new std::vector<const Settings*>;  // older ones stay, and the leak sanitizer finds them here
  all.push_back(&settings());
  adopt_settings(std::string("MARSHAL_MESSAGES = ") + setting + "\n");
  detail::is_open_mpi = host == Host::open_mpi;
  begin_to_choose();
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
  const HostTrial::Turn turn = layout.turn(layout.pipeline(), false, bytes);  // a trial begins with timed ones
  return turn.timed ? Side::trial : turn.by_host ? Side::host : Side::engine;
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
    return side(layout, 2 * kib) == Side::host;
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
  for (const bool host_is_faster : {false, true}) {
    const SharedLayout layout = layout_of(blocks_of(512), Fragments::staged);
    constexpr std::int64_t bytes = 20 * kib;
    for (int i = 0; i < 64; ++i) {
      const HostTrial::Turn turn = layout.turn(Way::staged, true, bytes);
      const std::int64_t ns = turn.by_host == host_is_faster ? 1000 : 2000;
      if (turn.timed) layout.took(Way::staged, true, bytes, turn.by_host, ns);
    }
    const HostTrial::Turn after = layout.turn(Way::staged, true, bytes);
    BOOST_TEST(!after.timed);
    BOOST_TEST(after.by_host == host_is_faster);
  }
}

BOOST_AUTO_TEST_CASE(the_engine_moves_all_if_the_user_says_so) {
  for (const Host host : {Host::open_mpi, Host::mpich}) {
    begin("on", host);
    for (const std::int64_t block : {8, 64, 512, 10000}) {
      const SharedLayout layout = layout_of(blocks_of(block), Fragments::staged);
      BOOST_TEST((side(layout, 1 << 20) == Side::engine));
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_in_short_messages_by_calls_are_the_hosts) {
  begin("auto", Host::mpich);
  const auto at_call = [](std::int64_t block, std::int64_t bytes) {
    return layout_of(blocks_of(block)).before_trial(Way::calls, false, bytes);
  };
  BOOST_TEST((at_call(8, 255) == SharedLayout::Side::host));
  BOOST_TEST((at_call(8, 256) == SharedLayout::Side::undecided));
  BOOST_TEST((at_call(176, 4 * kib) == SharedLayout::Side::host));
  BOOST_TEST((at_call(4 * kib, 4 * kib) == SharedLayout::Side::host));
  BOOST_TEST((at_call(176, 5 * kib) == SharedLayout::Side::undecided));
  begin("calls", Host::mpich);
  BOOST_TEST((at_call(176, 4 * kib) == SharedLayout::Side::engine));
  BOOST_TEST((at_call(8, 255) == SharedLayout::Side::engine));
}

BOOST_AUTO_TEST_CASE(files_are_the_engines_up_to_a_block_of_their_way) {
  begin("auto", Host::open_mpi);
  const auto is_packed = [](Way way, bool reads, std::int64_t block, std::int64_t bytes) {
    return layout_of(blocks_of(block)).side(way, reads, bytes) == SharedLayout::Side::engine;
  };
  BOOST_TEST(!is_packed(Way::ompio_alone, false, 8, kib - 1));
  BOOST_TEST(is_packed(Way::ompio_alone, false, kib, kib));
  BOOST_TEST(!is_packed(Way::ompio_alone, false, kib + 1, 8 * kib));
  BOOST_TEST((is_packed(Way::ompio_together, false, 256, kib) && !is_packed(Way::ompio_together, true, 256, kib)));
  BOOST_TEST((is_packed(Way::romio_together, true, 16, kib) && !is_packed(Way::romio_together, false, 16, kib)));
}

BOOST_AUTO_TEST_CASE(packs_are_tried_from_256_bytes_on) {
  const SharedLayout layout = layout_of(blocks_of(8)), block = layout_of(Contiguous{40, basic(8)});
  BOOST_TEST((layout.before_trial(Way::packs, false, 255) == SharedLayout::Side::engine));
  BOOST_TEST((layout.before_trial(Way::packs, false, 256) == SharedLayout::Side::undecided));
  BOOST_TEST((block.before_trial(Way::packs, true, kib) == SharedLayout::Side::engine));
}

BOOST_AUTO_TEST_SUITE_END()
