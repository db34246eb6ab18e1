#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "callsites/object_place.h"
#include "tests/unit/property_seed.h"

using namespace marshal;

namespace {

std::uint64_t alive(const ObjectPlace& place) { return place.made - place.ended; }

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

}  // namespace

BOOST_AUTO_TEST_CASE(each_place_has_the_objects_that_it_made_however_many_are_alive) {
  static constinit AliveObjects objects;
  std::mt19937_64 random(property_seed());
  for (const bool shared : {false, true}) {
    objects_are_shared = shared;
    std::map<std::uint64_t, int> places_of;
    std::array<std::uint64_t, 4> made{}, now{}, most{};
    const auto place = [&](int number) -> ObjectPlace& {
      return object_place("MPI_Type_commit", at(0x1000 + static_cast<std::uintptr_t>(number) + (shared ? 64 : 0)));
    };
    for (int round = 0; round < 200000; ++round) {
      const std::uint64_t key = random() % 20000;
      const int number = static_cast<int>(random() % 4);
      if (random() % 3 == 0) {
        objects.leave(key);
        if (const auto found = places_of.find(key); found != places_of.end()) {
          --now[static_cast<std::size_t>(found->second)];
          places_of.erase(found);
        }
      } else {
        objects.enter(key, place(number));
        if (!places_of.try_emplace(key, number).second) continue;  // it is alive: the place stays
        const auto i = static_cast<std::size_t>(number);
        ++made[i], most[i] = std::max(most[i], ++now[i]);
      }
    }
    for (int number = 0; number < 4; ++number) {
      const auto i = static_cast<std::size_t>(number);
      BOOST_TEST(place(number).made == made[i]);
      BOOST_TEST(alive(place(number)) == now[i]);
      BOOST_TEST(place(number).most_alive == most[i]);
    }
    for (const auto& [key, number] : places_of) objects.leave(key);
    for (int number = 0; number < 4; ++number) BOOST_TEST(alive(place(number)) == 0);
  }
}

BOOST_AUTO_TEST_CASE(threads_that_make_and_free_at_once_lose_no_object) {
  static constinit AliveObjects objects;
  objects_are_shared = true;
  constexpr int threads = 4, rounds = 20000, kept = 7;
  ObjectPlace& place = object_place("MPI_Op_create", at(0x2000));
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        const auto key = static_cast<std::uint64_t>(t * rounds + i);
        objects.enter(key, place);
        if (i >= kept) objects.leave(key);
      }
    });
  for (std::thread& thread : all) thread.join();
  BOOST_TEST(place.made == threads * rounds);
  BOOST_TEST(alive(place) == threads * kept);
}

BOOST_AUTO_TEST_CASE(places_without_room_share_an_entry_of_their_call) {
  for (std::uintptr_t i = 0; i < 2000; ++i) object_place("MPI_Group_incl", at(0x10000 + 16 * i)).count_made();
  std::uint64_t sum = 0, shared = 0;
  each_object_place([&](const ObjectPlace& place) {
    if (std::string_view(place.call) != "MPI_Group_incl") return;
    sum += place.made;
    if (stands_for_several(place)) ++shared;
  });
  BOOST_TEST(sum == 2000);
  BOOST_TEST(shared == 1);
}
