#include "profile/launch_note.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/process_facts.h"
#include "base/split_text.h"
#include "profile/profile_text.h"
#include "traffic/traffic.h"

namespace marshal::profile {
namespace {

constexpr std::string_view first_line_of_note = "marshal launch 1", note_beginning = "launch-", note_ending = ".note";
constexpr std::size_t most_note_bytes = 64 << 20;
// Jobs read their note when they begin, which may be weeks after they were queued.
constexpr std::time_t day = 24 * 3600, most_days_kept = 30;
constexpr std::size_t most_notes = 500;  // of those that are older than a day

// "0*4 1*4": numbers, and how often each stands in a row.
std::string runs_text(const std::vector<std::int32_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[i]) ++end;
    text += (text.empty() ? "" : " ") + std::to_string(numbers[i]);
    if (end > i + 1) text += "*" + std::to_string(end - i);
    i = end;
  }
  return text;
}

bool read_runs(std::string_view text, std::vector<std::int32_t>& numbers) {
  for (const std::string_view run : split(text, ' ')) {
    const std::size_t star = run.find('*');
    std::int32_t number = 0;
    std::size_t times = 1;
    if (!read_number(run.substr(0, star), number) || number < 0) return false;
    if (star != run.npos && !read_number(run.substr(star + 1), times)) return false;
    if (times > traffic::most_processes - std::min<std::size_t>(numbers.size(), traffic::most_processes)) return false;
    numbers.insert(numbers.end(), times, number);
  }
  return true;
}

bool is_sound(const LaunchNote& note) {
  const auto is_host = [&](std::int32_t node) { return static_cast<std::size_t>(node) < note.hosts.size(); };
  std::vector<std::int32_t> asked = note.asked, given = note.given;
  std::sort(asked.begin(), asked.end());
  std::sort(given.begin(), given.end());
  return asked == given && std::all_of(asked.begin(), asked.end(), is_host);
}

bool read_field(LaunchNote& note, std::string_view name, std::string_view value) {
  for (const auto& [known, field] :
       {std::pair("program", &note.key.program), std::pair("build", &note.key.build),
        std::pair("arguments", &note.key.arguments), std::pair("directory", &note.key.directory),
        std::pair("command", &note.key.command), std::pair("taught", &note.taught_by)})
    if (name == known) return *field = value, true;
  if (name == "hosts") {
    for (const std::string_view host : split(value, ' ')) note.hosts.emplace_back(host);
    return true;
  }
  if (name == "asked") return read_runs(value, note.asked);
  if (name == "given") return read_runs(value, note.given);
  if (name == "bytes_asked") return read_number(value, note.bytes_asked);
  if (name == "bytes_given") return read_number(value, note.bytes_given);
  return false;
}

void remove_old_notes(const std::string& directory) {
  const std::time_t now = std::time(nullptr);
  std::size_t number = 0;
  for (const ListedFile& note : launch_notes_in(directory)) {
    const std::time_t age = now - note.written;
    if (age > most_days_kept * day || (++number > most_notes && age > day)) unlink(note.path.c_str());
  }
}

}  // namespace

std::string to_text(const LaunchNote& note) {
  std::string text(first_line_of_note);
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string("\n") + name + " " + value;
  };
  add("program", as_kept(note.key.program));
  add("build", as_kept(note.key.build));
  add("arguments", note.key.arguments);
  add("directory", note.key.directory);
  add("command", as_kept(note.key.command));
  if (note.has_order()) {
    std::string hosts;
    for (const std::string& host : note.hosts) hosts += (hosts.empty() ? "" : " ") + host;
    add("hosts", hosts);
    add("asked", runs_text(note.asked));
    add("given", runs_text(note.given));
    add("bytes_asked", std::to_string(note.bytes_asked));
    add("bytes_given", std::to_string(note.bytes_given));
    add("taught", as_kept(note.taught_by));
  }
  return text + "\n";
}

std::optional<LaunchNote> launch_note_from_text(std::string_view text, std::string& why_not) {
  LaunchNote note;
  bool is_first = true;
  for (const std::string_view line : split(text, '\n')) {
    if (std::exchange(is_first, false)) {
      if (line == first_line_of_note) continue;
      why_not = "it is no note of this Marshal's `marshal launch`";
      return std::nullopt;
    }
    if (line.empty()) continue;
    const std::size_t blank = line.find(' ');
    if (blank != line.npos && read_field(note, line.substr(0, blank), line.substr(blank + 1))) continue;
    why_not = "it is damaged";
    return std::nullopt;
  }
  if (is_sound(note)) return note;
  why_not = "it is damaged";
  return std::nullopt;
}

std::vector<ListedFile> launch_notes_in(const std::string& directory) {
  return files_in(directory, [](std::string_view name) {
    if (name.starts_with('.')) name.remove_prefix(1);  // not renamed by a process that died
    return name.starts_with(note_beginning) && name.find(note_ending) != name.npos;
  });
}

std::string write_launch_note(const std::string& directory, const LaunchNote& note, std::string_view order,
                              std::string& problem) {
  const Descriptor in = open_own_directory(directory, problem);
  if (!in) return {};
  remove_old_notes(directory);
  const std::string name =
      std::string(note_beginning) + std::to_string(machine_number()) + "-" + std::to_string(getpid()) + "-" +
      std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + std::string(note_ending);
  int error = put_file(in, name, to_text(note));
  if (error == 0 && !order.empty()) error = put_file(in, name + std::string(order_ending), order);
  if (error == 0) return directory + "/" + name;
  problem = because(directory + "/" + name, "cannot be written", error);
  return {};
}

std::optional<LaunchNote> read_launch_note(const std::string& path, std::string& problem) {
  std::string text;
  int error = 0;
  std::string why_not = read_own_file(path, most_note_bytes, text, error);
  if (why_not.empty())
    if (auto note = launch_note_from_text(text, why_not)) return note;
  problem = "the note of `marshal launch`, " + path + ", cannot be used: " + why_not;
  return std::nullopt;
}

}  // namespace marshal::profile
