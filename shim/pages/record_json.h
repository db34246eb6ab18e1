// A record as JSON (for people and tools, see marshal-report(5)) and as CBOR of the same (for gathering), and its
// summary as JSON.
//
// Reading checks everything: a text that is no record, however broken, gives nothing and the reason. Unknown members
// are skipped, so that a newer minor layout can be read. The reason is short, and holds nothing of the text's own
// words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pages/summary.h"
#include "record/record.h"

namespace marshal::report {

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

}  // namespace marshal::report
