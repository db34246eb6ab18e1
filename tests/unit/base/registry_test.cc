#include "base/registry.h"

#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "tests/unit/property_seed.h"

using marshal::Registry;

BOOST_AUTO_TEST_SUITE(registry)

BOOST_AUTO_TEST_CASE(agrees_with_a_plain_map_under_random_use) {
  std::mt19937_64 random(marshal::property_seed());
  Registry<int> table;
  std::unordered_map<std::uint64_t, int> plain;
  for (int step = 0; step < 200000; ++step) {
    // Few keys, close together and aligned like addresses, so that probes collide and handles come back.
    const std::uint64_t key = (random() % 300) * 16;
    switch (random() % 3) {
      case 0: {
        const int value = static_cast<int>(random() % 1000);
        const auto old = table.insert(key, std::make_unique<int>(value));
        BOOST_REQUIRE_EQUAL(old != nullptr, plain.count(key) == 1);
        plain[key] = value;
        break;
      }
      case 1: {
        const auto old = table.extract(key);
        BOOST_REQUIRE_EQUAL(old != nullptr, plain.erase(key) == 1);
        break;
      }
      default: {
        const int* found = table.find(key);
        const auto expected = plain.find(key);
        BOOST_REQUIRE_EQUAL(found != nullptr, expected != plain.end());
        if (found) BOOST_REQUIRE_EQUAL(*found, expected->second);
      }
    }
  }
  BOOST_TEST(table.size() == plain.size());
  std::size_t visited = 0;
  table.for_each([&](std::uint64_t key, int value) {
    ++visited;
    BOOST_REQUIRE_EQUAL(plain.at(key), value);
  });
  BOOST_TEST(visited == plain.size());
}

BOOST_AUTO_TEST_CASE(threads_that_enter_a_new_key_at_once_share_the_first_value) {
  constexpr int threads = 4, keys = 2000;
  Registry<int> table;
  std::vector<std::vector<int*>> got(threads, std::vector<int*>(keys));
  std::vector<int> entered(threads);
  {
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        for (int key = 0; key < keys; ++key) {
          auto own = std::make_unique<int>(key);
          got[t][key] = table.insert_if_new(static_cast<std::uint64_t>(key) * 8, own);
          entered[t] += own == nullptr;
        }
      });
  }
  for (int key = 0; key < keys; ++key)
    for (int t = 0; t < threads; ++t) {
      BOOST_REQUIRE_EQUAL(got[t][key], table.find(static_cast<std::uint64_t>(key) * 8));
      BOOST_REQUIRE_EQUAL(*got[t][key], key);
    }
  BOOST_TEST(std::accumulate(entered.begin(), entered.end(), 0) == keys);
  BOOST_TEST(table.size() == static_cast<std::size_t>(keys));
}

BOOST_AUTO_TEST_CASE(a_million_cycles_with_ever_new_keys_do_not_grow_the_table) {
  Registry<int> table;
  for (std::uint64_t key = 0; key < 20; ++key) table.insert(key, std::make_unique<int>(0));
  const std::size_t before = table.bytes();
  for (std::uint64_t key = 100; key < 1000100; ++key) {
    table.insert(key * 64, std::make_unique<int>(1));
    table.extract(key * 64);
  }
  BOOST_TEST(table.size() == 20U);
  BOOST_TEST(table.bytes() == before);
}

BOOST_AUTO_TEST_CASE(readers_find_their_own_handles_while_others_come_and_go) {
  Registry<std::uint64_t> table;
  constexpr std::uint64_t kept = 64;
  for (std::uint64_t key = 0; key < kept; ++key) table.insert(key, std::make_unique<std::uint64_t>(key));
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!stop)
        for (std::uint64_t key = 0; key < kept; ++key) {
          const std::uint64_t* found = table.find(key);
          if (found == nullptr || *found != key) ++wrong;
        }
    });
  for (std::uint64_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 30000; ++i) {
        const std::uint64_t key = 1000 + t + 2 * (i % 500);
        table.insert(key, std::make_unique<std::uint64_t>(key));
        const std::uint64_t* found = table.find(key);
        if (found == nullptr || *found != key) ++wrong;
        table.extract(key);
      }
    });
  threads[2].join();
  threads[3].join();
  stop = true;
  threads[0].join();
  threads[1].join();
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
