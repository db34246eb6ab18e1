#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <utility>

#include "base/printable_text.h"
#include "record/rank_set.h"
#include "record/site_names.h"
#include "record/units.h"
#include "tools/stands/verdicts.h"

namespace marshal::tools::stands {
namespace {

constexpr std::size_t most_groups = 24, most_lines = 8, few_processes = 4;

// "ranks 0-3, 7"
std::string named(const Ranks& ranks, std::string_view what = "rank") {
  std::vector<report::RankSet::Interval> each;
  for (const std::uint64_t rank : ranks) each.emplace_back(rank, rank);
  return fmt::format("{}{} {}", what, ranks.size() == 1 ? "" : "s", report::RankSet::from_intervals(each).text());
}

std::string ordinal(std::uint64_t number) {
  const std::uint64_t digit = number % 100 / 10 == 1 ? 0 : number % 10;
  return fmt::format("{}{}", number, digit == 1 ? "st" : digit == 2 ? "nd" : digit == 3 ? "rd" : "th");
}

std::string_view state_text(char letter) {
  constexpr std::string_view letters = "RSIDTtZX";
  constexpr std::array<std::string_view, 9> states{"running", "sleeping", "sleeping", "in the kernel (D)", "stopped",
                                                   "stopped", "gone",     "gone",     "state unknown"};
  return states[std::min(letters.find(letter), letters.size())];
}

// A process with one of its threads, or with none.
using Standing = std::pair<const Process*, const Thread*>;
// They are inside the call, or not; the text before their numbers, the text behind, and the communicator.
using Place = std::tuple<bool, std::string, std::string, std::uint64_t>;
using Groups = std::map<Place, std::vector<Standing>>;

Ranks ranks_of(const std::vector<Standing>& group) {
  Ranks ranks;
  for (const auto& [process, thread] : group) ranks.insert(process->rank);
  return ranks;
}

// "312", or "300 to 312" where the threads differ.
template <class Value>
std::string range_text(const std::vector<Standing>& group, Value Thread::*value, std::string (*text)(Value)) {
  const auto [least, most] = std::ranges::minmax(group, {}, [&](const Standing& one) { return one.second->*value; });
  const std::string first = text(least.second->*value), last = text(most.second->*value);
  return first == last ? first : first + " to " + last;
}

// " rank 4", " any rank", or nothing.
std::string argument_text(const std::vector<Standing>& group, std::string Thread::*value, const std::string& what) {
  const std::string& first = group[0].second->*value;
  if (std::ranges::any_of(group, [&](const Standing& one) { return one.second->*value != first; }))
    return fmt::format(" different {}s", what);
  return first == "-" ? "" : first == "any" ? " any " + what : fmt::format(" {} {}", what, first);
}

std::string arguments_text(const std::vector<Standing>& group) {
  const auto has = [&](const char* part) { return group[0].second->call.find(part) != std::string::npos; };
  const std::string peer = argument_text(group, &Thread::peer, "rank"), tag = argument_text(group, &Thread::tag, "tag");
  const char* const towards = (has("ecv") && !has("Send")) || has("robe")                    ? " from"
                              : has("cast") || has("educe") || has("ather") || has("catter") ? " with root"
                                                                                             : " to";
  return (peer.empty() ? "" : towards + peer) + (tag.empty() ? "" : "," + tag);
}

// The words for what is in a picture. Each frame is looked up once.
class Words {
 public:
  explicit Words(const Picture& picture)
      : picture_(picture), places_(picture.is_foreign ? report::when_read_of_others : report::when_read) {
    for (const auto& [rank, process] : picture.processes)
      for (const Member& member : process.communicators) members_.emplace(member.communicator, &member);
  }

