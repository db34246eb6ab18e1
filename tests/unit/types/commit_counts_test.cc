#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "tests/unit/property_seed.h"
#include "types/unread_types.h"

using namespace marshal;

namespace {

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

// As MPI_Type_commit of a type that is not in its place, and MPI_Type_free (type_book.h).
void commit(std::uint64_t key, std::uint8_t site) {
  UnreadType& type = books::unread_place_of(key);
  if (type.is_of(key)) return;
  if (type.is_taken())
    books::begin_apart(type, key, site, false, false);
  else
    type.begin(key, site, false, false);
}
void end(std::uint64_t key) {
  UnreadType& type = books::unread_place_of(key);
  if (!type.is_of(key)) return books::end_apart(key);
  type.forget();
  books::count_end(type, key);
}

}  // namespace

BOOST_AUTO_TEST_CASE(places_of_one_home_have_numbers_of_their_own) {
  std::set<std::uint8_t> numbers;
  for (std::uintptr_t i = 1; i <= 100; ++i) numbers.insert(number_of_place(at(0x1000 * i)));
  BOOST_TEST(numbers.size() == 100);
  BOOST_TEST(numbers.count(0) == 0);
  for (std::uintptr_t i = 1; i <= 100; ++i) BOOST_TEST(numbers.count(number_of_place(at(0x1000 * i))) == 1);
}

BOOST_AUTO_TEST_CASE(types_that_share_a_place_or_are_committed_again_count_once) {
  objects_are_shared = false;
  std::mt19937_64 random(property_seed());
  const std::uint8_t site = number_of_place(at(0x1000)), other = number_of_place(at(0x2000));
  const std::uint64_t before = site_histories[site].types(), other_before = site_histories[other].types();
  std::map<std::uint64_t, std::uint8_t> alive;
  std::map<std::uint8_t, std::uint64_t> made;
  for (int round = 0; round < 200000; ++round) {
    const std::uint64_t key = random() % 12000;  // the table has 4096 places
    if (random() % 3 == 0) {
      end(key);
      alive.erase(key);
      continue;
    }
    const std::uint8_t by = random() % 4 == 0 ? other : site;
    commit(key, by);
    if (alive.try_emplace(key, by).second) ++made[by];
  }
  const auto alive_at = [&](std::uint8_t by) {
    return std::ranges::count(alive, by, [](const auto& t) { return t.second; });
  };
  BOOST_TEST(site_histories[site].types() - before == made[site]);
  BOOST_TEST(site_histories[other].types() - other_before == made[other]);
  BOOST_TEST(site_histories[site].alive() == static_cast<std::uint64_t>(alive_at(site)));
  BOOST_TEST(site_histories[other].alive() == static_cast<std::uint64_t>(alive_at(other)));
  BOOST_TEST(site_histories[site].most_alive() >= site_histories[site].alive());
  for (const auto& [key, by] : alive) end(key);
  BOOST_TEST(site_histories[site].alive() == 0);
}
