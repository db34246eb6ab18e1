#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/printable_text.h"
#include "findings/findings.h"
#include "pages/pages.h"
#include "pages/sections.h"
#include "pages/table.h"
#include "record/record.h"
#include "record/units.h"

namespace marshal::report {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t label_columns = 14;

// A percentage without digits that nobody needs.
std::string share_text(double share) {
  const double percent = 100 * share;
  return percent == 0 || percent >= 0.95 ? fmt::format("{:.0f} %", percent) : percent_text(share);
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

class Screen {
 public:
  // At most `most` lines of a text, under a label, and none of the lines that are kept for others. A text that is too
  // long loses its end.
  void add(const std::string& label, const std::string& text, std::size_t most = 2) {
    most = std::min(most, room());
    if (most == 0) return;
    Lines lines = wrap(printable(text), screen_columns - label_columns);
    if (lines.size() > most) {
      lines.resize(most);
      std::string& last = lines.back();
      if (columns_of(last) + 4 > screen_columns - label_columns) last.erase(std::min(last.rfind(' '), last.size()));
      last = cut(last + " ...", screen_columns - label_columns);
    }
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines_.push_back(fmt::format("{:<{}}{}", i == 0 ? label : "", label_columns, lines[i]));
  }
  void add_line(const std::string& line) { lines_.push_back(cut(printable(line), screen_columns)); }
  // One line that can be pasted, however long it is.
  void add_whole(const std::string& label, const std::string& text) {
    lines_.push_back(fmt::format("{:<{}}{}", label, label_columns, printable(text)));
  }
  std::size_t room() const { return screen_lines - std::min(screen_lines, lines_.size() + kept_); }
  void keep_lines(std::size_t count) { kept_ = count; }
  std::string text() const { return fmt::format("{}\n", fmt::join(lines_, "\n")); }

 private:
  Lines lines_;
  std::size_t kept_ = 0;
};

std::string title(const Record& record) {
  const Job& job = record.job;
  std::string text = fmt::format("Marshal {}: {}, {}, {}", job.marshal_version, job.program,
                                 job.mpi.empty() ? "MPI not available" : job.mpi, counted(job.ranks, "rank"));
  text += job.nodes == 0 ? ", nodes not available" : fmt::format(" on {}", counted(job.nodes, "node"));
  if (record.own.wall_ns.samples != 0) text += ", " + time_text(record.own.wall_ns.max);
  return text;
}

void add_problems(Screen& screen, const Record& record) {
  if (record.ranks.count() < record.job.ranks)
    screen.add("Incomplete",
               fmt::format("{} of {} ranks recorded; missing: {}", record.ranks.count(), record.job.ranks,
                           record.ranks.missing(record.job.ranks).text()),
               1);
  if (!record.partial.empty())
    screen.add("Incomplete",
               fmt::format("{} ended without MPI_Finalize: {}", counted(record.partial.count(), "rank"),
                           record.partial.text()),
               1);
  constexpr std::size_t most = 2;
  std::size_t shown = 0;
  record.warnings.each([&](const std::string& text, const Warning& warning) {
    if (++shown > most) return;
    screen.add("Warning", warning.count > 1 ? fmt::format("{} ({} times)", text, warning.count) : text);
  });
  if (shown > most) screen.add("", fmt::format("{} more", counted(shown - most, "warning")));
}

// Calls of the thread that began MPI, the longest first: "MPI_Waitall 29 %, MPI_Allreduce 7 %".
std::string heaviest_calls(const Record& record) {
  const double run = real(record.times.run.run_ns.sum);
  std::string text;
  std::size_t shown = 0;
  for (const auto& [name, call] :
       record.calls.heaviest_first([](const CallCount& count) { return count.time_ns.of.sum; })) {
    const double share = ratio(real(call->time_ns.of.sum), run);
    if (begins_or_ends_mpi(*name) || share < 0.005 || ++shown > 3) continue;
    text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", *name, share_text(share));
  }
  return text;
}

// The place of the program whose calls took most: "MPI_Allreduce at heat.c:58 in main, 48 % (rank 0: 53 %)". Empty
// where nobody knows that: the places that are not kept apart took longer.
std::string heaviest_place(const Times& times) {
  for (const auto& [key, place] : times.places.heaviest_first([](const PlaceTime& p) { return p.time_ns.of.sum; })) {
    const RankedSpread& time = place->time_ns;
    const double share = ratio(real(time.of.sum), real(times.run.run_ns.sum));
    if (share < 0.005 || key->site.call.empty() || time.of.sum < times.places.others().time_ns.of.sum) return {};
    const std::string where = name_or_place(place->symbol, key->site);
    if (begins_or_ends_mpi(key->site.call) || where.empty()) continue;
    std::string text = fmt::format("{} at {}, {}", key->site.call, where, share_text(share));
    if (time.of.samples > 1)
      text += fmt::format(" (rank {}: {})", time.most_rank,
                          share_text(ratio(real(time.of.max), real(times.run.run_ns.max))));
    return text;
  }
  return {};
}

void add_times(Screen& screen, const Record& record) {
  const Times& times = record.times;
  if (!times.measured()) return;
  const TimedRun& run = times.run;
  std::string text = share_text(run.mpi_share()) + " in MPI";
  if (run.mpi_ns.of.samples > 1)
    text += fmt::format(" (rank {}: {})", run.mpi_ns.most_rank,
                        share_text(ratio(real(run.mpi_ns.of.max), real(run.run_ns.max))));
  text += waiting_text(times) + heaviest_calls(record);
  if (run.run_ns.samples > 1)
    text +=
        fmt::format("; load balance {:.2f}, communication {:.2f}", run.load_balance(), run.communication_efficiency());
  if (const std::string cores = too_many_text(record); !cores.empty()) text += "; " + cores;
  screen.add("Time", text, 3);
  if (const std::string place = heaviest_place(times); !place.empty()) screen.add("", "longest place: " + place, 1);
  if (times.other_threads_ns.sum != 0)
    screen.add("", fmt::format("other threads: {} in MPI in a process at most", time_text(times.other_threads_ns.max)));
  if (times.paused_ns.max != 0)
    screen.add("", fmt::format("without {} that MPI_Pcontrol left out", time_text(times.paused_ns.max)));
  auto regions = times.regions.heaviest_first([](const RegionTime& region) { return region.run.run_ns.sum; });
  constexpr std::size_t most = 2;
  for (std::size_t i = 0; i < std::min(regions.size(), most); ++i) {
    const TimedRun& part = regions[i].second->run;
    screen.add("",
               fmt::format("region {}: {} of the run, {} of it in MPI{}", *regions[i].first,
                           share_text(ratio(real(part.run_ns.sum), real(run.run_ns.sum))), share_text(part.mpi_share()),
                           i + 1 == most && regions.size() > most
                               ? fmt::format("; {} more",
                                             counted_rows(regions.size() - most, times.regions.overflowed(), "region"))
                               : ""),
               1);
  }
}

bool any_message(const Traffic& sent) {
  return sent.messages + sent.unknown_messages + sent.foreign_messages + sent.lost_messages != 0;
}

template <class Is>
bool any_call(const Record& record, Is&& is) {
  bool any = false;
  record.calls.each([&](const std::string& name, const CallCount&) { any |= is(name); });
  return any;
}

void add_traffic(Screen& screen, const Record& record) {
  const Traffic& sent = record.traffic;
  CallsAndBytes collective;
  for (const auto& [call, count] : sent.collectives) collective.merge(count.all);
  if (!any_message(sent) && collective.bytes == 0) return;
  std::string text = fmt::format("{} in {}", bytes_text(sent.bytes), counted(sent.messages, "message"));
  if (record.job.nodes > 1 && sent.bytes != 0) {
    text += fmt::format(", {} left its node", share_text(ratio(real(sent.between_nodes.in_force), real(sent.bytes))));
    if (sent.between_nodes.in_force != sent.between_nodes.given)
      text +=
          fmt::format(" ({} in the order given)", share_text(ratio(real(sent.between_nodes.given), real(sent.bytes))));
  }
  if (collective.bytes != 0)
    text += fmt::format("; {} handed to collectives in {}", bytes_text(collective.bytes),
                        counted(collective.calls, "call"));
  if (sent.foreign_messages != 0)
    text += fmt::format("; {} in {} to other jobs", bytes_text(sent.foreign_bytes),
                        counted(sent.foreign_messages, "message"));
  if (sent.unknown_messages != 0)
    text += fmt::format("; {} more to processes not known", count_text(sent.unknown_messages));
  if (any_call(record, is_collective_on_files)) text += "; what MPI-IO sends is not counted";
  if (sent.unsized != 0) text += fmt::format("; {} without their bytes", count_text(sent.unsized));
  if (sent.lost_messages != 0) text += fmt::format("; {} more not counted, for want of memory", sent.lost_messages);
  screen.add("Traffic", text);
  if (const AskedOrder& order = record.job.order; order.elsewhere != 0)
    screen.add("", fmt::format("the order of `marshal launch` was not obeyed: {} of {} ranks are elsewhere",
                               count_text(order.elsewhere), count_text(order.ranks)));
  else if (order.ranks != 0)
    screen.add("",
               fmt::format(
                   "placed by `marshal launch`: {} between nodes{}", bytes_text(sent.between_nodes.in_force),
                   order.bytes_given == 0 ? "" : " where the order given had " + bytes_text(sent.between_nodes.given)));
}

void add_grids(Screen& screen, const Record& record) {
  const auto rows = record.grids.heaviest_first([](const Grid& g) { return g.processes * g.made; });
  constexpr std::size_t most = 2;
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
    const auto& [key, grid] = rows[i];
    std::string text = dims_text(*key) + at(grid->symbol, key->site);
    const PlacedBytes& between = grid->traffic.between_nodes;
    if (key->moved) {
      text += fmt::format(": {} of {} ranks moved", count_text(grid->moved_ranks), count_text(grid->processes));
      if (between != PlacedBytes{}) text += ", " + in_place_of_given(grid->traffic);
    } else if (is_placed_by_next_run(*key, *grid, record)) {
      text += ": in the order given; run it again, and what was measured places it";
    } else {
      text += ": in the order given" + (grid->reason.empty() ? "" : fmt::format(" ({})", grid->reason));
    }
    if (i + 1 == most && rows.size() > most)
      text += fmt::format("; {} more", counted_rows(rows.size() - most, record.grids.overflowed(), "grid"));
    screen.add(i == 0 ? "Grids" : "", text);
  }
}

struct DatatypeWork {
  PackWork packed;
  MessageWork sent;  // senders alone: receivers move the same bytes
};

DatatypeWork datatype_work(const Record& record) {
  DatatypeWork all;
  const DatatypeLayout sum = record.datatypes.sum();
  all.packed = sum.pack;
  all.packed.merge(sum.unpack);
  all.sent = sum.sent;
  return all;
}

// At the senders. The program's messages do not have in them what the MPI library sends inside collective calls.
std::string sent_text(const MessageWork& sent, const Traffic& traffic) {
  const std::string all =
      fmt::format("{} sent in {}", bytes_text(traffic.derived_bytes), counted(traffic.derived_messages, "message"));
  if (traffic.processes == 0) return fmt::format("{} sent by Marshal's engine", bytes_text(sent.engine_bytes));
  if (sent.engine_bytes > traffic.derived_bytes)
    return fmt::format("{}; {} by Marshal's engine, with collective calls", all, bytes_text(sent.engine_bytes));
  return fmt::format("{}, {} by Marshal's engine", all,
                     share_text(ratio(real(sent.engine_bytes), real(traffic.derived_bytes))));
}

void add_datatypes(Screen& screen, const Record& record) {
  const auto [packed, sent] = datatype_work(record);
  std::string text;
  if (packed.calls != 0)
    text = fmt::format("{} in {} of MPI_Pack and MPI_Unpack, {} by Marshal's engine", bytes_text(packed.bytes),
                       counted(packed.calls, "call"), share_text(ratio(real(packed.engine_bytes), real(packed.bytes))));
  if (sent.messages + record.traffic.derived_messages != 0)
    text += fmt::format("{}{}", text.empty() ? "" : "; ", sent_text(sent, record.traffic));
  if (text.empty()) return;
  if (const std::string_view why = why_left_to_host(record.job.messages); !why.empty())
    text += fmt::format("; messages are left to the MPI library: {}", why);
  screen.add("Datatypes", text);
}

void add_files(Screen& screen, const Record& record) {
  const Files& files = record.files;
  if (files.written.calls + files.read.calls == 0) return;
  std::string text = fmt::format("{} written in {}, {} read in {}", bytes_text(files.written.bytes),
                                 counted(files.written.calls, "call"), bytes_text(files.read.bytes),
                                 counted(files.read.calls, "call"));
  if (files.packed.calls != 0)
    text += fmt::format("; {} packed first by Marshal's engine",
                        share_text(ratio(real(files.packed.bytes), real(files.written.bytes + files.read.bytes))));
  screen.add("Files", text);
}

void add_exchanges(Screen& screen, const Record& record) {
  const Exchanges& e = record.exchanges;
  if (e.calls == 0) return;
  std::string text = fmt::format("{} of {} by nodes", share_text(ratio(real(e.by_nodes), real(e.calls))),
                                 counted(e.calls, "exchange"));
  if (e.messages != 0)
    text +=
        fmt::format("; {} between nodes in place of {}", counted(e.messages, "message"), count_text(e.messages_apart));
  if (e.ns_by_host != 0)
    text += fmt::format("; in {} a process, where the MPI library takes {} by the trial",
                        time_text(e.ns / std::max<std::uint64_t>(record.ranks.count(), 1)),
                        time_text(e.ns_by_host / std::max<std::uint64_t>(record.ranks.count(), 1)));
  screen.add("Exchanges", text);
}

void add_communicators(Screen& screen, const Record& record) {
  const CommunicatorSite all = record.communicators.sum();
  if (all.communicators == 0) return;
  const auto& sites = record.communicators;
  std::string text =
      fmt::format("{} made at {}", all_made_text(record), counted_rows(sites.size(), sites.overflowed(), "place"));
  const auto memory = [&](const Memory& of) {
    return bytes_text(ratio(real(of.per_process.sum), real(std::max<std::uint64_t>(record.ranks.count(), 1))));
  };
  if (all.marshal.available()) text += fmt::format("; a process: rank maps {}", memory(all.marshal));
  if (all.host.available()) text += fmt::format(", MPI library {}", memory(all.host));
  screen.add("Communicators", text, 1);
}

void add_objects_left(Screen& screen, const Record& record) {
  const std::vector<ObjectsOfPlace> places = not_freed(record);
  constexpr std::size_t most = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(places.size(), most); ++i) {
    const ObjectsOfPlace& one = places[i];
    text += fmt::format("{}{} {} by {}{}", i == 0 ? "" : "; ", count_text(one.alive.max), objects_of(one.site->call),
                        one.site->call, at(*one.symbol, *one.site));
  }
  const bool may_be_more = record.communicators.overflowed() || record.objects.overflowed();
  if (places.size() > most)
    text += fmt::format("; {}{} more", may_be_more ? "at least " : "", counted(places.size() - most, "place"));
  if (!text.empty()) screen.add("Not freed", text + ", when MPI_Finalize began");
  if (is_near_limit(record))
    screen.add("Limit",
               fmt::format("rank {} had {} communicators in use at once, of {} that the MPI library has for a process",
                           record.communicators_at_once.most_rank, count_text(record.communicators_at_once.of.max),
                           count_text(record.job.communicator_limit)));
}

