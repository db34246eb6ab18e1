#include "host/arrival.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "base/attempt.h"
#include "base/cpu_time.h"
#include "base/message.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "record/rank_set.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> met{false};

// Up to this size each rank reports to rank 0 directly, so that rank 0 can name the missing ranks.
constexpr int most_named = 4096;

constexpr std::chrono::seconds patience{20};  // before a warning

// A standing as it is sent: a number that no number of the program is mistaken for. Anything else that arrives is from
// a rank without Marshal.
constexpr int mark = 0x4d617200;
constexpr int unheard_of = -1;
int marked(Readiness standing) { return mark + static_cast<int>(standing); }
bool is_marked(int number) { return number >= mark && number <= marked(Readiness::unable); }

// "rank 2", "ranks 0, 4-7".
template <class Predicate>
std::string ranks_where(const std::vector<int>& standings, Predicate holds) {
  std::vector<report::RankSet::Interval> which;
  for (std::uint64_t rank = 0; rank < standings.size(); ++rank)
    if (holds(standings[rank])) which.push_back({rank, rank});
  const auto set = report::RankSet::from_intervals(std::move(which));
  return (set.count() == 1 ? "rank " : "ranks ") + set.text();
}

class Meeting {
 public:
  Meeting(MPI_Comm everybody, Readiness own) : everybody_(everybody), own_(marked(own)), ends_{own_, -own_} {
    rank_ = own_rank(everybody);
    size_ = size_of(everybody);
  }

  // The worst standing of all.
  Readiness hold() {
    // AGREEMENT: whether Marshal runs at all
    const int worst = size_ == 1 ? own_ : rank_ == 0 ? hear_all() : hear_verdict();
    return static_cast<Readiness>(worst - mark);
  }

  const std::vector<int>& standings() const { return standings_; }

  // On rank 0, after the meeting: whether all ranks are off, each because its user or its site wants it so.
  bool all_are_off() const {
    const auto is_off = [](int s) { return s == marked(Readiness::switched_off) || s == marked(Readiness::excluded); };
    return is_off(ends_[0]) && is_off(-ends_[1]);
  }

 private:
  int hear_verdict() {
    send_own();
    // Rank 0 knows more, and gets the time to report it. Without rank 0 the others report in turn until the job has
    // ended.
    const auto grace = std::chrono::seconds(5) * std::min(rank_, 60);
    int worst = own_;
    pmpi().Ibcast(&worst, 1, predefined().type_int, 0, everybody_, &requests_[1]);
    const auto missing = [] { return std::string("rank 0, and perhaps others,"); };
    wait(grace, missing);
    if (!is_marked(worst)) end_without(missing());
    return worst;
  }

  void send_own() {
    if (size_ <= most_named)
      pmpi().Igatherv(&own_, 1, predefined().type_int, nullptr, nullptr, nullptr, predefined().type_int, 0, everybody_,
                      &requests_[0]);
    else
      pmpi().Ireduce(ends_.data(), nullptr, 2, predefined().type_int, predefined().op_max, 0, everybody_,
                     &requests_[0]);
  }

  int hear_all() {
    int worst = own_;
    if (size_ <= most_named) {
      // The numbers arrive one by one, and are read before all are there, to name the ranks that are missing.
      const auto count = static_cast<std::size_t>(size_);
      standings_.assign(count, unheard_of);
      const std::vector<int> ones(count, 1);
      std::vector<int> places(count);
      std::iota(places.begin(), places.end(), 0);
      standings_[0] = own_;
      pmpi().Igatherv(&own_, 1, predefined().type_int, standings_.data(), ones.data(), places.data(),
                      predefined().type_int, 0, everybody_, &requests_[0]);
      const auto missing = [&] { return ranks_where(standings_, [](int s) { return !is_marked(s); }); };
      wait({}, missing);
      if (!std::all_of(standings_.begin(), standings_.end(), is_marked)) end_without(missing());
      const auto [least, most] = std::minmax_element(standings_.begin(), standings_.end());
      ends_ = {*most, -*least};
    } else {
      const std::array<int, 2> own = ends_;
      pmpi().Ireduce(own.data(), ends_.data(), 2, predefined().type_int, predefined().op_max, 0, everybody_,
                     &requests_[0]);
      wait({}, [] { return std::string("some ranks"); });
      if (!is_marked(ends_[0]) || !is_marked(-ends_[1])) end_without("some ranks");
    }
    worst = ends_[0];
    pmpi().Ibcast(&worst, 1, predefined().type_int, 0, everybody_, &requests_[1]);
    wait({}, [] { return std::string("some ranks"); });
    return worst;
  }

