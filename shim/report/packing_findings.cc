// The findings on packing and on the messages of derived datatypes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/summary.h"
#include "report/units.h"
#include "report/weighed_findings.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

// The work of both directions, of all layouts.
template <class Work>
Work work_of(const Record& record, Work DatatypeLayout::*one_way, Work DatatypeLayout::*other_way) {
  Work all;
  const auto add = [&](const DatatypeLayout& layout) {
    all.merge(layout.*one_way);
    all.merge(layout.*other_way);
  };
  record.datatypes.each([&](const LayoutKey&, const DatatypeLayout& layout) { add(layout); });
  if (record.datatypes.overflowed()) add(record.datatypes.others());
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

double ns_at(std::uint64_t bytes, double rate) { return rate == 0 ? 0 : real(bytes) * 1e9 / rate; }

// Nanoseconds of all of the work, at the rates of the parts that were timed; 0: none was.
double time_of(const PackWork& work) {
  return ns_at(work.engine_bytes, work.rate()) + ns_at(work.bytes - work.engine_bytes, work.host_rate());
}

// Where both were timed: what the host would have taken longer for the engine's part, of all processes. Negative: it
// was faster.
struct Saved {
  double ns = 0, bytes = 0;
};
template <class Work>
Saved saved_by_engine(const Record& record, Work DatatypeLayout::*one_way, Work DatatypeLayout::*other_way) {
  Saved saved;
  const auto add = [&](const Work& work) {
    if (work.rate() <= 0 || work.host_rate() <= 0) return;
    saved.ns += ns_at(work.engine_bytes, work.host_rate()) - ns_at(work.engine_bytes, work.rate());
    saved.bytes += real(work.engine_bytes);
  };
  record.datatypes.each([&](const LayoutKey&, const DatatypeLayout& layout) {
    add(layout.*one_way);
    add(layout.*other_way);
  });
  return saved;
}
// `timed_at`: what of the host was timed.
std::string saved_text(const Saved& saved, const std::string& timed_at, double host_rate, const Record& record) {
  if (saved.bytes <= 0) return " The MPI library was not timed at this work.";
  const std::string part = saved.ns < 0 ? of_the_run(-saved.ns, record) : of_the_longer_run(saved.ns, record);
  return fmt::format(" The MPI library, timed at {}: {}. Estimated from that: {} {} in all processes{}.", timed_at,
                     rate_text(host_rate), time_text(std::abs(saved.ns)), saved.ns >= 0 ? "saved" : "lost", part);
}

}  // namespace

void add_message_findings(const Record& record, std::vector<Weighed>& all) {
  const MessageWork work = messages_of(record);
  if (work.messages == 0) return;
  Finding finding{Verdict::nothing, "messages", "", "", ""};
  finding.what = fmt::format("Messages of datatypes moved {} in {}, {} of it by Marshal's engine.",
                             bytes_text(work.bytes), counted(work.messages, "message"),
                             percent_text(work.bytes == 0 ? 0 : real(work.engine_bytes) / real(work.bytes)));
  const double ns = ns_at(work.engine_bytes, work.rate());
  if (ns != 0)
    finding.evidence = fmt::format("Measured on a sample: {}, which makes {} of all processes{}.",
                                   rate_text(work.rate()), time_text(ns), of_the_run(ns, record));
  const Saved saved = saved_by_engine(record, &DatatypeLayout::sent, &DatatypeLayout::received);
  finding.evidence +=
      saved_text(saved, fmt::format("{} of the same layouts", bytes_text(work.host_bytes)), work.host_rate(), record);
  if (saved.ns > 0) {
    finding.verdict = Verdict::gained;
    finding.action = "Nothing is left to set: messages of each datatype go to whoever was faster.";
  } else {
    finding.action = work.engine_bytes == 0
                         ? "Nothing to gain: the MPI library is as fast with these datatypes."
                         : "Nothing to gain is known: messages of each datatype go to whoever was faster.";
  }
  all.push_back({std::move(finding), part_of_run(std::max(saved.ns, ns), record)});
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
                     : messages_of(record).messages != 0
                         ? "Nothing to gain there: datatypes travel in messages."
                         : "Nothing to gain: they are packed neither by MPI_Pack nor in messages that Marshal sees.";
    all.push_back({std::move(finding), 0});
    return;
  }
  finding.what = fmt::format("MPI_Pack and MPI_Unpack moved {} in {}, of {} of datatypes.", bytes_text(work.bytes),
                             counted(work.calls, "call"), counted(layouts.packed, "layout"));
  const double ns = time_of(work);
  if (ns != 0)
    finding.evidence = fmt::format("Measured: {}, which makes {} of all processes{}.", rate_text(work.rate()),
                                   time_text(ns), of_the_run(ns, record));
  const Saved saved = saved_by_engine(record, &DatatypeLayout::pack, &DatatypeLayout::unpack);
  finding.evidence += saved_text(saved, "the same work", work.host_rate(), record);
  double weight = part_of_run(ns, record);
  if (by_setting) {
    finding.verdict = Verdict::act;
    finding.action =
        "MARSHAL_PACK=host leaves packing to the MPI library; MARSHAL_PACK=auto gives it to the faster one.";
  } else if (saved.ns > 0) {
    finding.verdict = Verdict::gained;
    finding.action = "Nothing is left to set: each size of each datatype is packed by whoever was faster.";
    weight = part_of_run(saved.ns, record);
  } else {
    finding.action = "Nothing to gain: packing is a small part of the run, or the MPI library is as fast.";
  }
  all.push_back({std::move(finding), weight});
}

std::optional<double> saved_seconds(const Record& record) {
  const Saved packing = saved_by_engine(record, &DatatypeLayout::pack, &DatatypeLayout::unpack);
  const Saved messages = saved_by_engine(record, &DatatypeLayout::sent, &DatatypeLayout::received);
  if (packing.bytes + messages.bytes <= 0) return std::nullopt;
  return (packing.ns + messages.ns) / 1e9;
}

}  // namespace marshal::report
