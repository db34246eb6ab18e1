#include "counters/event_counts.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <thread>

#include "counters/papi.h"

using namespace marshal::counters;

namespace {

constexpr std::size_t pages_touched = 200;

// Touches fresh memory: so many page faults.
void fault_pages() {
  const auto size = pages_touched * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* memory =
      static_cast<volatile char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(const_cast<char*>(memory), size, MADV_NOHUGEPAGE);
  for (std::size_t at = 0; at < size; at += size / pages_touched) memory[at] = 1;
  munmap(const_cast<char*>(memory), size);
}

std::uint64_t faults_while(Work work) { return event_counts().at(0).of[static_cast<std::size_t>(work)]; }

}  // namespace

// The cases run in this order: PAPI is initialised once in a process.

BOOST_AUTO_TEST_CASE(nothing_is_counted_before_it_begins) {
  { const Measured measured(Work::packing); }
  BOOST_TEST(event_counts().empty());
}

BOOST_AUTO_TEST_CASE(without_a_papi_every_event_says_why) {
  const char* const absent[] = {"libno-such-papi.so.9"};
  const std::string line = begin_counting("PAPI_TOT_INS, PAPI_L1_DCM", absent);
  BOOST_TEST(line.find("PAPI_TOT_INS, PAPI_L1_DCM: PAPI cannot be loaded (libno-such-papi.so.9: ") == 0U, line);
  BOOST_TEST(line.find('\n') == std::string::npos);
  BOOST_TEST(event_counts().size() == 2U);
  for (const EventCount& count : event_counts()) BOOST_TEST(!count.unavailable.empty());
  { const Measured measured(Work::packing); }
}

BOOST_AUTO_TEST_CASE(a_library_that_is_no_papi_is_refused) {
  const char* const other[] = {"libm.so.6"};
  std::string why_not;
  BOOST_TEST(!load_papi(other, why_not));
  BOOST_TEST(why_not == "libm.so.6 is of no use: functions of PAPI are missing in it");
}

BOOST_AUTO_TEST_CASE(events_are_counted_by_kind_of_work_in_all_threads_and_wrong_ones_named) {
  const std::string line = begin_counting("perf::PAGE-FAULTS,no_such_event,,perf::PAGE-FAULTS,no_such_either");
  if (!event_counts().at(0).unavailable.empty()) {
    BOOST_TEST_MESSAGE("not tested: " << line);  // perf events may be forbidden here altogether
    return;
  }
  BOOST_TEST(line == "no_such_event, no_such_either: PAPI knows no such event here");
  BOOST_TEST(event_counts().size() == 3U);
  fault_pages();
  BOOST_TEST(faults_while(Work::packing) == 0U);
  {
    const Measured measured(Work::packing);
    fault_pages();
    const Measured inner(Work::translation);  // belongs to the outer work
  }
  const std::uint64_t once = faults_while(Work::packing);
  BOOST_TEST(once >= pages_touched);
  BOOST_TEST(faults_while(Work::translation) == 0U);
  for (int thread = 0; thread < 3; ++thread)
    std::thread([] {
      const Measured measured(Work::translation);
      fault_pages();
    }).join();
  BOOST_TEST(faults_while(Work::translation) >= 3 * pages_touched);
  BOOST_TEST(faults_while(Work::packing) == once);

  // A child neither counts nor stops what its parent counts, even when its threads end.
  const pid_t child = fork();
  if (child == 0) {
    { const Measured measured(Work::packing); }
    std::thread([] { const Measured measured(Work::packing); }).join();
    std::exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  BOOST_TEST(status == 0);
  {
    const Measured measured(Work::packing);
    fault_pages();
  }
  BOOST_TEST(faults_while(Work::packing) >= once + pages_touched);
}

BOOST_AUTO_TEST_CASE(software_events_want_a_papi_in_view) {
  constexpr SoftwareEvent events[] = {{"zero", "always 0", true, [](void*) { return 0LL; }}};
  BOOST_TEST(!export_software_events(events));  // what is loaded here is in nobody's view
}
