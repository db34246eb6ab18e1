#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "pages/pages.h"

using namespace marshal::report;
BOOST_AUTO_TEST_CASE(a_pattern_is_filled_in_from_the_job) {
  Job job;
  job.program = "../app";
  job.job_id = "4711";
  job.host = "n1";
  job.ranks = 16;
  job.user = "DOMAIN/ann";
  job.started = "2026-11-21T09:14:47+00:00";
  BOOST_TEST(expand_pattern("marshal-%p-%j", job) == "marshal-.._app-4711");
  BOOST_TEST(expand_pattern("out/%h.%n.%t.json", job) == "out/n1.16.20261121T091447");
  BOOST_TEST(expand_pattern("/site/%u/%Y/%m/%d/x.summary.json", job) == "/site/DOMAIN_ann/2026/11/21/x");
  BOOST_TEST(expand_pattern("100%%-%q%", job) == "100%-%q%");
  BOOST_TEST(expand_pattern("dir/", job) == "dir/marshal");
  BOOST_TEST(expand_pattern("", job) == "marshal");
  BOOST_TEST(partial_stem("a", 7) == "a-partial-rank7");
}

BOOST_AUTO_TEST_CASE(no_part_leads_to_another_directory) {
  Job job;
  job.user = "..";
  job.program = ".";
  BOOST_TEST(expand_pattern("a/%u/%p/%j%Y", job) == "a/__/_/unknownunknown");
}

BOOST_AUTO_TEST_CASE(names_can_be_printed_and_are_no_options) {
  Job job;
  job.program = "-a b\nc\x1b";
  job.user = std::string(99, 'x') + "\u00fc";  // cut in the middle of the last character
  BOOST_TEST(expand_pattern("%p", job) == "_a b_c_");
  BOOST_TEST(expand_pattern("%u", job) == std::string(99, 'x') + "_");
}

BOOST_AUTO_TEST_CASE(very_long_names_still_fit) {
  Job job;
  job.program = std::string(300, 'x');
  job.job_id = std::string(300, '1');
  const std::string stem = partial_stem(expand_pattern("%p-%j", job), 1 << 20);
  BOOST_TEST(stem.size() + std::string("-1000.summary.json").size() <= 255u);  // NAME_MAX
}
