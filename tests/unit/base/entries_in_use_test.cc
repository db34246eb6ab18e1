#include "base/entries_in_use.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "base/registry.h"

namespace marshal {
namespace {

std::atomic<int> alive{0};

struct Entry {
  static constexpr int good = 12345;

  Entry() { ++alive; }
  ~Entry() {
    value.store(0, std::memory_order_relaxed);
    --alive;
  }
  std::atomic<int> value{good};
  mutable const Entry* left_before = nullptr;
};

using InUse = EntriesInUse<Entry, 2>;

struct Book {
  Registry<Entry> entries;
  Departures departures{0};
  InUse in_use;

  void end(std::uint64_t key) {
    std::unique_ptr<const Entry> gone = entries.extract(key);
    if (gone == nullptr) return;
    departures.fetch_add(1);
    in_use.leave(std::move(gone));
  }
};

struct Thread {
  InUse::Noted*& noted;
  LastFound<Entry> last[2]{};

  const Entry* find(Book& book, std::size_t way, std::uint64_t key) {
    return book.in_use.find(noted, way, last[way], key, book.departures, [&] { return book.entries.find(key); });
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(entries_in_use)

BOOST_AUTO_TEST_CASE(an_entry_that_left_stays_as_long_as_a_thread_has_it_as_its_last) {
  static Book book;
  static thread_local constinit InUse::Noted* noted = nullptr;
  Thread thread{noted};
  for (std::uint64_t key = 0; key < 5; ++key) book.entries.insert(key, std::make_unique<Entry>());
  const Entry* const first = thread.find(book, 0, 0);
  const Entry* const second = thread.find(book, 1, 1);
  book.end(0);
  book.end(1);
  book.end(2);  // nobody has it
  BOOST_TEST(alive == 4);
  BOOST_TEST(first->value == Entry::good);
  BOOST_TEST(second->value == Entry::good);
  BOOST_TEST((thread.find(book, 0, 0) == nullptr));  // which is not found any more
  BOOST_TEST((thread.find(book, 0, 3) != nullptr));
  book.end(3);
  BOOST_TEST(alive == 3);  // 1 and 3 left, 4 is on the book
  thread.find(book, 1, 4);
  book.end(4);
  BOOST_TEST(alive == 2);  // 3 and 4
}

BOOST_AUTO_TEST_CASE(threads_use_what_others_end) {
  constexpr int readers = 3, rounds = 20'000;
  constexpr std::uint64_t keys = 4;
  static Book book;
  const int before = alive;
  std::atomic<bool> over{false};
  std::atomic<int> used{0}, bad{0};
  std::vector<std::thread> all;
  for (int reader = 0; reader < readers; ++reader)
    all.emplace_back([&, reader] {
      static thread_local constinit InUse::Noted* noted = nullptr;
      Thread thread{noted};
      for (std::uint64_t i = static_cast<std::uint64_t>(reader); !over; ++i)
        if (const Entry* const entry = thread.find(book, i % 2, i % keys))
          for (int looks = 0; looks < 20; ++looks, ++used)
            if (entry->value.load(std::memory_order_relaxed) != Entry::good) ++bad;
    });
  for (std::uint64_t i = 0; i < rounds; ++i) {
    book.entries.insert(i % keys, std::make_unique<Entry>());
    if (i % 3 == 0) std::this_thread::yield();
    book.end((i + 1) % keys);
  }
  over = true;
  for (std::thread& thread : all) thread.join();
  BOOST_TEST(bad == 0);
  for (std::uint64_t key = 0; key < keys; ++key) book.end(key);
  BOOST_TEST(alive - before <= 2 * readers + 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal
