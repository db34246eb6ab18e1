#include "base/cpu_time.h"

#include <boost/test/unit_test.hpp>
#include <vector>

BOOST_AUTO_TEST_CASE(reading_the_clock_is_no_work) {
  using marshal::CpuStopwatch, marshal::thread_cpu_time;
  std::vector<std::chrono::nanoseconds> read(1001), watched(read.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    const auto began = thread_cpu_time();
    read[i] = thread_cpu_time() - began;
    CpuStopwatch nothing;
    nothing.start();
    nothing.stop();
    watched[i] = nothing.cpu();
  }
  const auto median = [](std::vector<std::chrono::nanoseconds>& all) {
    std::ranges::nth_element(all, all.begin() + 500);
    return all[500];
  };
  BOOST_TEST((median(watched) < median(read)));
}

BOOST_AUTO_TEST_CASE(no_more_cpu_time_than_wall_time) {
  marshal::CpuStopwatch watch;
  for (int i = 0; i < 100; ++i) {
    watch.start();
    watch.stop();
    BOOST_TEST((watch.cpu() <= watch.wall()));
  }
}

BOOST_AUTO_TEST_CASE(intervals_add_up) {
  marshal::CpuStopwatch watch;
  std::chrono::nanoseconds before{};
  for (int i = 0; i < 3; ++i) {
    watch.start();
    for (const auto began = marshal::thread_cpu_time();
         marshal::thread_cpu_time() - began < std::chrono::milliseconds(1);)
      ;
    watch.stop();
    BOOST_TEST((watch.cpu() - before > std::chrono::microseconds(900)));
    before = watch.cpu();
  }
}
