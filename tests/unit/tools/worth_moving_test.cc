#include <boost/test/unit_test.hpp>
#include <string>

#include "tools/order/planned_order.h"

using namespace marshal;
using namespace marshal::tools;

namespace {

// Half of 100 MB leaves the nodes no more; that saves 1 s of sending. `change` changes this gain.
template <class Change>
std::string reason_with(Change change) {
  OrderGain gain{100e6, 50e6, 2, 1, 0};
  change(gain);
  return reason_to_stay(gain);
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(collectives_whose_ways_are_unknown_weigh_as_much_as_messages) {
  BOOST_TEST(reason_with([](OrderGain& gain) { gain.collectives_in_parts = 49e6; }).empty());
  BOOST_TEST(contains(reason_with([](OrderGain& gain) { gain.collectives_in_parts = 51e6; }), "parts of the job"));
}

BOOST_AUTO_TEST_CASE(a_longer_prediction_is_a_reason_to_stay_and_an_equal_one_is_not) {
  BOOST_TEST(reason_with([](OrderGain& gain) { gain.seconds_after = 2; }).empty());
  BOOST_TEST(contains(reason_with([](OrderGain& gain) { gain.seconds_after = 3; }), "longer"));
}

BOOST_AUTO_TEST_CASE(an_order_inside_the_nodes_is_not_judged) {
  BOOST_TEST(reason_with([](OrderGain& gain) {
               gain.bytes_after = gain.bytes_before, gain.seconds_after = 2, gain.collectives_in_parts = 1e9;
             }).empty());
}

BOOST_AUTO_TEST_CASE(what_the_file_does_not_say_as_a_number_is_0) {
  traffic::Job job;
  BOOST_TEST(run_seconds(job) == 0);
  job.facts = {{"seconds", "2.5"}, {"collectives_in_parts", "1024"}};
  BOOST_TEST(run_seconds(job) == 2.5);
  BOOST_TEST(collectives_in_parts(job) == 1024);
  for (const char* text : {"-1", "many", "nan", "inf", ""}) {
    job.facts["seconds"] = text;
    BOOST_TEST(run_seconds(job) == 0);
  }
}
