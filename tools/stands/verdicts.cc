#include "tools/stands/verdicts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "base/split_text.h"

namespace marshal::tools::stands {
namespace {

constexpr std::int64_t long_enough = 5, forever = INT64_MAX / 2;

// Every member waits in these until all have come. Other names may go on behind them.
bool waits_for_all(std::string_view call) {
  static constexpr std::array begins = std::to_array<std::string_view>(
      {"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall", "MPI_Reduce_scatter", "MPI_Comm_dup",
       "MPI_Comm_split", "MPI_Cart_create", "MPI_Cart_sub", "MPI_Graph_create", "MPI_Dist_graph_create",
       "MPI_Win_create", "MPI_Win_allocate", "MPI_File_open"});
  if (call.ends_with("_init")) return false;
  return call == "MPI_Comm_create" || std::ranges::any_of(begins, [&](auto begin) { return call.starts_with(begin); });
}

Ranks both(Ranks some, const Ranks& others) {
  std::erase_if(some, [&](std::uint64_t rank) { return !others.contains(rank); });
  return some;
}

class Finder {
 public:
  explicit Finder(const Picture& picture) : picture_(picture) {
    for (const auto& [rank, process] : picture.processes)
      for (const Member& member : process.communicators) members_[member.communicator].emplace(rank, &member);
    for (const auto& [communicator, members] : members_)
      for (const auto& [rank, member] : members) by_rank_[{communicator, member->rank}].insert(rank);
    std::int64_t earliest = forever, latest = -forever;  // begin of the run
    for (const auto& [number, node] : picture.nodes) {
      earliest = std::min(earliest, node.written - node.age);
      latest = std::max(latest, node.written - node.age);
    }
    wanted_ = long_enough + (latest - earliest);
  }

  Findings found() {
    Findings all;
    for (const auto& [rank, process] : picture_.processes)
      if (process.life == Life::alive)
        for (const Thread& thread : process.threads)
          if (thread.how == How::in) add_call(process, thread);
    add_waits(all.waits);
    add_different_calls(all.verdicts);
    add_vain_waits(all.waits, all.verdicts);
    all.stands = !all.verdicts.empty() || nobody_moved();
    return all;
  }

 private:
  void add_call(const Process& process, const Thread& thread) {
    const std::string name = thread.call.substr(0, thread.call.size() - (thread.call.ends_with("_c") ? 2 : 0));
    std::int64_t peer = -1;
    if (name == "MPI_Finalize") at_the_end_.insert(process.rank);
    if (thread.communicator == 0 || !members_[thread.communicator].contains(process.rank)) return;
    if (thread.number != 0) collectives_[{thread.communicator, thread.number}][name].insert(process.rank);
    const bool receives = name == "MPI_Recv" || name == "MPI_Probe" || name == "MPI_Mprobe";
    if (!receives || !read_number(thread.peer, peer) || peer < 0) return;
    const Ranks& from = by_rank_[{thread.communicator, peer}];  // two may claim to be it
    if (from.size() == 1) receives_[{*from.begin(), name}].insert(process.rank);
  }

  void add_waits(std::vector<Wait>& waits) const {
    Wait end{"MPI_Finalize", 0, 0, at_the_end_};
    for (const auto& [rank, process] : picture_.processes)
      if (process.life != Life::finished && process.life != Life::unseen && !at_the_end_.contains(rank))
        end.missing.insert(rank);
    waits.push_back(std::move(end));
    for (auto at = collectives_.begin(); at != collectives_.end(); ++at) {
      const auto& [communicator, number] = at->first;
      if (std::next(at) != collectives_.end() && std::next(at)->first.first == communicator) continue;
      const auto& members = members_.at(communicator);  // the call is the one that is furthest
      const auto call = std::ranges::find_if(at->second, [](const auto& entry) { return waits_for_all(entry.first); });
      if (call == at->second.end()) continue;
      Wait wait{call->first, communicator, number, call->second};
      for (const auto& [rank, member] : members) {
        if (member->count < number && !wait.waiters.contains(rank)) wait.missing.insert(rank);
        wait.knows_all = wait.knows_all && member->size == members.size();
      }
      waits.push_back(std::move(wait));
    }
    for (const auto& [key, waiters] : receives_) waits.push_back({key.second, 0, 0, waiters, {key.first}});
    std::erase_if(waits, [](const Wait& wait) { return wait.waiters.empty() || wait.missing.empty(); });
    std::ranges::stable_sort(waits, std::greater(), [](const Wait& wait) { return wait.waiters.size(); });
  }

  // From when to when it did not move. A process that is over never moves again.
  std::pair<std::int64_t, std::int64_t> window_of(const Process& process) const {
    const std::int64_t written = picture_.nodes.at(process.node).written;
    std::int64_t since = process.more != 0 || (process.threads.empty() && !process.is_over()) ? 0 : forever;
    for (const Thread& thread : process.threads) since = std::min(since, thread.seconds);
    return {written - since, process.is_over() ? forever : written};
  }

