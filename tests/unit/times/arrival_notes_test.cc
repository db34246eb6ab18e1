#include "times/arrival_notes.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <set>

using namespace marshal;

namespace {

// As many calls of a communicator as `last`, in a loop of four, after each of which a call follows that does not end
// together.
void call(watch::Row& row, std::uint64_t last) {
  for (std::uint64_t number = row.calls.load() + 1; number <= last; ++number) {
    row.calls.store(number);
    if (is_drawn(row, 2 * number)) note_arrival(row, 2 * number, {.before = number});
    if (is_drawn(row, 2 * number + 1)) pass_over(row, 2 * number + 1);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_a_communicator_at_most_63_calls_are_noted_from_all_of_the_run_and_all_places_of_a_loop) {
  const auto chunk = std::make_unique<watch::Chunk>();
  watch::own_chunk.store(chunk.get());
  watch::Row& row = chunk->rows[3];
  row.identity.store(77);
  row.next_drawn.store(2);
  call(row, 100'000);
  // A new communicator has the row.
  row.identity.store(78), row.calls.store(0), row.next_drawn.store(2);
  call(row, 10);
  const auto [notes, most] = arrival_notes();
  BOOST_TEST(most == UINT64_MAX);
  BOOST_TEST(std::ranges::count(notes, 0U, &ArrivalNote::halvings) == 10);
  BOOST_TEST(notes.size() >= 10u + 12);
  BOOST_TEST(notes.size() <= 10u + 63);
  std::set<std::uint64_t> quarters, of_loop;
  for (const ArrivalNote& note : notes)
    if (note.halvings != 0) {
      quarters.insert(note.before / 25'000);
      of_loop.insert(note.before % 4);
    }
  BOOST_TEST(quarters.size() == 4u);
  BOOST_TEST(of_loop.size() == 4u);
  watch::own_chunk.store(nullptr);
}

BOOST_AUTO_TEST_CASE(where_nothing_ends_together_few_calls_are_drawn) {
  const auto chunk = std::make_unique<watch::Chunk>();
  watch::own_chunk.store(chunk.get());
  watch::Row& row = chunk->rows[4];
  row.identity.store(99), row.next_drawn.store(1);
  int drawn = 0;
  for (std::uint64_t number = 1; number <= 1'000'000; ++number)
    if (is_drawn(row, number)) ++drawn, pass_over(row, number);
  BOOST_TEST(drawn < 10'000);
  BOOST_TEST(drawn > 1024);
  watch::own_chunk.store(nullptr);
}

BOOST_AUTO_TEST_CASE(of_many_communicators_those_calls_stay_whose_hash_is_least) {
  const auto chunk = std::make_unique<watch::Chunk>();
  watch::own_chunk.store(chunk.get());
  watch::Row& row = chunk->rows[5];
  for (std::uint64_t identity = 1000; identity < 7000; ++identity) {
    row.identity.store(identity << 40), row.calls.store(0), row.next_drawn.store(2);
    call(row, 2);
  }
  const auto [notes, most] = arrival_notes();
  BOOST_TEST(notes.size() == 4096u);
  BOOST_TEST(std::ranges::all_of(notes, [greatest = most](const ArrivalNote& note) { return note.call <= greatest; }));
  watch::own_chunk.store(nullptr);
}
