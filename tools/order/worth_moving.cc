#include "tools/order/worth_moving.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "report/units.h"

namespace marshal::tools {
namespace {

double number_in(const traffic::Job& job, const char* name) {
  const auto fact = job.facts.find(name);
  if (fact == job.facts.end()) return 0;
  double value = 0;
  std::from_chars(fact->second.data(), fact->second.data() + fact->second.size(), value);
  return std::isfinite(value) && value > 0 ? value : 0;
}

}  // namespace

double run_seconds(const traffic::Job& job) { return number_in(job, "seconds"); }

double collectives_in_parts(const traffic::Job& job) { return number_in(job, "collectives_in_parts"); }

std::string reason_to_stay(const OrderGain& gain) {
  const double saved = gain.bytes_before - gain.bytes_after;
  if (saved <= 0) return {};
  if (gain.seconds_after > gain.seconds_before) return "the prediction says that it takes longer";
  // At most each of these bytes stays within a node in the order given and leaves it in the one found.
  if (saved < gain.collectives_in_parts)
    return fmt::format(
        "collectives on parts of the job have {}, and more of that can leave the nodes than the {} that are saved",
        report::bytes_text(gain.collectives_in_parts), report::bytes_text(saved));
  return {};
}

}  // namespace marshal::tools
