#include "profile/profile_text.h"

#include <algorithm>
#include <stdexcept>

#include "base/split_text.h"
#include "mapping/stencil.h"

namespace marshal::profile {
namespace {

constexpr std::string_view format_name = "marshal-profile ";
constexpr int format_version = 2;
constexpr std::size_t longest_name = 512, longest_field = 8192;
constexpr std::string_view none = "-", last_line = "end\n";
constexpr std::string_view grid_word = "grid", moved_word = "moved";  // that lines begin with
constexpr std::size_t grid_fields = 15, moved_fields = 8;

template <class Numbers>
std::string joined(const Numbers& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : "|") + one;
  return text.empty() ? std::string(none) : text;
}

bool read_at_least(int least, std::string_view text, int& number) {
  return read_number(text, number) && number >= least;
}

bool read_numbers(std::string_view text, int least, std::vector<int>& numbers) {
  for (const std::string_view part : split(text, ',')) {
    int number = 0;
    if (!read_at_least(least, part, number) || numbers.size() == most_dimensions) return false;
    numbers.push_back(number);
  }
  return !numbers.empty();
}

bool read_grid(std::string_view dims, std::string_view periods, mapping::Grid& grid) {
  std::vector<int> lengths, wraps;
  if (!read_numbers(dims, 1, lengths) || !read_numbers(periods, 0, wraps) || lengths.size() != wraps.size())
    return false;
  grid = mapping::make_grid(lengths, wraps);  // throws for too many cells
  return true;
}

// Throws for what is none. Only offsets are kept: a word such as "box" would grow.
std::string read_stencil(std::string_view text, int dimensions) {
  if (text.empty() || text.find_first_not_of("0123456789-,;*") != std::string_view::npos)
    throw std::invalid_argument("stencil");
  const std::vector<mapping::Step> steps = mapping::parse_stencil(text, dimensions).steps;
  const auto too_heavy = [](const mapping::Step& step) { return step.weight > largest_weight; };
  if (steps.empty() || steps.size() > most_steps || std::any_of(steps.begin(), steps.end(), too_heavy))
    throw std::invalid_argument("stencil");
  return std::string(text);
}

// A name is written as "-" where there is none, so that no field is empty.
std::string written_name(std::string_view text) {
  std::string kept = as_kept(text);
  return kept.empty() ? std::string(none) : kept;
}
std::string read_name(std::string_view text) { return text == none ? std::string() : as_kept(text); }

using Fields = std::vector<std::string_view>;

bool read_grid_line(const Fields& part, LearnedGrid& grid) {
  if (part.size() != grid_fields) return false;
  auto next = part.begin() + 1;
  grid.program = read_name(*next++);
  grid.build = read_name(*next++);
  grid.arguments = read_name(*next++);
  grid.site = read_name(*next++);
  if (!read_at_least(1, *next++, grid.processes)) return false;
  const std::string_view dims = *next++, periods = *next++;
  if (!read_grid(dims, periods, grid.grid)) return false;
  if (const std::string_view directories = *next++; directories != none)
    for (const std::string_view directory : split(directories, '|'))
      if (grid.directories.emplace_back(as_kept(directory)).empty()) return false;
  if (grid.directories.size() > most_directories) return false;
  const int dimensions = grid.grid.ndims();
  grid.stencil = read_stencil(*next++, dimensions);
  if (const std::string_view earlier = *next++; earlier != none)
    for (const std::string_view stencil : split(earlier, '|'))
      grid.earlier.push_back(read_stencil(stencil, dimensions));
  if (grid.earlier.size() > most_earlier) return false;
  const std::string_view order = *next++;
  if (order != "move" && order != "keep") return false;
  grid.keep_order = order == "keep";
  grid.job = read_name(*next++);
  grid.learned = read_name(*next++);
  grid.command = read_name(*next++);
  return true;
}

bool read_moved_line(const Fields& part, MovedRun& run) {
  if (part.size() != moved_fields) return false;
  auto next = part.begin() + 1;
  for (std::string* field :
       {&run.program, &run.build, &run.arguments, &run.process, &run.job, &run.moved, &run.command})
    *field = read_name(*next++);
  return true;
}

bool read_line(std::string_view line, Contents& contents) {
  const Fields part = split(line, '\t');
  for (const std::string_view field : part)
    if (field.empty() || field.size() > longest_field) return false;
  if (part.front() == grid_word)
    return contents.grids.size() < most_grids && read_grid_line(part, contents.grids.emplace_back());
  return part.front() == moved_word && contents.moved_runs.size() < most_moved_runs &&
         read_moved_line(part, contents.moved_runs.emplace_back());
}

template <std::size_t fields>
void add_line(std::string& text, const std::string (&line)[fields]) {
  for (std::size_t i = 0; i < fields; ++i) text += line[i] + (i + 1 == fields ? '\n' : '\t');
}

std::string first_line(int version) { return std::string(format_name) + std::to_string(version); }

std::string not_a_profile(std::string_view first) {
  int version = 0;
  if (first.starts_with(format_name) && read_at_least(format_version + 1, first.substr(format_name.size()), version))
    return "a newer Marshal wrote it";
  return "it is no profile of Marshal";
}

}  // namespace

std::string as_kept(std::string_view text) {
  std::string kept;
  for (const char c : text.substr(0, longest_name))
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) kept += c;
  return std::string(trimmed(kept));
}

std::string to_text(const Contents& contents) {
  std::string text = first_line(format_version) + "\n";
  for (const LearnedGrid& g : contents.grids)
    add_line<grid_fields>(
        text, {std::string(grid_word), written_name(g.program), written_name(g.build), written_name(g.arguments),
               written_name(g.site), std::to_string(g.processes), joined(g.grid.dims), joined(g.grid.periodic),
               joined(g.directories), g.stencil, joined(g.earlier), g.keep_order ? "keep" : "move", written_name(g.job),
               written_name(g.learned), written_name(g.command)});
  for (const MovedRun& run : contents.moved_runs)
    add_line<moved_fields>(
        text, {std::string(moved_word), written_name(run.program), written_name(run.build), written_name(run.arguments),
               written_name(run.process), written_name(run.job), written_name(run.moved), written_name(run.command)});
  return text.append(last_line);
}

std::optional<Contents> from_text(std::string_view text, std::string& why_not) {
  Contents contents;
  const std::string_view first = text.substr(0, text.find('\n'));
  // Its grids say nothing of directories, without which they would be lent to wrong ones.
  if (first == first_line(1)) return contents;
  if (first != first_line(format_version)) {
    why_not = not_a_profile(first);
    return std::nullopt;
  }
  if (!text.ends_with(last_line) || text.size() < first.size() + 1 + last_line.size()) {
    why_not = "its end is missing";
    return std::nullopt;
  }
  text.remove_suffix(last_line.size() + 1);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (number++ == 0) continue;
    bool good = false;
    try {
      good = read_line(line, contents);
    } catch (const std::invalid_argument&) {
      good = false;
    }
    if (!good) {
      why_not = "line " + std::to_string(number) + " is damaged";
      return std::nullopt;
    }
  }
  return contents;
}

}  // namespace marshal::profile
