#include "communicators/communicators_in_use.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/message.h"
#include "record/site_names.h"

namespace marshal {
namespace {

struct LimitInForce {
  CommunicatorLimit limit;
  int own_rank = 0;
};
LimitInForce& limit_in_force() {
  static Immortal<LimitInForce> the;
  return *the;
}

constinit std::atomic<std::uint64_t> most_in_use{0};  // of the program's own
constinit std::atomic<std::uint64_t> speaks_from{~std::uint64_t{0}};
constinit std::atomic<bool> has_spoken{false};

std::uint64_t alive_at(const CreationSite& site) {
  const std::uint64_t freed = site.freed.load(std::memory_order_relaxed);
  return site.made.load(std::memory_order_relaxed) - std::min(freed, site.made.load(std::memory_order_relaxed));
}

void speak(std::uint64_t now) {
  const CreationSite* heaviest = nullptr;
  each_creation_site([&](const CreationSite& site) {
    if (heaviest == nullptr || alive_at(site) > alive_at(*heaviest)) heaviest = &site;
  });
  if (heaviest == nullptr) return;
  const CommunicatorLimit& limit = limit_in_force().limit;
  report::Record named;
  const report::CallSite place = site_of(heaviest->call, heaviest->frames);
  named.communicators[place];
  report::name_sites(named, report::when_written);
  const std::string where = report::name_or_place(named.communicators.find(place)->symbol, place);
  say(Level::warning,
      "rank {} has {} communicators in use, of the {} that {} has for a process: {} of them are made by {}{}{} and not "
      "freed",
      limit_in_force().own_rank, now + limit.taken, limit.most, limit.host, alive_at(*heaviest), heaviest->call,
      where.empty() ? "" : " at ", where);
}

}  // namespace

void note_communicator_limit(const CommunicatorLimit& limit, int own_rank) {
  limit_in_force() = {limit, own_rank};
  has_spoken.store(false, std::memory_order_relaxed);
  if (limit.most > limit.taken) speaks_from.store(limit.most - limit.most / 4 - limit.taken, std::memory_order_release);
}

void count_in_use(const CreationSite& site, int speaker) noexcept {
  if (&site == &unknown_site()) return;  // as when they are freed
  const std::uint64_t now = communicators_alive.fetch_add(1, std::memory_order_relaxed) + 1;
  std::uint64_t highest = most_in_use.load(std::memory_order_relaxed);
  while (now > highest && !most_in_use.compare_exchange_weak(highest, now, std::memory_order_relaxed)) continue;
  if (now < speaks_from.load(std::memory_order_acquire) || speaker != limit_in_force().own_rank) return;
  if (!has_spoken.exchange(true, std::memory_order_relaxed)) attempt([&] { speak(now); });
}

bool may_make_communicators() noexcept {
  return communicators_alive.load(std::memory_order_relaxed) < speaks_from.load(std::memory_order_acquire);
}

CommunicatorsInUse communicators_in_use() noexcept {
  const CommunicatorLimit& limit = limit_in_force().limit;
  return {limit.most, most_in_use.load(std::memory_order_relaxed) + limit.taken};
}

}  // namespace marshal