  // The most of them that have a long enough window together.
  Ranks together(const Ranks& all) const {
    std::int64_t open = 0, most = 0, best = 0;
    std::map<std::int64_t, std::int64_t> changes;  // of the number of windows that go on for so long
    for (const std::uint64_t rank : all)
      if (const auto [begin, end] = window_of(picture_.processes.at(rank)); end - begin >= wanted_)
        ++changes[begin], --changes[end - wanted_ + 1];
    for (const auto& [time, change] : changes)
      if ((open += change) > most) most = open, best = time;
    Ranks some;
    for (const std::uint64_t rank : all)
      if (const auto [begin, end] = window_of(picture_.processes.at(rank)); begin <= best && end - wanted_ >= best)
        some.insert(rank);
    return some;
  }

  // One number on one communicator is one call.
  void add_different_calls(std::vector<Verdict>& verdicts) const {
    for (const auto& [key, calls] : collectives_) {
      if (calls.size() < 2) continue;
      Ranks all;
      for (const auto& [name, ranks] : calls) all.insert(ranks.begin(), ranks.end());
      all = together(all);
      Verdict verdict{"one collective has different calls", {}};
      for (const auto& [name, ranks] : calls)
        if (Ranks some = both(ranks, all); !some.empty())
          verdict.parts.push_back({name, key.first, key.second, std::move(some)});
      if (verdict.parts.size() > 1) verdicts.push_back(std::move(verdict));
    }
  }

  bool is_over(std::uint64_t rank) const { return picture_.processes.at(rank).is_over(); }
  // No thread that nobody sees can serve others.
  bool only_waits(std::uint64_t rank) const {
    const Process& process = picture_.processes.at(rank);
    return process.level >= 0 && process.level < 3 && process.more == 0 &&
           std::ranges::count(process.threads, How::out, &Thread::how) + 1 == std::ssize(process.threads);
  }
  static void keep(std::vector<Wait>& waits, const Ranks& ranks) {
    for (Wait& wait : waits) wait.waiters = both(wait.waiters, ranks), wait.missing = both(wait.missing, ranks);
    std::erase_if(waits, [](const Wait& wait) { return wait.waiters.empty() || wait.missing.empty(); });
  }

  void add_vain_waits(const std::vector<Wait>& waits, std::vector<Verdict>& verdicts) const {
    Ranks named;
    for (const Wait& each : waits) {
      std::vector<Wait> one{each};
      std::erase_if(one[0].missing, [&](std::uint64_t rank) { return !is_over(rank); });
      if (one[0].missing.empty()) continue;
      Ranks all = one[0].waiters;
      all.insert(one[0].missing.begin(), one[0].missing.end());
      keep(one, together(all));
      for (const Wait& wait : one) named.insert(wait.waiters.begin(), wait.waiters.end());
      if (!one.empty()) verdicts.push_back({"a process is over that others wait for", std::move(one)});
    }
    std::vector<Wait> locked = waits;
    keep(locked, deadlocked(locked));
    const auto is_named = [&](const Wait& wait) { return both(wait.waiters, named).size() == wait.waiters.size(); };
    if (std::ranges::all_of(locked, is_named)) return;
    const bool has_receive = std::ranges::count(locked, 0u, &Wait::number) != 0;
    verdicts.push_back({has_receive ? "each waits for another one (unless a message is still on its way)"
                                    : "each waits for another one",
                        std::move(locked)});
  }

  // The greatest set in which each waits for another one, or for a process that is over.
  Ranks deadlocked(std::vector<Wait>& waits) const {
    std::erase_if(waits, [](const Wait& wait) { return !wait.knows_all || wait.call == "MPI_Finalize"; });
    Ranks stuck;
    for (Wait& wait : waits) {
      std::erase_if(wait.waiters, [&](std::uint64_t rank) { return !only_waits(rank); });
      stuck.insert(wait.waiters.begin(), wait.waiters.end());
      std::ranges::copy_if(wait.missing, std::inserter(stuck, stuck.end()), [&](auto rank) { return is_over(rank); });
    }
    stuck = together(stuck);
    constexpr std::size_t most_steps = std::size_t{1} << 24;
    for (std::size_t before = SIZE_MAX, steps = 0; before != stuck.size();) {
      if (steps > most_steps) return {};
      before = stuck.size();
      for (const Wait& wait : waits) {
        steps += wait.missing.size();
        if (std::ranges::none_of(wait.missing, [&](std::uint64_t rank) { return stuck.contains(rank); }))
          for (const std::uint64_t waiter : wait.waiters) stuck.erase(waiter);
      }
    }
    return stuck;
  }

  bool nobody_moved() const {
    bool is_any = false;
    for (const auto& [rank, process] : picture_.processes) {
      if (process.life == Life::finished || process.life == Life::unseen || process.threads.empty()) continue;
      const auto [begin, end] = window_of(process);
      if (end - begin < long_enough) return false;
      is_any = true;
    }
    return is_any;
  }

  const Picture& picture_;
  std::map<std::uint64_t, std::map<std::uint64_t, const Member*>> members_;  // communicator -> rank
  std::map<std::pair<std::uint64_t, std::int64_t>, Ranks> by_rank_;          // communicator and rank there
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::map<std::string, Ranks>> collectives_;  // and number -> call
  std::map<std::pair<std::uint64_t, std::string>, Ranks> receives_;                              // from a rank
  Ranks at_the_end_;
  std::int64_t wanted_ = 0;  // seconds
};

}  // namespace

Findings findings_of(const Picture& picture) { return Finder(picture).found(); }

}  // namespace marshal::tools::stands
