#include <boost/test/unit_test.hpp>

#include "calls/by_calls.h"
#include "record/record.h"

using namespace marshal;
using calls::asks_for_calls;

BOOST_AUTO_TEST_SUITE(choice_of_way_test)

BOOST_AUTO_TEST_CASE(calls_are_taken_where_they_are_asked_for) {
  for (const bool has_pipeline : {false, true}) {
    BOOST_TEST(asks_for_calls(MessageEngine::calls, true, has_pipeline));
    for (const MessageEngine wanted : {MessageEngine::on, MessageEngine::pipeline, MessageEngine::off})
      BOOST_TEST(!asks_for_calls(wanted, true, has_pipeline));
  }
}

BOOST_AUTO_TEST_CASE(auto_takes_calls_where_there_is_no_pipeline) {
  BOOST_TEST(asks_for_calls(MessageEngine::automatic, true, false));
  BOOST_TEST(!asks_for_calls(MessageEngine::automatic, true, true));
}

BOOST_AUTO_TEST_CASE(nothing_goes_by_calls_where_receives_take_no_bytes) {
  BOOST_TEST(!asks_for_calls(MessageEngine::calls, false, false));
  BOOST_TEST(!asks_for_calls(MessageEngine::automatic, false, false));
}

BOOST_AUTO_TEST_CASE(the_report_reads_what_the_way_says) {
  const std::string by_itself = calls::way_by_calls(MessageEngine::automatic, "no pipeline");
  BOOST_TEST(report::why_at_calls(by_itself) == "no pipeline");
  BOOST_TEST(report::why_left_to_host(by_itself).empty());
  BOOST_TEST(report::why_at_calls(calls::way_by_calls(MessageEngine::calls, "no pipeline")) ==
             "MARSHAL_MESSAGES=calls");
  BOOST_TEST(report::why_at_calls("engine").empty());
  BOOST_TEST(report::why_left_to_host("engine").empty());
  BOOST_TEST(report::why_left_to_host("no pipeline") == "no pipeline");
}

BOOST_AUTO_TEST_SUITE_END()
