#include "communicators/communicators_in_use.h"

#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>

using namespace marshal;

namespace {

// What `work` writes to stderr.
template <class Work>
std::string said(Work work) {
  int ends[2];
  BOOST_TEST_REQUIRE(pipe(ends) == 0);
  const int before = dup(2);
  dup2(ends[1], 2);
  work();
  dup2(before, 2);
  close(before), close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t bytes = read(ends[0], text.data(), text.size());
  close(ends[0]);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return text;
}

void make(CreationSite& site, int count, int speaker) {
  for (int i = 0; i < count; ++i) {
    ++site.made;
    count_in_use(site, speaker);
  }
}

void free_one(CreationSite& site) { count_freed(&site); }

constexpr int own = 7, others = 0;

CreationSite& site(const char* call) { return site_at(call, CallFrames{}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(limit_of_communicators)

BOOST_AUTO_TEST_CASE(where_no_limit_is_known_nothing_is_said) {
  BOOST_TEST(said([] { make(site("MPI_Graph_create"), 1000, own); }).empty());
  for (int i = 0; i < 1000; ++i) free_one(site("MPI_Graph_create"));
}

BOOST_AUTO_TEST_CASE(the_one_that_speaks_names_the_place_with_most_at_three_quarters) {
  note_communicator_limit({100, 5, "Test MPI"}, own);
  // The others see as many, and say nothing.
  BOOST_TEST(said([] { make(site("MPI_Comm_split"), 20, others); }).empty());
  for (int i = 0; i < 20; ++i) free_one(site("MPI_Comm_split"));
  BOOST_TEST(said([] {
               make(site("MPI_Comm_split"), 20, own);
               make(site("MPI_Comm_dup"), 49, own);
             }).empty());
  BOOST_TEST(said([] { make(site("MPI_Comm_split"), 1, own); }) ==
             "marshal: rank 7 has 75 communicators in use, of the 100 that Test MPI has for a process: 49 of them are "
             "made by MPI_Comm_dup and not freed\n");
  BOOST_TEST(said([] { make(site("MPI_Comm_dup"), 10, own); }).empty());
  BOOST_TEST(communicators_in_use().most >= 85);
  for (int i = 0; i < 21; ++i) free_one(site("MPI_Comm_split"));
  for (int i = 0; i < 59; ++i) free_one(site("MPI_Comm_dup"));
}

BOOST_AUTO_TEST_CASE(who_passes_the_mark_by_those_of_others_speaks_at_its_next_one) {
  note_communicator_limit({100, 5, "Test MPI"}, own);
  BOOST_TEST(said([] { make(site("MPI_Comm_create"), 75, others); }).empty());
  BOOST_TEST(said([] { make(site("MPI_Comm_create"), 1, own); }).find("rank 7 has 81 ") != std::string::npos);
  for (int i = 0; i < 76; ++i) free_one(site("MPI_Comm_create"));
}

BOOST_AUTO_TEST_CASE(from_three_quarters_on_marshal_makes_none_of_its_own) {
  note_communicator_limit({100, 5, "Test MPI"}, own);
  make(site("MPI_Comm_create"), 69, others);
  BOOST_TEST(may_make_communicators());
  make(site("MPI_Comm_create"), 1, others);
  BOOST_TEST(!may_make_communicators());
  for (int i = 0; i < 70; ++i) free_one(site("MPI_Comm_create"));
}

BOOST_AUTO_TEST_SUITE_END()
