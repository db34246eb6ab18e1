// Counts PAPI events around two kinds of work (MARSHAL_PAPI). When off, it costs one test of a flag.
//
// Each thread that does such work has running event sets of its own, one a component of PAPI, from the first time on:
// starting and stopping around each piece would cost more than most pieces. Reading them costs about a microsecond.
// Thread safe; a child of fork() counts nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marshal::counters {

enum class Work : unsigned char { packing, translation };
inline constexpr std::size_t work_count = 2, most_events = 32;

// Begins to count the events of this list ("PAPI_TOT_INS,perf::PAGE-FAULTS"). Call once, before the first Measured.
// Returns one line on what cannot be counted and why; empty if everything can.
std::string begin_counting(std::string_view events, std::span<const char* const> papi_files);
std::string begin_counting(std::string_view events);

struct EventCount {
  std::string event{};
  std::uint64_t of[work_count]{};  // all threads, by Work
  std::string unavailable{};       // why it is not counted
};
std::vector<EventCount> event_counts();  // so far, in the order asked for

namespace detail {
inline constinit std::atomic<bool> counting{false};
bool begin_measured();
void end_measured(Work work);
}  // namespace detail

inline bool is_counting() { return detail::counting.load(std::memory_order_relaxed); }

// While it lives, the calling thread's events are counted for this work.
class Measured {
 public:
  explicit Measured(Work work) : work_(work) {
    if (is_counting()) [[unlikely]]
      began_ = detail::begin_measured();
  }
  ~Measured() {
    if (began_) [[unlikely]]
      detail::end_measured(work_);
  }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;

 private:
  Work work_;
  bool began_ = false;
};

}  // namespace marshal::counters
