// marshal stands: where the processes of a job stand that hangs, or was killed.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/message.h"
#include "base/small_file.h"
#include "tools/command_line.h"
#include "tools/output.h"
#include "tools/stands/verdicts.h"

namespace marshal::tools {
namespace {

namespace fs = std::filesystem;
using stands::Picture;

void add_running_file(const std::string& path, std::vector<Picture>& pictures) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  std::string text;
  std::optional<std::uint64_t> owner;
  std::string why = read_small_file(path, text, most_bytes, &owner);
  if (why.empty()) why = stands::add_file(text, owner != geteuid() && owner != 0, pictures);
  if (!why.empty()) say(Level::error, "{}: {}", path, why);
}

void add_folder(const fs::path& folder, std::vector<Picture>& pictures) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".running") paths.push_back(entry->path().string());
  std::ranges::sort(paths);
  for (const std::string& path : paths) add_running_file(path, pictures);
}

// Slurm's WorkDir of the job, or the current folder; and from there the folder of MARSHAL_REPORT_FILE, if it has one.
fs::path folder_of_job(const std::string& job) {
  std::string text = "\n";
  const bool is_number = job.find_first_not_of("0123456789_") == job.npos;
  std::FILE* const pipe = is_number ? popen(("scontrol show job " + job + " 2>/dev/null").c_str(), "re") : nullptr;
  std::array<char, 4096> part{};
  while (pipe != nullptr && text.size() < most_small_bytes && std::fgets(part.data(), part.size(), pipe) != nullptr)
    text += part.data();
  if (pipe != nullptr) pclose(pipe);
  const std::size_t begin = text.find(" WorkDir=");
  const fs::path folder = begin == text.npos ? "." : text.substr(begin + 9, text.find('\n', begin) - begin - 9);
  const char* const pattern = std::getenv("MARSHAL_REPORT_FILE");
  const fs::path below = pattern == nullptr ? "" : fs::path(pattern).parent_path();
  return below.string().find('%') == std::string::npos ? folder / below : folder;
}

void add_job(const std::string& job, std::vector<Picture>& pictures) {
  const fs::path folder = folder_of_job(job);
  std::vector<Picture> all;
  add_folder(folder, all);
  std::erase_if(all, [&](const Picture& one) { return one.job.id != job && !one.job.id.starts_with(job + "."); });
  if (all.empty())
    say(Level::error, "{} is no file or folder, and in {} no file *.running is of such a job", job, folder.string());
  std::ranges::move(all, std::back_inserter(pictures));
}

}  // namespace

int show_stands(const std::vector<std::string>& words, bool json) {
  unsetenv("DEBUGINFOD_URLS");  // reading must not wait for a network
  std::vector<Picture> pictures;
  for (const std::string& word : words) {
    std::error_code error;
    const fs::file_status status = fs::status(word, error);
    if (fs::is_directory(status)) add_folder(word, pictures);
    if (fs::exists(status) && !fs::is_directory(status)) add_running_file(word, pictures);
    if (!fs::exists(status)) add_job(word, pictures);
  }
  if (pictures.empty()) {
    say_line(
        Level::error,
        "no file *.running is here: a run has one after a minute, until it ends in order, unless MARSHAL_WATCH=off");
    return 2;
  }
  report::Json runs = report::Json::array();
  std::string text = pictures.size() == 1 ? "" : "There are files of several runs:\n";
  bool is_standing = false;
  for (const Picture& picture : pictures) {
    const stands::Findings findings = stands::findings_of(picture);
    stands::Shown shown = stands::shown(picture, findings, std::time(nullptr));
    is_standing = is_standing || findings.stands;
    text += (text.empty() ? "" : "\n") + shown.text;
    runs.push_back(std::move(shown.json));
  }
  const report::Json all =
      report::Json::object({{"schema", "marshal-stands"}, {"schema_version", 1}, {"runs", std::move(runs)}});
  json ? print_whole(report::json_text(all, 1) + "\n") : print_lines(text);
  return is_standing ? 1 : 0;
}

int stands_command(Arguments arguments) {
  CommandLine line("marshal stands",
                   "Tell where the ranks of a job stand that hangs or was killed, and who is missing.");
  std::vector<std::string> words;
  bool json = false;
  line.option("JOB", &words, "a job's id, files *.running, or folders of them",
              {.type = "JOB|FOLDER|FILE ...", .required = true});
  line.flag("--json", json, "the same as JSON");
  if (const auto over = line.parse(arguments)) return *over;
  return show_stands(words, json);
}

}  // namespace marshal::tools
