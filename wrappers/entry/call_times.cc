#include "wrappers/entry/call_times.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/message.h"
#include "base/process_memory.h"
#include "communicators/communicators.h"
#include "communicators/creation_site.h"
#include "communicators/sent_messages.h"
#include "host/node_map.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "settings/settings_in_force.h"
#include "types/type_book.h"
#include "wrappers/entry/program_requests.h"

namespace marshal {
namespace {

constinit std::atomic<Ticks> reading{0};  // what reading the clock takes at least

struct NamedParts {
  std::mutex mutex;
  Regions regions;
};

NamedParts& parts() {
  static Immortal<NamedParts> the;
  return *the;
}

CallCounts& counts_of_this_thread() {
  ThreadState& thread = this_thread();
  return thread.counts ? *thread.counts : new_counts(thread);
}

// Asks Marshal's book alone, never the host: the call may have failed for its communicator.
TimedCommunicator timed_communicator(std::uint64_t passed, const Communicator*& known) {
  TimedCommunicator named;
  if (passed == 0) return named;
  const MPI_Comm handle = PassedHandle<HandleOf::comm>{passed}.handle();
  known = books::find(handle);
  named.call = "a communicator that Marshal did not see being made";
  if (known != nullptr) known->is_used = true;
  if (known != nullptr && known->map.tracked())
    named.processes = static_cast<std::uint32_t>(known->map.size() + (known->remote ? known->remote->size() : 0));
  if (handle == predefined().comm_world)
    named.call = "MPI_COMM_WORLD";
  else if (handle == predefined().comm_self)
    named.call = "MPI_COMM_SELF";
  else if (known != nullptr && known->site != nullptr) {
    named.call = known->site->call;
    named.frames = known->site->frames;
  }
  return named;
}

TimeSums sums_of(const CallCounts& counts) {
  TimeSums sums{run_clock::running(), std::vector<Ticks>(call_count)};
  for (std::size_t i = 0; i < call_count; ++i) sums.calls[i] = counts.ticks[i].load(std::memory_order_relaxed);
  return sums;
}

// The text at an address that may be none: at most 63 bytes, printable, not empty.
std::optional<std::string> text_at(const char* address) {
  std::array<char, 64> text{};
  const OwnMemory memory;
  memory.read(reinterpret_cast<std::uintptr_t>(address),
              std::as_writable_bytes(std::span(text).first(text.size() - 1)));
  std::string found(text.data(), strnlen(text.data(), text.size()));
  static std::atomic<bool> has_said = false;
  if (found.empty() && !memory.is_readable() && !has_said.exchange(true))
    say_line(Level::warning, "regions of MPI_Pcontrol are left out: this system lets nobody read their names");
  const auto is_printable = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; };
  if (found.empty() || !std::ranges::all_of(found, is_printable)) return std::nullopt;
  return found;
}

}  // namespace

const PlaceTimes::Met& meet_first(CallCounts& counts, CallPlace place, std::uint64_t communicator) noexcept {
  watch::take_slot(counts.slot);
  look_for_python();
  place.caller = place_of_call(place.caller);
  const PlaceTimes::Key key(place.caller, static_cast<std::uint16_t>(place.call), communicator);
  const std::uint64_t departures = handle_departures.of(communicator).load(std::memory_order_acquire);
  TimedPlace timed;
  timed.call = key.call();
  const Communicator* known = nullptr;
  attempt([&] {
    timed.communicator = timed_communicator(communicator, known);
    timed.frames = frames_above(place.caller, 1);
  });
  const std::size_t before = counts.places.count();
  const PlaceTimes::Met& met = counts.places.at(key, departures, timed, known != nullptr ? known->row : nullptr);
  if (counts.places.count() != before) watch::note_place(key.at, place.caller);
  return met;
}

