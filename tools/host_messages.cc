#include "tools/host_messages.h"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <iterator>
#include <optional>

#include "report/record_json.h"
#include "tools/scratch_directory.h"

namespace marshal::tools {
namespace {

constexpr const char* time_limit = "20";  // seconds

HostMessages tried(const ConfiguredHost& host, const std::string& program, const std::string& library) {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("report");
  std::vector<std::string> command{"timeout", "--kill-after=5", time_limit};
  for (std::string& word : launch_command(
           host, 1, {"MARSHAL_REPORT=json", "MARSHAL_REPORT_FILE=" + file, "MARSHAL_VERBOSE=0"}, {library}, {program}))
    command.push_back(std::move(word));
  const int status = run_captured(command, false).status;
  std::ifstream stream(file + ".json");
  if (!stream)
    return {"", false, fmt::format("not tried: {} ended with status {} and left no report", host.launcher, status)};
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::string why_not;
  const std::optional<report::Record> record = report::from_json(text, why_not);
  if (!record) return {"", false, fmt::format("not tried: its report: {}", why_not)};
  const bool by_engine = record->job.messages == "engine";
  return {record->job.mpi, by_engine, by_engine ? "" : record->job.messages};
}

}  // namespace

HostMessages messages_on(const ConfiguredHost& host, const std::string& library) {
  const std::string program = mpi_program("marshal-begin-and-end", host.family);
  if (program.empty() || library.empty()) return {"", false, "not tried: Marshal is not installed for it"};
  try {
    return tried(host, program, library);
  } catch (const std::exception& failure) {
    return {"", false, fmt::format("not tried: {}", failure.what())};
  }
}

}  // namespace marshal::tools
