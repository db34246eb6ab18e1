#include "datatype/host_trial.h"

namespace marshal::datatype {
namespace {

// What it costs, about, to pass a call on to the host, which the times taken do not show.
constexpr std::int64_t passing_on_ns = 10;

// A side that wins three pairs of five is taken for the slower one in 8 of 100 trials, one that wins three of four in
// 0.1; who is twice as fast wins a pair doubly, so that a slow host need not show it six times.
constexpr std::int32_t decisive_lead = 6;
constexpr std::uint32_t most_pairs = 32;

std::int32_t pairs_won(std::int64_t winner_ns, std::int64_t loser_ns) { return loser_ns > 2 * winner_ns ? 2 : 1; }

}  // namespace

void HostTrial::took(std::int64_t bytes, bool by_host, std::int64_t ns) {
  Class& c = classes_[class_of(bytes)];
  ns = std::max<std::int64_t>(ns, 1);
  const std::int64_t other = c.open.load(std::memory_order_relaxed);
  if (other == 0 || (other < 0) == by_host) return c.open.store(by_host ? -ns : ns, std::memory_order_relaxed);
  c.open.store(0, std::memory_order_relaxed);
  const std::uint32_t pairs = c.pairs.load(std::memory_order_relaxed) + 1;
  if (pairs > most_pairs) return;  // decided by another thread

  const std::int64_t engine = by_host ? other : ns, host = (by_host ? ns : -other) + passing_on_ns;
  const std::int32_t lead =
      c.lead.load(std::memory_order_relaxed) + (engine <= host ? pairs_won(engine, host) : -pairs_won(host, engine));
  c.lead.store(lead, std::memory_order_relaxed);
  std::uint32_t next = pairs;
  if (lead >= decisive_lead || (pairs == most_pairs && lead >= 0)) next = engine_won;
  if (lead <= -decisive_lead || (pairs == most_pairs && lead < 0)) next = host_won;
  c.pairs.store(next, std::memory_order_relaxed);
}

}  // namespace marshal::datatype