// The program does not use these. A reader may look for them.
std::string not_used(const Record& record) {
  const auto calls = [&](std::initializer_list<std::string_view> beginnings) {
    return any_call(record, [&](std::string_view name) {
      return std::any_of(beginnings.begin(), beginnings.end(), [&](auto begin) { return name.starts_with(begin); });
    });
  };
  Lines unused;
  if (record.traffic.processes != 0 && !any_message(record.traffic)) unused.push_back("messages");
  if (!calls({"MPI_Cart_create"})) unused.push_back("grids");
  if (!calls({"MPI_Graph_create", "MPI_Dist_graph"})) unused.push_back("graph topologies");
  if (!calls({"MPI_Type_commit"}) && record.datatypes.empty()) unused.push_back("derived datatypes");
  if (!calls({"MPI_Pack", "MPI_Unpack"}) && datatype_work(record).packed.calls == 0) unused.push_back("MPI_Pack");
  if (record.communicators.empty()) unused.push_back("other communicators");
  if (!calls({"MPI_Win_"})) unused.push_back("windows");
  if (!calls({"MPI_File_"})) unused.push_back("files");
  return fmt::format("{}", fmt::join(unused, ", "));
}

void add_cost(Screen& screen, const Record& record) {
  const OwnCost& own = record.own;
  if (own.init_cpu_ns.samples == 0) return;
  const std::uint64_t most = own.init_cpu_ns.max + own.inside_cpu_ns.max + own.finalize_cpu_ns.max;
  std::string text = fmt::format("took {} of CPU a process at most", time_text(most));
  if (const auto share = own.cpu_share()) text += fmt::format(", {} of the run", percent_text(*share));
  screen.add("Marshal", text, 1);
}

