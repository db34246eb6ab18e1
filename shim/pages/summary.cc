#include "pages/summary.h"

#include "findings/findings.h"

namespace marshal::report {
namespace {

// At most `most` bytes, and whole characters of UTF-8.
bool cut_end(std::string& text, std::size_t most) {
  constexpr std::string_view sign = "...";
  if (text.size() <= most) return false;
  std::size_t kept = most < sign.size() ? 0 : most - sign.size();
  while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0) == 0x80) --kept;
  text.resize(kept);
  if (most >= sign.size()) text += sign;
  return true;
}

}  // namespace

std::optional<double> mpi_share(const Record& record) {
  return record.times.measured() ? std::optional(record.times.run.mpi_share()) : std::nullopt;
}

Summary summary_of(const Record& record, const std::string& report) {
  const Job& job = record.job;
  Summary summary;
  summary.program = job.program;
  summary.user = job.user;
  summary.host = job.host;
  summary.job_id = job.job_id;
  summary.scheduler = job.scheduler;
  summary.started = job.started;
  summary.marshal_version = job.marshal_version;
  summary.mpi = job.mpi;
  summary.ranks = job.ranks;
  summary.nodes = job.nodes;
  summary.recorded_ranks = record.ranks.count();
  summary.partial_ranks = record.partial.count();
  summary.wall_ns = record.own.wall_ns;
  summary.mpi_share = mpi_share(record);
  summary.saved_seconds = saved_seconds(record);
  summary.own_share = record.own.share();
  summary.own_cpu_share = record.own.cpu_share();
  const Traffic& traffic = record.traffic;
  if (traffic.processes != 0) {
    summary.messages = traffic.messages;
    summary.bytes = traffic.bytes;
    if (job.nodes != 0) summary.between_nodes = traffic.between_nodes;
  }
  for (const Finding& finding : findings(record))
    summary.findings.push_back({verdict_name(finding.verdict), finding.subject, finding.what});
  const auto add_warning = [&](const Warning& warning) { summary.warnings += warning.count; };
  record.warnings.each([&](const std::string&, const Warning& warning) { add_warning(warning); });
  if (record.warnings.overflowed()) add_warning(record.warnings.others());
  summary.report = report.substr(report.find_last_of('/') + 1);
  return summary;
}

Summary with_texts_cut(const Summary& summary, std::size_t most) {
  Summary cut = summary;
  const auto shorten = [&](std::string& text) { cut.cut_texts += cut_end(text, most) ? 1 : 0; };
  for (std::string* text :
       {&cut.program, &cut.user, &cut.host, &cut.job_id, &cut.scheduler, &cut.started, &cut.marshal_version, &cut.mpi})
    shorten(*text);
  for (SummaryFinding& finding : cut.findings)
    for (std::string* text : {&finding.verdict, &finding.subject, &finding.what}) shorten(*text);
  return cut;
}

}  // namespace marshal::report