void note_poll(CallCounts& counts, CallPlace place, std::uint64_t communicator, std::span<const Word> words) noexcept {
  const auto* const found = from_word<const MPI_Fint*>(words[static_cast<std::size_t>(answer_word(place.call))]);
  if (found == nullptr) return;
  watch::Slot& slot = *counts.slot;
  if (*found != 0) return slot.move(2);
  const PlaceTimes::Met& met = meet(counts, place, communicator);
  slot.show(slot.at, met.key.at);
  slot.show(slot.row, reinterpret_cast<std::uintptr_t>(met.row));
  slot.show(slot.peer_and_tag, Standing::peer_and_tag(place, words));
  slot.polls.store(slot.polls.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

namespace {

// True if this process gets something from each other one: only then it cannot leave before the last has entered.
bool all_wait_for_all(const watch::Row& row, CallPlace place, std::span<const Word> words) {
  const TogetherWords at = together_words(place.call);
  if (at.counts < 0) return true;
  const WordReader read{place.binding, words.data()};
  if (!at.has_counts) return bytes_of(read.number(at.counts, at.is_large), read.type(at.type)) != 0;
  for (std::size_t i = 0; i < row.size.load(std::memory_order_relaxed); ++i)
    if (read.element(at.counts, i, at.is_large) == 0) return false;
  // Arrays of types are left alone: an action from Fortran has them as Fortran does.
  return at.type < 0 || bytes_of(1, read.type(at.type)) != 0;
}

}  // namespace

void note_arrival_of(watch::Row& row, std::uint64_t number, ArrivalNote note, CallPlace place,
                     std::span<const Word> words, Word result) noexcept {
  note.processes = row.size.load(std::memory_order_relaxed);
  attempt_to_the_end([&] {
    if (!may_have_succeeded(place.binding, result, words.data(), words.size()) || !all_wait_for_all(row, place, words))
      note.entered = 0;
  });
  note_arrival(row, number, note);
}

void add_sample(CallCounts& counts, Sampling::Alike& alike, CallPlace place, std::uint64_t communicator, Ticks began,
                Ticks ended) noexcept {
  const Ticks least = reading.load(std::memory_order_relaxed), ticks = ticks_between(began, ended);
  const Ticks of_one = ticks - std::min(ticks, least);
  const std::uint32_t calls = counts.sampling.timed(alike, of_one, ended, least);
  add_to_own(counts.ticks[static_cast<std::size_t>(place.call)], calls * of_one);
  meet(counts, place, communicator).sum->add(calls, calls * of_one);
}

void begin_times(Call first, Ticks began) noexcept {
  if (!settings().time || settings().disable || run_clock::has_begun()) return;
  reading.store(least_reading(), std::memory_order_relaxed);
  CallCounts& counts = counts_of_this_thread();
  counts.began_mpi.store(true, std::memory_order_relaxed);
  counts.of_one_thread = true;
  run_clock::begin(moment_now(), settings().skip_init);
  add_to_own(counts.ticks[static_cast<std::size_t>(first)], ticks_between(began, ticks_now()));
}

void control_times(int level, const char* name) noexcept {
  attempt([&] {
    CallCounts& counts = counts_of_this_thread();
    if (!counts.began_mpi.load(std::memory_order_relaxed)) return;
    if (level == 0) run_clock::pause();
    if (level == 1 && run_clock::go_on()) counts.sampling.forget();  // blocks that began while paused
    if (level != 2 && level != -2) return;
    const std::optional<std::string> region = text_at(name);
    if (!region) return;
    NamedParts& the = parts();
    const std::lock_guard lock(the.mutex);
    if (level == 2)
      the.regions.enter(*region, sums_of(counts));
    else
      the.regions.leave(*region, sums_of(counts));
  });
}

namespace {

report::PlaceKey place_key(const TimedPlace& place) {
  report::PlaceKey key;
  if (place == TimedPlace{}) return key;  // all that are not kept apart
  key.site = site_of(call_names[place.call], place.frames);
  if (place.communicator.call != nullptr)
    key.communicator = site_of(place.communicator.call, place.communicator.frames);
  return key;
}

// The run's times begin behind these.
bool begins_mpi(Call call) { return call == Call::Init || call == Call::Init_thread || call == Call::Session_init; }

class TimesOfRecord {
 public:
  explicit TimesOfRecord(report::Record& record)
      : record_(record), times_(record.times), rank_(record.ranks.lowest()), rate_(run_clock::rate()) {}

  void put_thread(const CallCounts& counts) {
    const bool is_main = counts.began_mpi.load(std::memory_order_relaxed);
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < call_count; ++i) {
      const Ticks ticks = counts.ticks[i].load(std::memory_order_relaxed);
      if (ticks == 0) continue;
      const std::uint64_t ns = ns_of(ticks);
      if (!begins_mpi(static_cast<Call>(i))) all += ns;
      (is_main ? main_calls_ : other_calls_)[i] += ns;
    }
    (is_main ? main_ns_ : others_ns_) += all;
    counts.places.each([&](const PlaceTimes::Sum& sum) { put_place(sum, is_main); });
    put_others(counts.places.others(), is_main);
  }

  void put_regions(const CallCounts& main) {
    NamedParts& the = parts();
    const std::lock_guard lock(the.mutex);
    for (const Region& region : the.regions.end(sums_of(main))) {
      report::RegionTime& row = times_.regions[region.name];
      std::uint64_t mpi = 0;
      for (std::size_t i = 0; i < region.sums.calls.size(); ++i) {
        if (region.sums.calls[i] == 0) continue;
        const std::uint64_t ns = ns_of(region.sums.calls[i]);
        row.calls_ns[call_names[i]] += ns;
        mpi += ns;
      }
      row.entries += region.entries;
      const std::uint64_t run = ns_of(region.sums.run);
      row.run.add(run, std::min(mpi, run), rank_);
    }
  }

  void end() {
    for (std::size_t i = 0; i < call_count; ++i) {
      if (main_calls_[i] + other_calls_[i] == 0) continue;
      report::CallCount& call = record_.calls[call_names[i]];
      if (main_calls_[i] != 0) call.time_ns.add(main_calls_[i], rank_);
      call.other_threads_ns += other_calls_[i];
    }
    for (const auto& [key, own] : places_) {
      report::PlaceTime& row = times_.places[key];
      row.calls += own.calls;
      row.processes.merge(own.processes);
      row.other_threads_ns += own.other_threads_ns;
      if (own.main_ns != 0) row.time_ns.add(own.main_ns, rank_);
    }
    times_.paused_ns.add(ns_of(run_clock::paused()));
    const std::uint64_t run = ns_of(run_clock::running());
    times_.run.add(run, std::min(main_ns_, run), rank_);
    if (others_ns_ != 0) times_.other_threads_ns.add(others_ns_);
    times_.bars[rank_ / report::Times::ranks_a_bar(std::max<std::uint64_t>(record_.job.ranks, 1))].add(
        std::min(main_ns_, run));
  }

 private:
  // What this process knows of a place, all threads and communicators of one name together.
  struct OwnPlace {
    std::uint64_t calls = 0, main_ns = 0, other_threads_ns = 0;
    report::Spread processes{};
  };

  std::uint64_t ns_of(Ticks ticks) const { return static_cast<std::uint64_t>(static_cast<double>(ticks) * rate_); }

  void put_place(const PlaceTimes::Sum& sum, bool is_main) {
    const TimedPlace& place = sum.place;
    if (sum.calls.load(std::memory_order_relaxed) == 0) return;  // none was timed
    OwnPlace& own = places_[place_key(place)];
    own.calls += sum.calls.load(std::memory_order_relaxed);
    if (place.communicator.processes != 0) own.processes.add(place.communicator.processes);
    (is_main ? own.main_ns : own.other_threads_ns) += ns_of(sum.ticks.load(std::memory_order_relaxed));
  }
  void put_others(const PlaceTimes::Sum& sum, bool is_main) {
    const std::uint64_t calls = sum.calls.load(std::memory_order_relaxed);
    if (calls == 0) return;
    OwnPlace& own = places_[report::PlaceKey{}];
    own.calls += calls;
    (is_main ? own.main_ns : own.other_threads_ns) += ns_of(sum.ticks.load(std::memory_order_relaxed));
  }

  report::Record& record_;
  report::Times& times_;
  const std::uint64_t rank_;
  const double rate_;
  std::array<std::uint64_t, call_count> main_calls_{}, other_calls_{};
  std::uint64_t main_ns_ = 0, others_ns_ = 0;
  std::map<report::PlaceKey, OwnPlace> places_;
};

}  // namespace

void put_times_into(report::Record& record) {
  if (!run_clock::has_begun() || !settings().time) return;
  run_clock::end();
  TimesOfRecord times(record);
  counts_of_all_threads().each([&](const CallCounts& counts) {
    times.put_thread(counts);
    if (counts.began_mpi.load(std::memory_order_relaxed)) times.put_regions(counts);
  });
  times.end();
}

void put_arrivals_into(report::Record& record) {
  const auto [notes, greatest] = arrival_notes();
  const bool are_any =
      std::ranges::any_of(notes, [](const ArrivalNote& note) { return note.place != nullptr && note.left != 0; });
  if (!are_any || node_map().nodes() == 0) return;
  const auto hash_of_key = [](std::uint64_t at) {
    std::uint64_t hash = 0;
    counts_of_all_threads().each([&](const CallCounts& counts) {
      if (const PlaceTimes::Sum* const sum = counts.places.lately_at(at)) hash = hash_of(place_key(sum->place));
    });
    return hash;
  };
  const double rate = run_clock::rate();
  const auto rank = static_cast<std::uint32_t>(record.ranks.lowest());
  const auto node = static_cast<std::uint32_t>(node_map().node_of(static_cast<std::int32_t>(rank)));
  std::map<const PlaceTimes::Sum*, std::uint64_t> places;
  std::map<std::uint64_t, std::uint64_t> before;
  std::vector<report::ArrivalSample> samples;
  for (const ArrivalNote& note : notes) {
    report::ArrivalSample sample{.call = note.call, .entered = note.entered, .left = note.left};
    sample.ns_a_tick = rate;
    sample.rank = rank, sample.node = node;
    sample.processes = note.processes, sample.halvings = note.halvings;
    if (note.place != nullptr) {
      if (!places.contains(note.place)) places[note.place] = hash_of(place_key(note.place->place));
      if (!before.contains(note.before)) before[note.before] = hash_of_key(note.before);
      sample.place = places[note.place], sample.before = before[note.before];
    }
    samples.push_back(sample);
  }
  record.arrivals = report::ArrivalSamples(std::move(samples), greatest);
}

}  // namespace marshal
