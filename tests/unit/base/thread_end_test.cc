
#include <pthread.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "base/thread_records.h"

using marshal::of_this_thread;

namespace {

int alive = 0, most_alive = 0;

struct Object {
  Object() { most_alive = std::max(most_alive, ++alive); }
  ~Object() { --alive; }
  int value = 0;
};
thread_local constinit Object* own_object = nullptr;

struct Count : marshal::ThreadRecord<Count> {
  std::atomic<int> counted{0};
};
marshal::ThreadRecords<Count> all_counts;
thread_local constinit Count* own_count = nullptr;

int sum_of_counts() {
  int sum = 0;
  all_counts.each([&](const Count& count) { sum += count.counted; });
  return sum;
}
int number_of_counts() {
  int number = 0;
  all_counts.each([&](const Count&) { ++number; });
  return number;
}

void use() {
  ++of_this_thread(own_object)->value;
  if (own_count == nullptr) all_counts.take(own_count);
  ++own_count->counted;
}

struct UsesAtEnd {
  ~UsesAtEnd() {
    if (wanted) use();
  }
  bool wanted = false;
};

pthread_key_t before_all, after_all;
int rounds = 0;
void use_again(void* value) {
  use();
  if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) pthread_setspecific(after_all, value);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(thread_end)

BOOST_AUTO_TEST_CASE(an_object_stays_the_same_until_its_thread_ends) {
  std::thread([] {
    Object* const first = of_this_thread(own_object);
    use();
    BOOST_TEST(of_this_thread(own_object) == first);
    BOOST_TEST(first->value == 1);
    BOOST_TEST(alive == 1);
  }).join();
  BOOST_TEST(alive == 0);
  BOOST_TEST(own_object == nullptr);
}

BOOST_AUTO_TEST_CASE(destructors_of_thread_local_objects_and_of_keys_find_what_they_use) {
  BOOST_REQUIRE(pthread_key_create(&before_all, [](void*) { use(); }) == 0);
  std::thread([] { use(); }).join();  // Marshal's key is there from here on
  BOOST_REQUIRE(pthread_key_create(&after_all, use_again) == 0);
  const int counted = sum_of_counts(), records = number_of_counts();
  most_alive = 0;
  std::thread([] {
    static thread_local UsesAtEnd uses;
    uses.wanted = true;
    pthread_setspecific(before_all, &alive);
    pthread_setspecific(after_all, &alive);
    use();
  }).join();
  BOOST_TEST(alive == 0);
  BOOST_TEST(most_alive == 1);
  BOOST_TEST(sum_of_counts() == counted + 3 + rounds);
  BOOST_TEST(rounds == PTHREAD_DESTRUCTOR_ITERATIONS - 1);
  BOOST_TEST(number_of_counts() == records);
}

BOOST_AUTO_TEST_CASE(a_record_of_an_ended_thread_is_taken_over) {
  for (int i = 0; i < 3; ++i) std::thread([] { use(); }).join();
  BOOST_TEST(number_of_counts() == 1);
}

BOOST_AUTO_TEST_CASE(a_record_of_one_thread_is_not_taken_over) {
  const int records = number_of_counts();
  std::thread([] {
    use();
    own_count->of_one_thread = true;
  }).join();
  std::thread([] {
    use();
    BOOST_TEST(!own_count->of_one_thread);
  }).join();
  BOOST_TEST(number_of_counts() == records + 1);
}

BOOST_AUTO_TEST_SUITE_END()