  void add(const Process& process, Groups& groups) {
    static constexpr std::array ends{"gone without MPI_Finalize", "ended without MPI_Finalize", "has left MPI_Finalize",
                                     "not seen by Marshal", "outside MPI"};
    const std::string end = ends[static_cast<std::size_t>(process.life)];
    const bool is_out = std::ranges::count(process.threads, How::out, &Thread::how) == std::ssize(process.threads);
    if (process.threads.empty())
      groups[{false, process.more == 0 ? end : "in threads that nobody sees", "", 0}].emplace_back(&process, nullptr);
    for (const Thread& thread : process.threads) {
      const std::string call = thread.call + place(thread.frames);
      if (process.life == Life::alive && thread.how != How::out)
        groups[{true, (thread.how == How::poll ? "asks again and again: " : "") + call, "", thread.communicator}]
            .emplace_back(&process, &thread);
      else if (thread.how != How::out || is_out)
        groups[{false, end, thread.call == "-" ? ", before any call" : (is_out ? ", after " : ", in ") + call, 0}]
            .emplace_back(&process, &thread);
    }
  }

  // "MPI_Recv at io.c:9 in read from rank 4, tag 7 on MPI_COMM_WORLD, for 312 s [sleeping, pid 4711 on n7]"
  std::string sentence(const Place& where, const std::vector<Standing>& group) {
    const auto& [is_inside, begin, end, identity] = where;
    std::string out = begin;
    if (is_inside) {
      const std::string on = communicator(identity);
      out += arguments_text(group) + (on.empty() ? "" : " on " + on);
      if (group[0].second->number != 0)
        out += fmt::format(", the {} collective there", range_text(group, &Thread::number, ordinal));
      out += ",";
    }
    if (group[0].second != nullptr) out += " for " + range_text(group, &Thread::seconds, whole) + " s" + end;
    std::vector<std::string> each;
    for (std::size_t n = 0; n < group.size() && group.size() <= few_processes; ++n) {
      const Process& process = *group[n].first;
      const std::string_view state = process.life == Life::alive ? state_text(process.state) : "over";
      each.push_back(fmt::format("{}, pid {} on {}", state, process.pid, host_of(process)));
    }
    return each.empty() ? out : fmt::format("{} [{}]", out, fmt::join(each, "; "));
  }

  // "ranks 0-3 in MPI_Barrier, the 12th collective on MPI_COMM_WORLD, for rank 4"
  std::string sentence(const Wait& wait) {
    std::string out = fmt::format("{} in {}", named(wait.waiters), wait.call);
    if (wait.number != 0)
      out += fmt::format(", the {} collective on {}", ordinal(wait.number), communicator(wait.communicator));
    if (!wait.missing.empty()) out += ", for " + named(wait.missing);
    return out;
  }

  const std::string& host_of(const Process& process) const { return picture_.nodes.at(process.node).host; }

 private:
  static std::string whole(std::int64_t seconds) { return fmt::format("{}", seconds); }
  std::string name(const report::Frame& frame) {
    const auto [found, is_new] = names_.try_emplace(frame);
    if (is_new) found->second = places_.name(frame);
    return found->second.empty() ? report::place_text(frame) : found->second;
  }
  // With the place in the program, where a library made the call.
  std::string place(const std::vector<report::Frame>& frames) {
    if (frames.empty()) return {};
    const auto outer = std::ranges::find(frames, frames.back().module, &report::Frame::module);
    return " at " + name(frames[0]) + (outer == frames.begin() ? "" : ", first called from " + name(*outer) + ",");
  }
  std::string communicator(std::uint64_t identity) {
    const auto found = members_.find(identity);
    if (identity == 0 || found == members_.end()) return {};
    const Member& member = *found->second;
    const std::string at = member.made_at ? " at " + name(*member.made_at) : "";
    if (member.made_by == "MPI_COMM_WORLD") return member.made_by;
    const std::string size = member.size == 0 ? "" : fmt::format(" of {}", member.size);
    return fmt::format("a communicator{} by {}{}", size, member.made_by, at);
  }

