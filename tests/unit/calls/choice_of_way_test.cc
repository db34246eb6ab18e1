#include "calls/choice_of_way.h"

#include <boost/test/unit_test.hpp>

#include "report/way_of_messages.h"

using namespace marshal;
using calls::asks_for_calls;

BOOST_AUTO_TEST_SUITE(choice_of_way_test)

BOOST_AUTO_TEST_CASE(auto_takes_the_pipeline_where_it_is_known) {
  BOOST_TEST(!asks_for_calls(MessageEngine::automatic, true, true));
  BOOST_TEST(asks_for_calls(MessageEngine::automatic, false, true));
}

BOOST_AUTO_TEST_CASE(calls_are_asked_for_whatever_the_pipeline_does) {
  BOOST_TEST(asks_for_calls(MessageEngine::calls, true, true));
  BOOST_TEST(asks_for_calls(MessageEngine::calls, false, true));
}

BOOST_AUTO_TEST_CASE(no_other_setting_asks_for_calls) {
  for (const MessageEngine wanted : {MessageEngine::on, MessageEngine::pipeline, MessageEngine::off})
    BOOST_TEST(!asks_for_calls(wanted, false, true));
}

BOOST_AUTO_TEST_CASE(nothing_goes_by_calls_where_receives_take_no_bytes) {
  for (const MessageEngine wanted : {MessageEngine::calls, MessageEngine::automatic})
    BOOST_TEST(!asks_for_calls(wanted, false, false));
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
