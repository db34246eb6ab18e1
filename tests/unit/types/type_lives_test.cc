#include "types/type_lives.h"

#include <boost/test/unit_test.hpp>
#include <initializer_list>

namespace marshal {
namespace {

constexpr std::int64_t reading = 4000, bytes = 512;

// A type that the engine packed in so many ns each is freed.
void engine_took(TypeLives& lives, std::initializer_list<std::int64_t> all_ns) {
  FastestPack packs;
  for (const std::int64_t ns : all_ns) packs.took(bytes, ns);
  lives.engine_took(packs);
}

// A type whose packs take the host so many ns in all; whether it was read at once.
bool lives_for(TypeLives& lives, std::int64_t host_ns) {
  if (lives.is_worth_reading_at_once()) {
    lives.reading_took(reading);
    engine_took(lives, {900, 40, 45, 40});
    lives.lived_read(static_cast<std::int64_t>(static_cast<float>(host_ns) / lives.host_rate()));
    return true;
  }
  if (lives.is_to_be_timed()) lives.host_took(bytes, 160);
  lives.lived(host_ns, reading);
  return false;
}

int read_at_once(TypeLives& lives, int types, std::int64_t host_ns) {
  int read = 0;
  for (int i = 0; i < types; ++i) read += lives_for(lives, host_ns) ? 1 : 0;
  return read;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(type_lives)

BOOST_AUTO_TEST_CASE(types_that_are_freed_early_are_left_to_the_host) {
  TypeLives lives;
  BOOST_TEST(read_at_once(lives, 1000, reading) == 0);
}

BOOST_AUTO_TEST_CASE(types_whose_reading_would_pay_are_soon_read_at_once) {
  TypeLives lives;
  // Every second one, to time reading and the engine four times; then, after four more, all of the next 64.
  BOOST_TEST(read_at_once(lives, 8, 2 * reading) == 4);
  BOOST_TEST(read_at_once(lives, 4, 2 * reading) == 0);
  BOOST_TEST(read_at_once(lives, 64, 2 * reading) == 64);
}

BOOST_AUTO_TEST_CASE(reading_must_pay_by_what_the_engine_saves) {
  TypeLives lives;
  read_at_once(lives, 8, 2 * reading);  // the engine needs a quarter of the host's time
  lives.got_no_first_program();
  BOOST_TEST(read_at_once(lives, 40, 6400) == 0);  // of which it would save 4800, less than reading takes and a margin
}

BOOST_AUTO_TEST_CASE(it_is_known_when_to_read_once_some_were_read) {
  TypeLives lives;
  BOOST_TEST(lives.read_at() == 0);
  read_at_once(lives, 8, 2 * reading);
  lives.got_no_first_program();
  BOOST_TEST(lives.read_at() == TypeLives::patient * reading);
}

BOOST_AUTO_TEST_CASE(trust_ends_with_the_first_that_is_freed_early) {
  TypeLives lives;
  read_at_once(lives, 30, 10 * reading);
  BOOST_TEST(lives_for(lives, 100));
  BOOST_TEST(read_at_once(lives, 1000, 100) == 0);
}

BOOST_AUTO_TEST_CASE(an_engine_as_slow_as_the_host_is_waited_for_longer) {
  TypeLives lives;
  BOOST_TEST(lives.patience() == TypeLives::patient);
  lives.host_took(bytes, 160);
  for (int type = 0; type < 4; ++type) engine_took(lives, {158, 158, 158});
  BOOST_TEST(lives.patience() == TypeLives::very_patient);
  for (int i = 0; i < 20; ++i) lives.lived(20 * reading, reading);
  BOOST_TEST(!lives.is_worth_reading_at_once());
}

// The first pack of a type is not timed, as it finds cold caches.
BOOST_AUTO_TEST_CASE(types_that_are_packed_once_are_seldom_read) {
  TypeLives lives;
  lives.host_took(bytes, 160);
  int read = 0;
  for (int i = 0; i < 6400; ++i) {
    if (lives.is_worth_reading_at_once())
      ++read, lives.reading_took(reading);
    else
      lives.lived(2 * reading, reading);
  }
  BOOST_TEST(read >= 8);
  BOOST_TEST(read <= 8 + 6400 / 64);
}

// As a stride of 4096 bytes, which falls into one set of the first-level cache.
BOOST_AUTO_TEST_CASE(one_slow_layout_says_little_of_the_others) {
  TypeLives lives;
  read_at_once(lives, 8, 2 * reading);
  engine_took(lives, {600, 600, 600, 600, 600, 600, 600, 600, 600});
  BOOST_TEST(read_at_once(lives, 4, 2 * reading) == 0);
  BOOST_TEST(read_at_once(lives, 64, 2 * reading) == 64);
}

BOOST_AUTO_TEST_CASE(types_that_cannot_be_read_are_not_tried_again_soon) {
  TypeLives lives;
  lives.host_took(bytes, 160);
  lives.are_left_to_host();
  int tried = 0;
  for (int i = 0; i < 200; ++i) {
    if (lives.is_worth_reading_at_once()) ++tried, lives.are_left_to_host();
    lives.lived(20 * reading, reading);
  }
  BOOST_TEST(tried >= 1);
  BOOST_TEST(tried <= 4);
}

// Reading takes 4000 ns. The engine needs a quarter of the host's time.
BOOST_AUTO_TEST_CASE(types_of_a_kind_that_is_known_get_first_programs_for_less) {
  TypeLives lives;
  BOOST_TEST(!lives.has_first_programs());
  read_at_once(lives, 8, 2 * reading);
  BOOST_TEST(lives.has_first_programs());
  for (int i = 0; i < 4; ++i) {
    BOOST_TEST(lives.is_first_program_to_be_timed());
    lives.first_program_took(400);
  }
  for (int i = 0; i < 4; ++i) lives.lived(1000, 500);
  BOOST_TEST(lives.is_worth_reading_at_once());
  BOOST_TEST(lives.read_at() == TypeLives::patient * 400);
}

BOOST_AUTO_TEST_CASE(kinds_that_can_have_no_first_programs_are_not_asked_again_soon) {
  TypeLives lives;
  read_at_once(lives, 8, 2 * reading);
  lives.got_no_first_program();
  for (int i = 0; i < 50; ++i) {
    lives.lived(2 * reading, reading);
    BOOST_TEST(!lives.has_first_programs());
  }
}

BOOST_AUTO_TEST_CASE(a_single_timed_pack_says_nothing_of_the_engine) {
  TypeLives lives;
  for (int i = 0; i < 8; ++i) engine_took(lives, {900});
  BOOST_TEST(!lives.knows_engine());
}

BOOST_AUTO_TEST_CASE(a_slow_pack_now_and_then_says_little) {
  TypeLives lives;
  lives.host_took(bytes, 160);
  lives.host_took(bytes, 1600);
  BOOST_TEST(lives.host_rate() < 0.7F);
  lives.host_took(bytes, 150);
  BOOST_TEST(lives.host_rate() < 0.3F);
}

BOOST_AUTO_TEST_CASE(types_of_other_places_and_sizes_live_apart) {
  LivesOfTypes all;
  BOOST_TEST(&all.of(7, 512) == &all.of(7, 600));
  BOOST_TEST(&all.of(7, 512) != &all.of(7, 1200));
  BOOST_TEST(&all.of(7, 512) != &all.of(8, 512));
}

BOOST_AUTO_TEST_CASE(lives_that_pay_for_a_first_program_alone_let_one_be_read) {
  constexpr std::int64_t reading = 8000, first_program = 1800, host_ns = 2600;
  TypeLives lives;
  lives.host_took(512, 260);
  lives.lived(host_ns, lives.guess(reading, first_program));
  BOOST_TEST(lives.is_worth_reading_at_once());
  TypeLives without;
  without.host_took(512, 260);
  without.got_no_first_program();
  without.lived(host_ns, without.guess(reading, first_program));
  BOOST_TEST(!without.is_worth_reading_at_once());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal
