// A record as it is shown: as text, on one screen, and as one HTML file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "findings/findings.h"
#include "pages/summary.h"
#include "record/record.h"

namespace marshal::report {

struct TextStyle {
  std::size_t width = 100;          // columns
  std::size_t rows_of_a_table = 5;  // the rest is counted in one line; 0: all of them, and details of each
};

// As text; ends with a newline. `json_path`: where the whole report is, empty: nowhere.
std::string to_text(const Record& record, const std::string& json_path = {}, TextStyle style = {});

// On one screen: the most lines, and the most columns of a line.
inline constexpr std::size_t screen_lines = 24, screen_columns = 100;

// Ends with a newline. `json_path`: where the whole report is, empty: nowhere. One line names what the program
// does not use. Findings are in seconds, the largest first. Pure; thread safe.
std::string to_screen(const Record& record, const std::string& json_path = {});
// The same for who has its findings already.
std::string to_screen(const Record& record, const WhatToDo& what, const std::string& json_path);

// One HTML file with style, script and pictures inside, in UTF-8: it loads nothing. Pictures of grids are drawn until
// they would make the file large; a line says which are left out.
std::string to_html(const Record& record);

// A record as JSON (for people and tools, see marshal-report(5)) and as CBOR of the same (for gathering), and its
// summary as JSON.
//
// Reading checks everything: a text that is no record, however broken, gives nothing and the reason. Unknown members
// are skipped, so that a newer minor layout can be read. The reason is short, and holds nothing of the text's own
// words.

// A larger file is no report. The largest reports that Marshal writes have some MiB.
inline constexpr std::size_t most_report_bytes = std::size_t{64} << 20;

// Indented text that ends with a newline.
std::string to_json(const Record& record);
std::optional<Record> from_json(std::string_view text, std::string& why_not);

// At most most_summary_bytes, whatever its texts are.
std::string to_json(const Summary& summary);
// Reads the text of a summary, or that of a full report.
std::optional<Summary> summary_from_json(std::string_view text, std::string& why_not);

// Framed with a length and a checksum, so that damage is noticed before parsing.
std::vector<std::uint8_t> to_cbor(const Record& record);
std::optional<Record> from_cbor(std::span<const std::uint8_t> bytes);

// The file name of a report, from the pattern that the user set. base/new_file.h writes the file.

// MARSHAL_REPORT_FILE with %p %j %h %n %u %t %Y %m %d filled in from the job (%% is a percent sign; another letter
// stays as it is). A slash inside a filled-in part becomes _, as do control characters, bytes that are no UTF-8, and
// the dots of a part that would name a directory; a .json, .summary.json or .html at the end of the pattern is taken
// off.
std::string expand_pattern(std::string_view pattern, const Job& job);

// "STEM-partial-rank7".
std::string partial_stem(std::string_view stem, std::uint64_t rank);

}  // namespace marshal::report
