#include "types/host_trial.h"

#include <cstdlib>

namespace marshal {
namespace {

// A side that wins three pairs of five is taken for the slower one in 8 of 100 trials; a side that wins three of four,
// in 0.1. A side that is twice as fast wins a pair doubly, so that a slow host is not asked six times.
constexpr std::int16_t decisive_lead = 6;
constexpr std::uint16_t most_pairs = 32;

std::int16_t pairs_won(std::int64_t winner_ns, std::int64_t loser_ns) { return loser_ns > 2 * winner_ns ? 2 : 1; }

// Calls until the next trial: 1000 × (slow time / fast time), doubled each time a trial confirms the last. A trial asks
// the slower side at least three times.
constexpr std::int64_t calls_between = 1000, most_ratio = 1000;
constexpr int most_doublings = 16;

}  // namespace

HostTrial::Turn HostTrial::turn(std::int64_t bytes, std::uint64_t calls) {
  if (bytes < least_bytes) return {false, false};
  Class& c = classes_[class_of(bytes)];
  const Side side = c.side;
  if (side != Side::undecided && calls < c.again_at) return {side == Side::host, false};
  c.side = Side::undecided;
  const std::int64_t open = c.open;
  const bool host_begins = c.pairs % 2 != 0;
  return {open == 0 ? host_begins : open > 0, true};  // engine, host, host, engine, engine, …
}

void HostTrial::took(std::int64_t bytes, bool by_host, std::int64_t ns, std::uint64_t calls) {
  Class& c = classes_[class_of(bytes)];
  if (c.side != Side::undecided) return;  // decided by another thread
  ns = std::max<std::int64_t>(ns, 1);
  const std::int64_t other = c.open;
  if (other == 0 || (other < 0) == by_host) {
    c.open = by_host ? -ns : ns;
    return;
  }
  c.open = 0;

  const std::int64_t engine = by_host ? other : ns, host = (by_host ? ns : -other) + priors::ns_of_passing_on;
  const auto pairs = static_cast<std::uint16_t>(c.pairs + 1);
  const auto lead =
      static_cast<std::int16_t>(c.lead + (engine <= host ? pairs_won(engine, host) : -pairs_won(host, engine)));
  std::int64_t ratio = std::min(std::max(engine, host) / std::min(engine, host), most_ratio);
  if (pairs > 1) ratio = std::min<std::int64_t>(ratio, c.ratio);
  if (pairs >= most_pairs || std::abs(lead) >= decisive_lead)
    return decide(c, lead >= 0 ? Side::engine : Side::host, ratio, calls);
  c.pairs = pairs;
  c.lead = lead;
  c.ratio = static_cast<std::uint16_t>(ratio);
}

void HostTrial::decide(Class& c, Side side, std::int64_t ratio, std::uint64_t calls) {
  const bool as_before = c.last == side;
  const int before = as_before ? c.doublings + 1 : 0;
  const auto doublings = static_cast<std::uint16_t>(std::min(before, most_doublings));
  const std::int64_t rest = calls_between * ratio << doublings;
  c.last = side;
  c.doublings = doublings;
  c.pairs = 0;
  c.lead = 0;
  c.again_at = calls + static_cast<std::uint64_t>(rest);
  c.side = side;
}

}  // namespace marshal
