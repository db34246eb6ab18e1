// The findings on files.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "findings/findings.h"
#include "record/units.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

std::string gapped_text(const GappedAccesses& gapped) {
  return fmt::format("{} of memory with gaps, in {}", bytes_text(gapped.bytes), counted(gapped.calls, "call"));
}
std::string mean_piece(const GappedAccesses& gapped) {
  return fmt::format("Mean piece of that memory: {}.",
                     bytes_text(real(gapped.bytes) / real(std::max<std::uint64_t>(1, gapped.pieces))));
}

constexpr const char* accesses[] = {"MPI_File_read", "MPI_File_write", "MPI_File_iread", "MPI_File_iwrite"};

// The time in all calls that read and write, in ns of all processes; below 0: not measured.
double ns_of_accesses(const Record& record) {
  double ns = 0;
  bool is_known = false;
  record.calls.each([&](const std::string& call, const CallCount&) {
    if (std::ranges::none_of(accesses, [&](const char* begin) { return call.starts_with(begin); })) return;
    if (const auto taken = ns_in_call(record, call)) {
      ns += *taken;
      is_known = true;
    }
  });
  return is_known ? ns : -1;
}

}  // namespace

void add_file_findings(const Record& record, std::vector<Weighed>& all) {
  const Files& files = record.files;
  const double ns = ns_of_accesses(record);
  if (files.left.calls != 0) {
    const auto setting = record.job.settings.find("MARSHAL_FILES");
    const bool is_off = setting != record.job.settings.end() && setting->second.starts_with("off");
    Finding finding{Verdict::act, "files", "", "", ""};
    finding.what = fmt::format("The MPI library moved {}, piece by piece.", gapped_text(files.left));
    finding.evidence = mean_piece(files.left);
    if (ns >= 0) finding.most_seconds = mean_seconds(ns, record);
    finding.action = is_off ? "MARSHAL_FILES=auto packs such memory first."
                            : "Calls with less than 64 MiB let Marshal pack it first.";
    all.push_back({std::move(finding), part_of_run(std::max(ns, 0.0), record)});
  }
  if (files.packed.calls == 0) return;
  Finding finding{Verdict::gained, "files", "", "", ""};
  finding.what =
      fmt::format("Marshal packed {} before the MPI library moved it to or from files.", gapped_text(files.packed));
  finding.evidence = mean_piece(files.packed);
  if (files.predicted_saved_ns != 0)
    finding.evidence += fmt::format(
        " Predicted: {} saved in all processes, if this machine takes as long for a piece as the one that "
        "was measured.",
        time_text(real(files.predicted_saved_ns)));
  finding.action = "Nothing is left to set; `marshal bench files` measures it on this machine.";
  all.push_back({std::move(finding), part_of_run(real(files.predicted_saved_ns), record)});
}

}  // namespace marshal::report
