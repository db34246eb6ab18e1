// The section on derived datatypes: by layout, how they were packed and how they went in messages.
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/printable_text.h"
#include "pages/sections.h"
#include "record/record.h"
#include "record/units.h"

namespace marshal::report {
namespace {

using Shown = Table::Shown;
using LayoutRows = std::vector<std::pair<const LayoutKey*, const DatatypeLayout*>>;

std::string commonest(const std::map<std::string, std::uint64_t>& counts) {
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == counts.end()) return "none";
  return counts.size() == 1 ? most->first : fmt::format("{} +{}", most->first, counts.size() - 1);
}

// Which bytes of a layout hold data, between the least and the greatest, as SVG.
std::string layout_picture(const DatatypeLayout& layout) {
  double least = 1e300, most = -1e300;
  for (const auto& [displacement, length] : layout.picture) {
    least = std::min(least, static_cast<double>(displacement));
    most = std::max(most, static_cast<double>(displacement) + real(length));
  }
  const double scale = 220 / std::max(most - least, 1.0);
  std::string path;
  for (const auto& [displacement, length] : layout.picture)
    path += fmt::format("M{0:.2f} 0h{1:.2f}v16h-{1:.2f}z", (static_cast<double>(displacement) - least) * scale,
                        std::max(0.4, real(length) * scale));
  return fmt::format(
      "<svg class=\"layout\" viewBox=\"0 0 220 16\" role=\"img\"><title>{} {} blocks</title><path class=\"c0\" "
      "d=\"{}\"/></svg><br/>",
      layout.blocks > layout.picture.size() ? fmt::format("the first {} of", layout.picture.size()) : "all",
      layout.blocks, path);
}

// On the page with a picture, if the type was read, and with facts about one instance.
Cell layout_cell(const LayoutKey& key, const DatatypeLayout& d) {
  std::vector<std::string> facts;
  if (d.size != 0) facts.push_back(fmt::format("{} in {}", bytes_text(d.size), bytes_text(d.extent)));
  if (d.blocks != 0) facts.push_back(counted(d.blocks, "block"));
  if (d.segment != 0) facts.push_back(fmt::format("segments of {}", count_text(d.segment)));
  facts.push_back(fmt::format("{} committed", count_text(d.commits)));
  Cell cell(key.form);
  cell.below = fmt::format("<br/>{}<span class=\"soft\">{}</span>", d.picture.empty() ? "" : layout_picture(d),
                           fmt::join(facts, ", "));
  return cell;
}

Table datatypes_table(const LayoutRows& rows) {
  Table table({{"layout", Align::left, 36,
                "which bytes hold data; packed bytes of one instance in its extent; contiguous pieces"},
               {"at", Align::left, 60, "where the first of them was committed"},
               {"packs"},
               {"unpacks"},
               number_column("bytes", "packed and unpacked"),
               number_column("pack", "bandwidth", 1),
               number_column("unpack", "bandwidth", 1),
               number_column("MPI library", "its bandwidth, where it was measured", 1),
               number_column("bound", "the most that touching these cache lines allows", 1),
               {"packed by", Align::left, 24, "engine or kernel, or the MPI library and why"},
               number_column("segment", {}, 0, Shown::in_text)});
  for (const auto& [key, d] : rows) {
    PackWork both = d->pack;
    both.merge(d->unpack);
    Cell packed_by = commonest(d->plans);
    packed_by.page = joined(d->plans);
    table.add({layout_cell(*key, *d), place_cell(d->symbol, d->site), count_cell(d->pack.calls),
               count_cell(d->unpack.calls), bytes_cell(both.bytes), rate_cell(d->pack.rate()),
               rate_cell(d->unpack.rate()), rate_cell(both.host_rate()),
               d->touched_bound_bytes_per_s == 0 ? Cell("not measured") : rate_cell(real(d->touched_bound_bytes_per_s)),
               std::move(packed_by), d->segment == 0 ? Cell("none") : count_cell(d->segment)});
  }
  return table;
}

LayoutRows rows_in_messages(const Record& record) {
  LayoutRows rows =
      record.datatypes.heaviest_first([](const DatatypeLayout& d) { return d.sent.bytes + d.received.bytes; });
  std::erase_if(rows, [](const auto& row) { return row.second->sent.messages + row.second->received.messages == 0; });
  return rows;
}

Table messages_table(const LayoutRows& rows) {
  Table table({{"layout", Align::left, 36},
               number_column("sent", "messages"),
               number_column("received", "messages"),
               number_column("bytes", "packed bytes of both"),
               number_column("fragments", "in which they were packed and unpacked"),
               number_column("by engine", "part of the bytes; the rest the MPI library moved"),
               number_column("engine", "bandwidth, of a sample", 1),
               number_column("MPI library", "its bandwidth, where it was measured", 1)});
  for (const auto& [key, d] : rows) {
    MessageWork both = d->sent;
    both.merge(d->received);
    const double by_engine = both.bytes == 0 ? 0 : real(both.engine_bytes) / real(both.bytes);
    table.add({key->form, count_cell(d->sent.messages), count_cell(d->received.messages), bytes_cell(both.bytes),
               count_cell(both.fragments), Cell(by_engine, percent_text(by_engine)), rate_cell(both.rate()),
               rate_cell(both.host_rate())});
  }
  return table;
}

// "left to the MPI library (why)", or nothing: of messages with derived datatypes.
std::string way_text(const Record& record) {
  const std::string& way = record.job.messages;
  if (const std::string_view why = why_left_to_host(way); !why.empty())
    return fmt::format("left to the MPI library ({})", why);
  if (const std::string_view why = why_at_calls(way); !why.empty())
    return fmt::format("packed before the MPI library's calls ({})", why);
  return {};
}

std::string in_messages_text(const Record& record, std::size_t most_rows) {
  const std::string way = way_text(record);
  std::string out = way.empty() ? "" : "Datatypes in messages: " + printable(way) + "\n";
  const LayoutRows rows = rows_in_messages(record);
  if (rows.empty()) return out;
  most_rows = std::min<std::size_t>(most_rows, 3);
  return out + "Datatypes in messages, by layout\n" + messages_table(rows).text(most_rows) +
         more_line(most_rows, rows.size(), false, "layouts");
}

}  // namespace

