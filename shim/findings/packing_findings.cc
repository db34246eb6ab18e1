// The findings on packing and on the messages of derived datatypes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "findings/findings.h"
#include "record/record.h"
#include "record/units.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

// All layouts, one direction after the other.
template <class Work, class Visit>
void each_work(const Record& record, Work DatatypeLayout::*one_way, Work DatatypeLayout::*other_way, Visit&& visit) {
  const auto both = [&](const DatatypeLayout& layout) {
    visit(layout.*one_way);
    visit(layout.*other_way);
  };
  record.datatypes.each([&](const LayoutKey&, const DatatypeLayout& layout) { both(layout); });
  if (record.datatypes.overflowed()) both(record.datatypes.others());
}

// The work of both directions, of all layouts.
template <class Work>
Work work_of(const Record& record, Work DatatypeLayout::*one_way, Work DatatypeLayout::*other_way) {
  Work all;
  each_work(record, one_way, other_way, [&](const Work& work) { all.merge(work); });
  return all;
}
PackWork packing_of(const Record& record) { return work_of(record, &DatatypeLayout::pack, &DatatypeLayout::unpack); }
MessageWork messages_of(const Record& record) {
  return work_of(record, &DatatypeLayout::sent, &DatatypeLayout::received);
}

struct LayoutCounts {
  std::uint64_t packed = 0, commits = 0;  // layouts that MPI_Pack or MPI_Unpack met; commits of all
};
LayoutCounts count_layouts(const Record& record) {
  LayoutCounts counts;
  const auto add = [&](const DatatypeLayout& layout) {
    counts.packed += layout.pack.calls + layout.unpack.calls != 0 ? 1 : 0;
    counts.commits += layout.commits;
  };
  record.datatypes.each([&](const LayoutKey&, const DatatypeLayout& layout) { add(layout); });
  if (record.datatypes.overflowed()) add(record.datatypes.others());
  return counts;
}

double ns_at(double bytes, double rate) { return rate <= 0 ? 0 : bytes * 1e9 / rate; }

// The time of all work of one side, the engine or the MPI library, in all processes, from the part that was timed.
struct Estimate {
  double ns = 0;
  double timed_bytes = 0;
  double untimed_bytes = 0;  // of which no time is known: nothing of this side was timed

  // Layouts at their own rates, and the rest at the mean of those.
  void add(double bytes, std::uint64_t timed, std::uint64_t timed_ns) {
    const double rate = bytes_a_second(timed, timed_ns);
    if (rate <= 0) return void(untimed_bytes += bytes);
    ns += ns_at(bytes, rate);
    bytes_at_own_rates += bytes;
    timed_bytes += std::min(bytes, real(timed));
  }
  void end() {
    if (bytes_at_own_rates <= 0) return;
    ns *= 1 + untimed_bytes / bytes_at_own_rates;
    untimed_bytes = 0;
  }

 private:
  double bytes_at_own_rates = 0;
};

// "Estimated from 1 MiB that were timed: 12 ms in all processes, 3 % of the run."
std::string estimate_text(const Estimate& engine, const Estimate& host, const Record& record) {
  const double ns = engine.ns + host.ns, untimed = engine.untimed_bytes + host.untimed_bytes;
  if (ns <= 0) return "Nothing of it was timed.";
  std::string text =
      fmt::format("Estimated from {} that were timed: {} in all processes{}.",
                  bytes_text(engine.timed_bytes + host.timed_bytes), time_text(ns), of_the_run(ns, record));
  if (untimed > 0) text += fmt::format(" {} are not in that, as nobody timed such work.", bytes_text(untimed));
  return text;
}

// Engine and MPI library at the same bytes: those that the engine moved of layouts at which both were timed.
struct Compared {
  double bytes = 0, engine_ns = 0, host_ns = 0;
  double saved_ns() const { return host_ns - engine_ns; }
};
template <class Work>
Compared compared(const Record& record, Work DatatypeLayout::*one_way, Work DatatypeLayout::*other_way) {
  Compared sum;
  const auto add = [&](const Work& work) {
    if (work.rate() <= 0 || work.host_rate() <= 0) return;
    sum.bytes += real(work.engine_bytes);
    sum.engine_ns += ns_at(real(work.engine_bytes), work.rate());
    sum.host_ns += ns_at(real(work.engine_bytes), work.host_rate());
  };
  // The layouts that are one row together are not compared: each may have been timed on one side only.
  record.datatypes.each([&](const LayoutKey&, const DatatypeLayout& layout) {
    add(layout.*one_way);
    add(layout.*other_way);
  });
  return sum;
}
std::string compared_text(const Compared& both, const Record& record) {
  if (both.bytes <= 0) return " The MPI library was not timed at this work.";
  const double saved = both.saved_ns();
  return fmt::format(
      " Both were timed at layouts of {}: Marshal's engine at {}, the MPI library at {}. Estimated from that: {} {} in "
      "all processes{}.",
      bytes_text(both.bytes), rate_text(both.bytes * 1e9 / both.engine_ns), rate_text(both.bytes * 1e9 / both.host_ns),
      time_text(std::abs(saved)), saved >= 0 ? "saved" : "lost", of_the_run(std::abs(saved), record));
}

// How much of the messages of derived datatypes the engine packed, at their senders.
std::string sent_by_engine(const Record& record) {
  const MessageWork sent = record.datatypes.sum().sent;
  const Traffic& traffic = record.traffic;
  const std::string engine = fmt::format("Marshal's engine packed {}", bytes_text(sent.engine_bytes));
  if (traffic.processes == 0) return fmt::format("{} of messages; all messages were not counted.", engine);
  const std::string all = carried_text(traffic.derived_messages, traffic.derived_bytes, " of derived datatypes");
  // The engine also packs what the MPI library sends inside collective calls, which is not among the messages.
  if (sent.engine_bytes > traffic.derived_bytes)
    return fmt::format("{}. {}, with what is sent inside collective calls.", all, engine);
  return fmt::format(
      "{}; {} of it, {}.", all, engine,
      percent_text(traffic.derived_bytes == 0 ? 0 : real(sent.engine_bytes) / real(traffic.derived_bytes)));
}

