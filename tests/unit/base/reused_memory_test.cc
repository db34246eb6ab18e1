#include "base/reused_memory.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "tests/unit/property_seed.h"

using marshal::ReusedMemory;

BOOST_AUTO_TEST_SUITE(reused_memory)

BOOST_AUTO_TEST_CASE(what_is_given_back_is_used_again) {
  ReusedMemory memory(1 << 20);
  void* const first = memory.take(50000);
  BOOST_REQUIRE(first != nullptr);
  BOOST_TEST(reinterpret_cast<std::uintptr_t>(first) % ReusedMemory::alignment == 0U);
  memory.give_back(first);
  BOOST_TEST(memory.take(50001) == first);
  memory.give_back(first);
}

BOOST_AUTO_TEST_CASE(there_is_no_more_than_its_bound) {
  ReusedMemory memory(1 << 20);
  BOOST_TEST(memory.take((1 << 20) + 1) == nullptr);
  BOOST_TEST(memory.take(SIZE_MAX) == nullptr);
  void* const most = memory.take(900000);
  BOOST_TEST(most != nullptr);
  BOOST_TEST(memory.take(200000) == nullptr);
  memory.give_back(most);
}

BOOST_AUTO_TEST_CASE(free_memory_of_other_sizes_makes_room) {
  ReusedMemory memory(1 << 20);
  std::vector<void*> taken;
  while (void* const one = memory.take(32768)) taken.push_back(one);
  BOOST_TEST(taken.size() >= 24U);
  for (void* const one : taken) memory.give_back(one);
  void* const most = memory.take(900000);
  BOOST_TEST(most != nullptr);
  memory.give_back(most);
}

BOOST_AUTO_TEST_CASE(unused_memory_is_freed_and_used_memory_stays) {
  ReusedMemory memory(1 << 20);
  auto* const used = static_cast<unsigned char*>(memory.take(600000));
  BOOST_REQUIRE(used != nullptr);
  memory.give_back(memory.take(300000));
  std::memset(used, 7, 600000);
  memory.free_unused();
  BOOST_TEST(used[599999] == 7);
  void* const again = memory.take(350000);
  BOOST_TEST(again != nullptr);
  memory.give_back(again);
  memory.give_back(used);
}

BOOST_AUTO_TEST_CASE(threads_never_share_memory) {
  ReusedMemory memory(1 << 20);
  const std::uint64_t seed = marshal::property_seed();
  std::atomic<int> overwritten{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937_64 random(seed + static_cast<std::uint64_t>(t));
      for (int step = 0; step < 2000; ++step) {
        const std::size_t bytes = 1 + random() % 300000;
        auto* const own = static_cast<unsigned char*>(memory.take(bytes));
        if (own == nullptr) continue;
        std::memset(own, t + 1, bytes);
        for (std::size_t i = 0; i < bytes; i += 997) overwritten += own[i] != t + 1;
        memory.give_back(own);
      }
    });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(overwritten == 0);
}

BOOST_AUTO_TEST_SUITE_END()
