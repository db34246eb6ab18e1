// Judges whether an order that sends fewer bytes between nodes is worth taking, by what the run says of itself. Fewer
// bytes alone are not enough: the bytes of a collective have no pairs, so the order was found without them.
#pragma once

#include <string>

#include "traffic/traffic.h"

namespace marshal::tools {

struct OrderGain {
  double bytes_before = 0, bytes_after = 0;      // between nodes
  double seconds_before = 0, seconds_after = 0;  // predicted
  double collectives_in_parts = 0;               // bytes on communicators of some of the processes
};

// Facts that the run states about itself; 0 where it does not.
double run_seconds(const traffic::Job& job);
double collectives_in_parts(const traffic::Job& job);

// Part of the run's time from which on a prediction can show beside what differs from run to run. Less is no reason to
// stay: the prediction is for a network that the user may not have.
inline constexpr double least_part_of_run = 0.01;

// The reason to keep the order given; empty: the order found is worth taking. An order that moves nothing between nodes
// always is.
std::string reason_to_stay(const OrderGain& gain);

}  // namespace marshal::tools