// In seconds, mean of a process: what packing takes, and no more than its calls took; below 0: not measured.
double most_gain_of_packing(double estimated_ns, const Record& record) {
  const auto pack = ns_in_call(record, "MPI_Pack"), unpack = ns_in_call(record, "MPI_Unpack");
  const double calls = pack.value_or(0) + unpack.value_or(0);
  if (pack || unpack) return mean_seconds(estimated_ns > 0 ? std::min(estimated_ns, calls) : calls, record);
  return estimated_ns > 0 ? mean_seconds(estimated_ns, record) : -1;
}

}  // namespace

void add_message_findings(const Record& record, std::vector<Weighed>& all) {
  const MessageWork work = messages_of(record);
  if (work.messages + record.traffic.derived_messages == 0) return;
  Finding finding{Verdict::nothing, "messages", sent_by_engine(record), "", ""};
  Estimate engine;
  each_work(record, &DatatypeLayout::sent, &DatatypeLayout::received,
            [&](const MessageWork& way) { engine.add(real(way.engine_bytes), way.timed_bytes, way.timed_ns); });
  engine.end();
  const Compared both = compared(record, &DatatypeLayout::sent, &DatatypeLayout::received);
  if (work.engine_bytes == 0)
    finding.evidence = why_left_to_host(record.job.messages).empty()
                           ? "Types that send too little, or live too briefly, are not handed to the engine."
                           : fmt::format("Messages are left to the MPI library: {}.", record.job.messages);
  else
    finding.evidence = "Marshal's engine alone. " + estimate_text(engine, {}, record) + compared_text(both, record);
  if (both.saved_ns() > 0) {
    finding.verdict = Verdict::gained;
    finding.action = "Nothing is left to set: messages of each datatype go to whoever was faster.";
  } else if (both.bytes > 0) {
    finding.action = "Nothing to gain is known: messages of each datatype go to whoever was faster.";
  } else {
    finding.action = "Nothing to gain is known: nobody timed the engine and the MPI library at the same datatype.";
  }
  all.push_back({std::move(finding), part_of_run(std::max(both.saved_ns(), engine.ns), record)});
}

void add_datatype_findings(const Record& record, std::vector<Weighed>& all) {
  const PackWork work = packing_of(record);
  const LayoutCounts layouts = count_layouts(record);
  const auto setting = record.job.settings.find("MARSHAL_PACK");
  const bool by_setting = setting != record.job.settings.end() && setting->second.starts_with("host");
  Finding finding{Verdict::nothing, "datatypes", "", "", ""};
  if (work.calls == 0) {
    finding.what = layouts.commits == 0 ? "The program uses no derived datatype."
                                        : "The program packs no derived datatype by MPI_Pack.";
    finding.evidence = fmt::format("Derived datatypes committed: {}; MPI_Pack and MPI_Unpack of one: 0 B.",
                                   count_text(layouts.commits));
    finding.action = layouts.commits == 0 ? "Nothing to gain: there is nothing to pack."
                     : messages_of(record).messages + record.traffic.derived_messages != 0
                         ? "Nothing to gain there: datatypes travel in messages."
                         : "Nothing to gain: they are packed neither by MPI_Pack nor in messages that Marshal sees.";
    all.push_back({std::move(finding), 0});
    return;
  }
  finding.what = fmt::format("MPI_Pack and MPI_Unpack moved {} in {}, of {} of datatypes.", bytes_text(work.bytes),
                             counted(work.calls, "call"), counted(layouts.packed, "layout"));
  Estimate engine, host;
  each_work(record, &DatatypeLayout::pack, &DatatypeLayout::unpack, [&](const PackWork& way) {
    engine.add(real(way.engine_bytes), way.timed_bytes, way.timed_ns);
    host.add(real(way.bytes) - real(way.engine_bytes), way.host_bytes, way.host_ns);
  });
  engine.end();
  host.end();
  const double ns = engine.ns + host.ns;
  const Compared both = compared(record, &DatatypeLayout::pack, &DatatypeLayout::unpack);
  finding.evidence = estimate_text(engine, host, record) + compared_text(both, record);
  double weight = part_of_run(ns, record);
  if (by_setting) {
    finding.verdict = Verdict::act;
    finding.most_seconds = most_gain_of_packing(ns, record);
    finding.action =
        "MARSHAL_PACK=host leaves packing to the MPI library; MARSHAL_PACK=auto gives it to the faster one.";
  } else if (both.saved_ns() > 0) {
    finding.verdict = Verdict::gained;
    finding.action = "Nothing is left to set: each size of each datatype is packed by whoever was faster.";
    weight = part_of_run(both.saved_ns(), record);
  } else {
    finding.action = both.bytes > 0 ? "Nothing to gain is known: the MPI library is as fast."
                                    : "Nothing to gain is known: nobody timed the engine and the MPI library at the "
                                      "same datatype.";
  }
  all.push_back({std::move(finding), weight});
}

std::optional<double> saved_seconds(const Record& record) {
  const Compared packing = compared(record, &DatatypeLayout::pack, &DatatypeLayout::unpack);
  const Compared messages = compared(record, &DatatypeLayout::sent, &DatatypeLayout::received);
  if (packing.bytes + messages.bytes <= 0) return std::nullopt;
  return (packing.saved_ns() + messages.saved_ns()) / 1e9;
}

}  // namespace marshal::report