void add_settings(Screen& screen, const Record& record) {
  if (record.job.settings.empty()) return;
  Lines settings;
  for (const auto& [name, value] : record.job.settings) settings.push_back(fmt::format("{}={}", name, value));
  screen.add("Settings", fmt::format("{}", fmt::join(settings, ", ")), 1);
}

void add_what_to_do(Screen& screen, const WhatToDo& what) {
  constexpr std::size_t lines_of_one = 3;
  std::size_t number = 0;
  for (const Finding& finding : what.findings) {
    if (screen.room() < (number == 0 ? 1 : lines_of_one)) break;
    ++number;
    screen.add(fmt::format("{:<11}{}.", number == 1 ? "To do" : "", number), finding.what + " -> " + finding.action,
               lines_of_one);
  }
  if (!what.rest.empty()) screen.add(number == 0 ? "To do" : "", what.rest);
}

}  // namespace

std::string to_screen(const Record& record, const std::string& json_path) {
  return to_screen(record, what_to_do(record), json_path);
}

std::string to_screen(const Record& record, const WhatToDo& what, const std::string& json_path) {
  Screen screen;
  screen.add_line(title(record));
  constexpr std::size_t for_what_to_do = 3, for_details = 1;
  screen.keep_lines(for_what_to_do + for_details);
  add_problems(screen, record);
  add_times(screen, record);
  add_traffic(screen, record);
  add_grids(screen, record);
  add_datatypes(screen, record);
  add_files(screen, record);
  add_exchanges(screen, record);
  add_communicators(screen, record);
  add_objects_left(screen, record);
  add_cost(screen, record);
  if (const std::string unused = not_used(record); !unused.empty()) screen.add("Not used", unused, 1);
  add_settings(screen, record);
  screen.keep_lines(for_details);
  add_what_to_do(screen, what);
  screen.keep_lines(0);
  if (!json_path.empty()) screen.add_whole("Details", "marshal report --details " + shell_word(json_path));
  return screen.text();
}

}  // namespace marshal::report
