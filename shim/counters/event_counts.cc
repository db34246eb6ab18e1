#include "counters/event_counts.h"

#include <fmt/ranges.h>
#include <papi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/immortal.h"
#include "base/split_text.h"
#include "base/thread_records.h"
#include "counters/papi.h"

namespace marshal::counters {
namespace {

struct Event {
  std::string name;
  int code = 0;
  std::string unavailable;
};

struct Counting {
  Papi papi{};
  std::vector<Event> events;  // constant once counting
  std::array<std::array<std::atomic<std::uint64_t>, most_events>, work_count> sums{};
};

Counting& state() {
  static Immortal<Counting> the;
  return *the;
}

using Values = std::array<long long, most_events>;

// The running events of one thread: a set for each component of PAPI.
class ThreadEvents {
 public:
  ThreadEvents() = default;
  ThreadEvents(const ThreadEvents&) = delete;
  ThreadEvents& operator=(const ThreadEvents&) = delete;
  ~ThreadEvents() {
    if (process_ != getpid()) return;  // a child of fork() shares the counters with its parent, which needs them
    const Papi& papi = state().papi;
    for (Set& set : sets_) close(set);
    papi.unregister_thread();
    sets_.clear();
  }

  // True while anything is counted. The first call starts the counting; `problems` then gets why events failed.
  bool running(std::vector<Event>* problems = nullptr) {
    if (process_ == 0) {
      process_ = getpid();
      start(problems);
    }
    return !sets_.empty() && process_ == getpid();
  }

  // Values by number of the event; a failed read leaves them as they were.
  bool read(Values& values) const {
    for (const Set& set : sets_) {
      Values in_order{};
      if (state().papi.read(set.handle, in_order.data()) != PAPI_OK) return false;
      for (std::size_t i = 0; i < set.events.size(); ++i) values[set.events[i]] = in_order[i];
    }
    return true;
  }

  Values began{};
  bool busy = false;

 private:
  struct Set {
    int component = 0, handle = PAPI_NULL;
    std::vector<std::size_t> events;  // numbers, in the order in which they were added
  };

  static void close(Set& set) {
    const Papi& papi = state().papi;
    Values last{};
    papi.stop(set.handle, last.data());
    papi.cleanup_eventset(set.handle);
    papi.destroy_eventset(&set.handle);
  }

  void start(std::vector<Event>* problems) {
    const Papi& papi = state().papi;
    const std::vector<Event>& events = problems == nullptr ? state().events : *problems;
    const auto fails = [&](std::size_t event, int code) {
      if (problems == nullptr) return;
      std::string& why = (*problems)[event].unavailable;
      if (code == PAPI_ENOEVNT)
        why = "this machine has no such counter";
      else if (code == PAPI_ECNFLCT)
        why = "it cannot be counted beside the others";
      else
        why = "it cannot be counted";
      const char* text = papi.strerror(code);
      why += fmt::format(" (PAPI: {})", text == nullptr ? std::to_string(code) : text);
    };
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (!events[i].unavailable.empty()) continue;
      const int component = papi.component_of(events[i].code);
      auto set = std::find_if(sets_.begin(), sets_.end(), [&](const Set& s) { return s.component == component; });
      if (set == sets_.end()) {
        Set fresh{component, PAPI_NULL, {}};
        if (const int code = papi.create_eventset(&fresh.handle); code != PAPI_OK) {
          fails(i, code);
          continue;
        }
        set = sets_.insert(sets_.end(), std::move(fresh));
      }
      const int code = papi.add_event(set->handle, events[i].code);
      if (code == PAPI_OK)
        set->events.push_back(i);
      else
        fails(i, code);
    }
    std::erase_if(sets_, [&](Set& set) {
      const int code = set.events.empty() ? PAPI_EINVAL : papi.start(set.handle);
      if (code == PAPI_OK) return false;
      for (const std::size_t event : set.events) fails(event, code);
      close(set);
      return true;
    });
  }

  std::vector<Set> sets_;
  pid_t process_ = 0;
};

ThreadEvents* this_threads_events() {
  static thread_local constinit ThreadEvents* own = nullptr;
  return of_this_thread(own);
}

std::vector<Event> events_of(std::string_view list) {
  std::vector<Event> events;
  for (const std::string_view name : split(list, ',')) {
    const bool again = std::any_of(events.begin(), events.end(), [&](const Event& e) { return e.name == name; });
    if (!name.empty() && !again) events.push_back({std::string(name), 0, {}});
  }
  return events;
}

// "A, B: reason; C: other reason", in the order of the events.
std::string problems_of(const std::vector<Event>& events) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string& reason = events[i].unavailable;
    const auto same = [&](const Event& e) { return e.unavailable == reason; };
    const auto here = events.begin() + static_cast<std::ptrdiff_t>(i);
    if (reason.empty() || std::any_of(events.begin(), here, same)) continue;
    std::string names;
    for (auto event = here; event != events.end(); ++event)
      if (same(*event)) names.append(names.empty() ? "" : ", ").append(event->name);
    parts.push_back(names.append(": ").append(reason));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string begin_counting(std::string_view list, std::span<const char* const> papi_files) {
  Counting& the = state();
  std::vector<Event> events = events_of(list);
  for (std::size_t i = most_events; i < events.size(); ++i)
    events[i].unavailable = fmt::format("only the first {} events are counted", most_events);
  std::string why_not;
  const std::optional<Papi> papi = load_papi(papi_files, why_not);
  if (!papi) {
    for (Event& event : events) event.unavailable = why_not;
  } else {
    the.papi = *papi;
    the.papi.thread_init(pthread_self);
    for (Event& event : events)
      if (event.unavailable.empty() && the.papi.name_to_code(event.name.c_str(), &event.code) != PAPI_OK)
        event.unavailable = "PAPI knows no such event here";
  }
  ThreadEvents* const own = papi ? this_threads_events() : nullptr;
  const bool any = own != nullptr && own->running(&events);
  the.events = std::move(events);
  detail::counting.store(any, std::memory_order_release);
  return problems_of(the.events);
}

std::string begin_counting(std::string_view list) { return begin_counting(list, papi_file_names()); }

std::vector<EventCount> event_counts() {
  std::vector<EventCount> counts;
  const Counting& the = state();
  for (std::size_t e = 0; e < the.events.size(); ++e) {
    EventCount count{.event = the.events[e].name, .unavailable = the.events[e].unavailable};
    if (e < most_events)
      for (std::size_t w = 0; w < work_count; ++w) count.of[w] = the.sums[w][e].load(std::memory_order_relaxed);
    counts.push_back(std::move(count));
  }
  return counts;
}

namespace detail {

bool begin_measured() {
  ThreadEvents* const events = this_threads_events();
  if (events == nullptr || events->busy || !events->running() || !events->read(events->began)) return false;
  return events->busy = true;
}

void end_measured(Work work) {
  ThreadEvents& events = *this_threads_events();  // there since begin_measured()
  events.busy = false;
  Values ended = events.began;
  if (!events.read(ended)) return;
  auto& sums = state().sums[static_cast<std::size_t>(work)];
  for (std::size_t e = 0; e < most_events; ++e)
    if (ended[e] > events.began[e])
      sums[e].fetch_add(static_cast<std::uint64_t>(ended[e] - events.began[e]), std::memory_order_relaxed);
}

}  // namespace detail
}  // namespace marshal::counters
