// Simulates the lives of types that one place of a program commits, packs so many times and frees, and adds up what the
// program pays: at most 1.1 of what the host alone takes, and at most 50 us more for the first fifty types.
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <cstdlib>

#include "types/unread_types.h"

namespace marshal {
namespace {

// A type and its library. All times in ns.
struct Costs {
  std::int64_t bytes = 512;
  double host = 150, engine = 20;  // a pack
  double first_program = 500;      // 0: such a type can have none
  double reading = 4500;
  double cold = 5;  // the first times of a place take so many times as long
};

class Place {
 public:
  explicit Place(const Costs& costs) : costs_(costs) {}

  // ns of a type that is packed so many times.
  double life(int packs) {
    UnreadType type;
    type.begin(1, site_, false, true);
    const std::int64_t numbers_of_reading = static_cast<std::int64_t>(costs_.reading);
    const auto reading = [&] { return static_cast<float>(numbers_of_reading); };
    double ns = 0;
    for (int pack = 0; pack < packs; ++pack) {
      if (type.may_pass_on()) {
        type.packed += costs_.bytes;
        ns += costs_.host;
      } else if (type.goes_to_engine(reading) &&
                 (!type.is_for_engine || costs_.first_program > 0 || type.is_to_be_read_at_once())) {
        return ns + by_engine(type, packs - pack);
      } else {
        const bool timed = type.is_to_be_timed();
        ns += costs_.host + (timed ? clock : 0);
        type.host_packed(costs_.bytes, timed ? static_cast<std::int64_t>(costs_.host) : 0, true, reading);
      }
    }
    type.ended(false);
    return ns;
  }
  int handed_over() const { return handed_over_; }
  SiteHistory& history() const { return site_histories[site_]; }
  void engine_seemed_slow() {
    for (int i = 0; i < 20; ++i) history().engine_took(costs_.bytes, 100'000);
  }

 private:
  static constexpr double clock = 40;

  double by_engine(const UnreadType& type, int packs) {
    ++handed_over_;
    SiteHistory& history = type.history();
    const bool by_first = costs_.first_program > 0 && type.is_for_engine;
    const double cold = handed_over_ <= 2 ? costs_.cold : 1;
    const double cost = cold * (by_first ? costs_.first_program : costs_.reading);
    if (!by_first) history.reading_took(static_cast<std::int64_t>(cost));
    if (type.is_for_engine) history.handing_over_took(static_cast<std::int64_t>(cost));
    const bool is_timed = !by_first || type.is_watched;
    if (packs > 1 && is_timed) history.engine_took(costs_.bytes, static_cast<std::int64_t>(costs_.engine));
    history.ended_after_packs(type.packed + packs * costs_.bytes);
    return cost + packs * costs_.engine;
  }

  static inline std::uint8_t sites_ = 0;
  const std::uint8_t site_ = ++sites_;
  const Costs costs_;
  int handed_over_ = 0;
};

constexpr int all_packs[] = {1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000};
constexpr int first_types = 50, later_types = 2000;

void check(const Costs& costs, double most, double most_from_30) {
  for (const int packs : all_packs) {
    Place place(costs);
    double first = 0, later = 0;
    for (int i = 0; i < first_types; ++i) first += place.life(packs);
    for (int i = 0; i < later_types; ++i) later += place.life(packs);
    const double by_host = packs * costs.host;
    BOOST_TEST_CONTEXT(packs << " packs") {
      BOOST_TEST(first - first_types * by_host <= 50'000);
      BOOST_TEST(later / (later_types * by_host) <= (packs < 30 ? most : most_from_30));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(lives_of_types)

BOOST_AUTO_TEST_CASE(an_engine_that_is_faster_pays_from_thirty_packs_on) { check({}, 1.1, 1.0); }

BOOST_AUTO_TEST_CASE(types_that_must_be_read_cost_a_tenth_at_most) {
  check({.first_program = 0, .reading = 4500}, 1.1, 1.1);
}

BOOST_AUTO_TEST_CASE(long_lists_cost_a_tenth_at_most) {
  check({.bytes = 16000, .host = 4000, .engine = 1500, .first_program = 4000, .reading = 60000, .cold = 1.5}, 1.1, 1.0);
}

BOOST_AUTO_TEST_CASE(an_engine_as_slow_as_the_host_costs_little) { check({.host = 150, .engine = 148}, 1.1, 1.1); }

BOOST_AUTO_TEST_CASE(types_that_live_briefly_stay_with_the_host) {
  Place place({});
  for (int i = 0; i < 1000; ++i) place.life(2);
  BOOST_TEST(place.handed_over() <= 1);
}

// The others cost a few additions.
BOOST_AUTO_TEST_CASE(where_nothing_is_gained_one_type_in_sixteen_is_looked_at) {
  Place place({});
  for (int i = 0; i < 50; ++i) place.life(1);
  int looked_at = 0;
  for (int i = 0; i < 160; ++i) {
    if (place.history().grant_of_next() != 0) continue;
    ++looked_at;
    place.life(1);
  }
  BOOST_TEST(looked_at == 10);
}

BOOST_AUTO_TEST_CASE(a_long_life_where_nothing_was_gained_is_read_after_ten_times_as_long_as_reading_takes) {
  Place place({.first_program = 0});
  for (int i = 0; i < 100; ++i) place.life(1);
  for (int i = 0; i < 3; ++i) {
    const double ns = place.life(10'000);
    BOOST_TEST(ns <= 15 * 4500 + 10'000 * 20);
  }
  BOOST_TEST(place.handed_over() == 3);
}

BOOST_AUTO_TEST_CASE(types_that_live_longer_than_before_are_soon_handed_over_at_once) {
  Place place({});
  for (int i = 0; i < 1000; ++i) place.life(1);
  const int before = place.handed_over();
  for (int i = 0; i < 100; ++i) place.life(60);
  BOOST_TEST(place.handed_over() - before >= 85);
}

// The long lives gain most of what the short ones cost.
BOOST_AUTO_TEST_CASE(short_and_long_lives_by_turns_cost_a_fiftieth_at_most) {
  for (const int turns : {2, 5, 50}) {
    Place place({});
    double ns = 0, by_host = 0;
    for (int i = 0; i < 2000; ++i) {
      const int packs = i % turns == 0 ? 200 : 1;
      ns += place.life(packs);
      by_host += packs * 150;
    }
    BOOST_TEST_CONTEXT("one of " << turns) { BOOST_TEST(ns <= 1.02 * by_host); }
  }
}

// Where the engine gains nothing, it costs no more than one reading to find that out.
BOOST_AUTO_TEST_CASE(long_lists_are_read_once_to_find_out) {
  const Costs costs{.bytes = 16000, .host = 1500, .engine = 1500, .reading = 60000, .cold = 1.5};
  Place place(costs);
  double ns = 0;
  for (int i = 0; i < 50; ++i) ns += place.life(1000);
  BOOST_TEST(ns <= 50 * 1000 * 1500 + 1.5 * 60000 + 50'000);
}

BOOST_AUTO_TEST_CASE(a_slow_pack_now_and_then_says_little) {
  SiteHistory place;
  place.host_took(512, 160);
  place.host_took(512, 100'000);
  SiteHistory other;
  other.host_took(512, 250);
  BOOST_TEST(place.bytes_until_read() > other.bytes_until_read());
}

// As of a list whose first pack by the engine was interrupted.
BOOST_AUTO_TEST_CASE(an_engine_that_seemed_slow_once_is_tried_again) {
  Place place({});
  for (int i = 0; i < 20; ++i) place.life(60);
  place.engine_seemed_slow();
  for (int i = 0; i < 3000; ++i) place.life(60);
  const int before = place.handed_over();
  for (int i = 0; i < 100; ++i) place.life(60);
  BOOST_TEST(place.handed_over() - before >= 85);
}

BOOST_AUTO_TEST_CASE(one_type_without_data_says_little_of_the_others) {
  Place place({});
  for (int i = 0; i < 20; ++i) place.life(60);
  place.history().engine_cannot();
  const int before = place.handed_over();
  for (int i = 0; i < 100; ++i) place.life(60);
  BOOST_TEST(place.handed_over() - before >= 85);
}

// A program may have a trap for underflow.
BOOST_AUTO_TEST_CASE(means_of_nothing_end_at_nothing) {
  std::feclearexcept(FE_ALL_EXCEPT);
  SiteHistory place;
  place.host_took(512, 160);
  place.ended_after_packs(100'000);
  for (int i = 0; i < 2000; ++i) {
    place.ended_after_packs(0);
    place.ended_after_messages(0, 4000);
    place.learn_ns_of_a_kib(0);
  }
  BOOST_TEST(std::fetestexcept(FE_UNDERFLOW | FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) == 0);
}

BOOST_AUTO_TEST_CASE(types_that_cannot_be_read_are_seldom_tried_again) {
  SiteHistory place;
  place.host_took(512, 160);
  place.engine_cannot();
  int tried = 0;
  for (int i = 0; i < 2000; ++i) {
    if (place.start_of_next().with_engine)
      ++tried, place.engine_cannot();
    else
      place.ended_after_packs(512 * 100);
  }
  BOOST_TEST(tried <= 8);
}

BOOST_AUTO_TEST_CASE(packs_pass_until_what_was_granted_is_used_up) {
  UnreadType& type = books::unread_place_of(17);
  type.begin(17, 250, false, true);  // a place whose first types are watched: one pack
  BOOST_TEST(books::find_unread(17) == &type);
  BOOST_TEST(type.may_pass_on());
  type.packed += 60;
  BOOST_TEST(!type.may_pass_on());
  BOOST_TEST(type.is_to_be_timed());
  type.forget();
  BOOST_TEST(books::find_unread(17) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_new_type_has_nothing_of_the_one_before) {
  UnreadType type;
  type.begin(17, 251, false, true);
  type.packed += 60;
  type.saved_ns += 8;
  type.is_left_in_messages = true;
  BOOST_TEST(!type.is_unused());
  type.begin(17, 251, false, true);
  BOOST_TEST(type.is_unused());
  BOOST_TEST((type.packed == 0));
  BOOST_TEST(!type.is_left_in_messages);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal
