#include "types/unread_types.h"

#include <map>
#include <mutex>
#include <optional>

#include "base/attempt.h"
#include "base/immortal.h"

namespace marshal {
namespace {

// Types that lost their place to others: their sites.
struct PushedOut {  // HANDLES: committed datatypes that were pushed out
  std::mutex mutex;
  std::map<std::uint64_t, std::uint8_t> sites;
};

PushedOut& pushed_out() {
  static Immortal<PushedOut> the;
  return *the;
}

std::optional<std::uint8_t> take(UnreadType& place, std::uint64_t key) {
  if (place.pushed_out == 0) return std::nullopt;
  const auto found = pushed_out().sites.find(key);
  if (found == pushed_out().sites.end()) return std::nullopt;
  const std::uint8_t site = found->second;
  pushed_out().sites.erase(found);
  place.pushed_out += -1U;
  return site;
}

constinit std::mutex numbering;
constexpr std::size_t most_places = site_histories.size() - 16;
constinit Relaxed<std::size_t> numbers_given;

// The number of the place, or the first that is nobody's, from `number` on.
std::size_t search_number(const void* caller, std::size_t number) {
  while (!site_histories[number].is_of(caller) && !site_histories[number].is_of(nullptr))
    number = number % (site_histories.size() - 1) + 1;
  return number;
}

}  // namespace

std::uint8_t other_number_of_place(const void* caller) noexcept {
  std::size_t number = search_number(caller, home_of_place(caller));
  if (site_histories[number].is_of(caller)) return static_cast<std::uint8_t>(number);
  if (numbers_given == most_places) return 0;
  const std::lock_guard lock(numbering);
  number = search_number(caller, number);  // another thread may have taken it
  if (site_histories[number].is_of(caller)) return static_cast<std::uint8_t>(number);
  if (numbers_given == most_places) return 0;
  numbers_given += 1;
  site_histories[number].begin(caller);
  return static_cast<std::uint8_t>(number);
}

namespace books {

void count_type(const char* call, const void* caller, std::uint64_t key) noexcept {
  any_alive_types = true;
  alive_types.enter(key, object_place(call, caller));
}

bool leave_alive_types(std::uint64_t key) noexcept { return alive_types.leave(key); }

void begin_apart(UnreadType& type, std::uint64_t key, std::uint8_t site, bool on_book, bool is_automatic) noexcept {
  std::optional<std::uint8_t> before;  // it is alive, and was committed there
  if (!objects_are_shared)
    attempt([&] {
      const std::lock_guard lock(pushed_out().mutex);
      before = type.is_of(key) ? std::optional<std::uint8_t>(type.site) : take(type, key);
      const std::uint64_t other = type.key.load(std::memory_order_relaxed);
      if (other == 0 || other == key + 1) return;
      pushed_out().sites[other - 1] = type.site;
      type.pushed_out += 1;
    });
  type.begin(key, before ? *before : site, on_book, is_automatic);
  if (before || is_among_alive(key)) type.history().counts_elsewhere();
}

void end_apart(std::uint64_t key) noexcept {
  if (any_alive_types && alive_types.leave(key)) return;
  UnreadType& place = unread_place_of(key);
  if (place.pushed_out == 0) return;
  const std::lock_guard lock(pushed_out().mutex);
  if (const std::optional<std::uint8_t> site = take(place, key)) site_histories[*site].count_end();
}

}  // namespace books
}  // namespace marshal