  template <class Missing>
  void wait(std::chrono::milliseconds grace, Missing missing) {
    const auto began = Clock::now();
    const std::chrono::seconds most(settings().integer(Option::wait));
    bool said = rank_ > 1;  // rank 1 speaks for the others if there is no rank 0
    for (;; sched_yield()) {
      int first_done = 0, second_done = 0;
      if (pmpi().Test(&requests_[0], &first_done, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
          pmpi().Test(&requests_[1], &second_done, MPI_STATUS_IGNORE) != MPI_SUCCESS || (first_done && second_done))
        return;
      const auto waited = Clock::now() - began;
      if (!said && waited > patience + grace) {
        said = true;
        attempt([&] {
          say(Level::warning, "rank {} has waited {} s at init for {}; do all ranks of the job run under Marshal?",
              rank_, std::chrono::duration_cast<std::chrono::seconds>(waited).count(), missing());
        });
      }
      if (most.count() != 0 && waited > most + grace) attempt([&] { end_without(missing()); });
    }
  }

  [[noreturn]] void end_without(const std::string& missing) const {
    say(Level::error,
        "{} did not come to Marshal's meeting at init (MARSHAL_WAIT={}): Marshal must run on all ranks of a job, or on "
        "none; the job is ended",
        missing, settings().integer(Option::wait));
    // A program of sessions has no MPI_COMM_WORLD to abort; the launcher notices a process that ends by itself.
    if (everybody_ == predefined().comm_world) end_job(everybody_, 1);
    std::_Exit(1);
  }

  const MPI_Comm everybody_;
  const int own_;
  std::array<int, 2> ends_;  // the worst standing, and the best one with a minus, so that one maximum finds both
  int rank_ = 0, size_ = 1;
  std::array<MPI_Request, 2> requests_{predefined().request_null, predefined().request_null};
  std::vector<int> standings_;  // on rank 0, where it hears each
};

void tell_why_excluded() {
  if (settings().excluded_by.empty()) return;
  say(Level::info, "the name of this program matches '{}' of MARSHAL_EXCLUDE ({}): it runs without Marshal",
      settings().excluded_by, settings()[Option::exclude].where);
}

// Reports once a job why Marshal does not run.
void tell_who(const Meeting& meeting, Readiness worst, int size) {
  const std::vector<int>& standings = meeting.standings();
  const auto who = standings.empty() ? "some ranks" : ranks_where(standings, [=](int s) { return s == marked(worst); });
  if (worst == Readiness::unable) {
    say(Level::warning, "{} of {} ran out of memory at init; all go on without Marshal", who, size);
    return;
  }
  if (meeting.all_are_off()) return tell_why_excluded();
  if (worst == Readiness::excluded)
    say(Level::warning, "MARSHAL_EXCLUDE names the program of {} of {}; all go on without Marshal", who, size);
  else
    say(Level::warning, "MARSHAL_DISABLE is on for {} of {}; all go on without Marshal", who, size);
}

}  // namespace

Arrival meet_everybody(MPI_Comm everybody, Readiness own) {
  Arrival arrival;
  const auto began = Clock::now();
  const auto cpu_began = thread_cpu_time();
  Readiness worst = Readiness::unable;
  const int rank = own_rank(everybody), size = size_of(everybody);
  try {
    Meeting meeting(everybody, own);
    worst = meeting.hold();
    if (worst != Readiness::ready && rank == 0 && (size > 1 || meeting.all_are_off()))
      attempt([&] { tell_who(meeting, worst, size); });
  } catch (const std::bad_alloc&) {
    // Rank 0 has no room for one number a rank. The others wait for it.
    say_line(Level::error, "out of memory at init");
    end_job(everybody, 1);
  }
  arrival.all_ready = worst == Readiness::ready;
  met.store(arrival.all_ready, std::memory_order_release);
  arrival.waited = Clock::now() - began;
  arrival.waited_cpu = std::chrono::nanoseconds(thread_cpu_time() - cpu_began);
  return arrival;
}

bool all_have_met() { return met.load(std::memory_order_acquire); }

}  // namespace marshal