std::string datatypes_text(const Record& record, std::size_t most_rows) {
  const LayoutRows rows =
      record.datatypes.heaviest_first([](const DatatypeLayout& d) { return d.pack.bytes + d.unpack.bytes; });
  if (rows.empty()) return "Datatypes: 0 committed\n" + in_messages_text(record, most_rows);
  return fmt::format("Datatypes: {} committed, by layout\n", count_text(record.datatypes.sum().commits)) +
         datatypes_table(rows).text(most_rows) +
         more_line(most_rows, rows.size(), record.datatypes.overflowed(), "layouts") +
         in_messages_text(record, most_rows);
}

std::string datatypes_page(const Record& record) {
  const LayoutRows rows =
      record.datatypes.heaviest_first([](const DatatypeLayout& d) { return d.pack.bytes + d.unpack.bytes; });
  if (rows.empty()) return "<h2>Datatypes</h2>\n<p>0 committed.</p>\n";
  std::string out =
      "<h2>Datatypes</h2>\n<p>The bound is the rate of moving only the cache lines that are touched.</p>\n" +
      datatypes_table(rows).html();
  if (const std::string way = way_text(record); !way.empty())
    out += fmt::format("<p>In messages: {}.</p>\n", escaped(way));
  const LayoutRows in_messages = rows_in_messages(record);
  return in_messages.empty() ? out : out + "<h3>In messages</h3>\n" + messages_table(in_messages).html();
}

}  // namespace marshal::report
