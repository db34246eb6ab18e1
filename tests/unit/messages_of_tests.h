// Lets BOOST_TEST(holds, "of " << what) compile without a warning: g++ 16 sees that two conversions make Boost's
// assertion_result of what is tested, and reports at the program's own << that it chose. Here is nothing to choose.
#pragma once

#include <boost/test/unit_test.hpp>

namespace boost::test_tools::tt_detail {

template <typename Expression>
bool report_assertion(assertion_evaluate_t<Expression>&& tested, const unit_test::lazy_ostream& text, const_string file,
                      std::size_t line, tool_level level, check_type check, std::size_t) {
  return report_assertion(tested.operator assertion_result(), text, file, line, level, check, 0);
}

}  // namespace boost::test_tools::tt_detail
