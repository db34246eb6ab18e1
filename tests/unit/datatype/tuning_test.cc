#include "datatype/tuning.h"

#include <boost/test/unit_test.hpp>

using namespace marshal::datatype;

BOOST_AUTO_TEST_SUITE(tuning)

BOOST_AUTO_TEST_CASE(what_is_written_is_read_again) {
  for (const std::int64_t stages : {0, 1}) {
    const Tuning kept{65536, std::int64_t{1} << 30, stages};
    BOOST_TEST((tuning_of(tuning_text(kept, "here")) == kept));
  }
}

BOOST_AUTO_TEST_CASE(other_files_are_refused) {
  for (const char* text : {"segment_bytes 12x\n", "segment_bytes 1\n", "segment_bytes -5", "segment_bytes",
                           "other 64\n", "stream_bytes 1\n", "stages_fragments 2\n",
                           "\x7f"
                           "ELF"})
    BOOST_TEST(!tuning_of(text), text);
  BOOST_TEST((tuning_of("# nothing measured\n\n") == Tuning{}));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_missing_keeps_the_default) {
  BOOST_TEST((tuning_of("segment_bytes 4096\n") == Tuning{4096}));
}

BOOST_AUTO_TEST_CASE(off_and_missing_files_give_the_default) {
  std::string problem;
  BOOST_TEST((load_tuning("off", problem) == Tuning{}));
  BOOST_TEST(problem.empty());
  BOOST_TEST((load_tuning("/nowhere/tune", problem) == Tuning{}));
  BOOST_TEST(problem.find("/nowhere/tune") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_directory_gives_the_default_and_a_line) {
  std::string problem;
  BOOST_TEST((load_tuning("/tmp", problem) == Tuning{}));
  BOOST_TEST(problem == "MARSHAL_TUNE: cannot read /tmp (it is a directory); going on without it");
}

BOOST_AUTO_TEST_SUITE_END()