  const Picture& picture_;
  report::SourcePlaces places_;
  std::map<report::Frame, std::string> names_;
  std::map<std::uint64_t, const Member*> members_;
};

std::vector<std::string> notes_of(const Picture& picture, std::int64_t newest) {
  std::vector<std::string> notes;
  Ranks missing;
  for (std::uint64_t n = 0; n < picture.job.nodes; ++n)
    if (!picture.nodes.contains(n)) missing.insert(n);
  if (!missing.empty()) notes.push_back("no file of " + named(missing, "node"));
  for (const auto& [number, node] : picture.nodes) {
    const std::string begin = fmt::format("node {} ({}): its file ", number, node.host);
    if (node.is_cut) notes.push_back(begin + "was cut, processes are missing");
    if ((newest - node.written) * 5 > picture.job.watch)
      notes.push_back(fmt::format("{}is older than the newest by {} s", begin, newest - node.written));
  }
  return notes;
}

// The next step: look at a process that others wait for, and best at one that waits for none.
std::vector<std::string> next_step(const Picture& picture, const std::vector<Wait>& waits, const Words& words) {
  Ranks waiting;
  for (const Wait& wait : waits) waiting.insert(wait.waiters.begin(), wait.waiters.end());
  for (const bool may_wait : {false, true})
    for (const Wait& wait : waits)
      for (const std::uint64_t rank : wait.missing) {
        const Process& one = picture.processes.at(rank);
        if (one.is_over() || (!may_wait && waiting.contains(rank))) continue;
        const bool is_python = std::ranges::any_of(
            one.threads, [](const Thread& t) { return !t.frames.empty() && t.frames[0].is_python(); });
        return {fmt::format("{} {} on {}, for rank {}", is_python ? "py-spy dump --pid" : "gdb -p", one.pid,
                            words.host_of(one), rank)};
      }
  return {};
}

}  // namespace

Shown shown(const Picture& picture, const Findings& findings, std::int64_t now) {
  std::int64_t newest = 0;
  for (const auto& [number, node] : picture.nodes) newest = std::max(newest, node.written);
  Words words(picture);
  Groups by_place;
  for (const auto& [rank, process] : picture.processes) words.add(process, by_place);
  std::vector<std::pair<Ranks, std::string>> groups;
  for (const auto& [where, group] : by_place) groups.emplace_back(ranks_of(group), words.sentence(where, group));
  std::ranges::stable_sort(groups, std::greater(), [](const auto& group) { return group.first.size(); });
  std::vector<std::string> lines, waits, verdicts;
  for (const auto& [ranks, sentence] : groups)
    lines.push_back(
        fmt::format("{} of {} processes ({}): {}", ranks.size(), picture.job.world, named(ranks), sentence));
  for (const Wait& wait : findings.waits) waits.push_back(words.sentence(wait));
  for (const Verdict& verdict : findings.verdicts) {
    std::vector<std::string> parts;
    for (const Wait& part : verdict.parts) parts.push_back(words.sentence(part));
    verdicts.push_back(fmt::format("{}: {}", verdict.why, fmt::join(parts, "; ")));
  }
  Shown out{
      fmt::format("{}, job {}: {} on {}, as seen at {:%Y-%m-%d %H:%M:%S}, {} ago\n", printable(picture.job.program),
                  printable(picture.job.id), report::counted(picture.job.world, "rank"),
                  report::counted(picture.job.nodes, "node"), fmt::localtime(std::time_t{newest}),
                  report::seconds_text(static_cast<double>(std::max<std::int64_t>(now - newest, 0)))),
      report::Json::object({{"program", picture.job.program},
                            {"job", picture.job.id},
                            {"processes", picture.job.world},
                            {"nodes", picture.job.nodes},
                            {"written", newest},
                            {"stands", findings.stands}})};
  // The JSON has all lines, the screen the first ones.
  const auto add = [&](const char* name, const char* begin, std::size_t most, const std::vector<std::string>& all) {
    for (std::size_t n = 0; n < std::min(all.size(), most); ++n) out.text += begin + printable(all[n]) + "\n";
    if (all.size() > most) out.text += fmt::format("{}and {} more\n", begin, all.size() - most);
    out.json.add(name, all);
  };
  add("notes", "", most_lines, notes_of(picture, newest));
  add("groups", "", most_groups, lines);
  add("waits_for", "Waits for: ", most_lines, waits);
  add("certain", "Certain: ", most_lines, verdicts);
  add("next", "Next: ", 1, next_step(picture, findings.waits, words));
  return out;
}

}  // namespace marshal::tools::stands
