#include <fmt/ranges.h>

#include <vector>

#include "base/printable_text.h"
#include "report/html_sections.h"
#include "report/html_table.h"
#include "report/svg_charts.h"
#include "report/units.h"
#include "report/way_of_messages.h"

namespace marshal::report {
namespace {

Cell bandwidth_cell(double rate) {
  return rate == 0 ? HtmlTable::unknown("not timed", {}) : HtmlTable::number(rate, rate_text(rate));
}

// A datatype's layout as text and as a picture, with facts about one instance. No picture if the type was not read.
Cell layout_cell(const LayoutKey& key, const DatatypeLayout& d) {
  std::vector<std::string> details;
  if (d.size != 0) details.push_back(fmt::format("{} in {}", bytes_text(d.size), bytes_text(d.extent)));
  if (d.blocks != 0) details.push_back(fmt::format("{} block{}", count_text(d.blocks), d.blocks == 1 ? "" : "s"));
  if (d.segment != 0) details.push_back(fmt::format("segments of {}", count_text(d.segment)));
  details.push_back(fmt::format("{} committed", count_text(d.commits)));
  const std::string shown = d.blocks > d.picture.size()
                                ? fmt::format("the first {} of {} blocks", d.picture.size(), d.blocks)
                                : fmt::format("all {} blocks", d.blocks);
  return {fmt::format("{}<br/>{}<span class=\"soft\">{}</span>", escaped(key.form),
                      d.picture.empty() ? "" : layout_picture(d.picture, shown) + "<br/>", fmt::join(details, ", ")),
          0, true};
}

// Nothing where there were none.
std::string messages_table(const Record& record) {
  auto rows = record.datatypes.heaviest_first([](const DatatypeLayout& d) { return d.sent.bytes + d.received.bytes; });
  std::erase_if(rows, [](const auto& row) { return row.second->sent.messages + row.second->received.messages == 0; });
  std::string out;
  if (!why_left_to_host(record.job.messages).empty())
    out = fmt::format("<p>In messages: left to the MPI library ({}).</p>\n", escaped(record.job.messages));
  if (const std::string_view why = why_at_calls(record.job.messages); !why.empty())
    out = fmt::format("<p>In messages: packed before the MPI library's calls ({}).</p>\n", escaped(std::string(why)));
  if (rows.empty()) return out;
  HtmlTable table({{"layout", true},
                   {"sent", false, "messages"},
                   {"received", false, "messages"},
                   {"bytes", false, "packed bytes of both"},
                   {"fragments", false, "in which they were packed and unpacked"},
                   {"engine's bytes", false, "the rest the MPI library moved"},
                   {"engine", false, "bandwidth, of a sample"},
                   {"MPI library", false, "its bandwidth, where it was measured"}});
  for (const auto& [key, d] : rows) {
    MessageWork both = d->sent;
    both.merge(d->received);
    table.add({HtmlTable::text(key->form), count(d->sent.messages), count(d->received.messages), bytes(both.bytes),
               count(both.fragments), bytes(both.engine_bytes), bandwidth_cell(both.rate()),
               bandwidth_cell(both.host_rate())});
  }
  return out + "<h3>In messages</h3>\n" + table.html();
}

}  // namespace

std::string datatypes_section(const Record& record) {
  const auto rows =
      record.datatypes.heaviest_first([](const DatatypeLayout& d) { return d.pack.bytes + d.unpack.bytes; });
  std::string out = "<h2>Datatypes</h2>\n";
  if (rows.empty()) return out + "<p>0 committed.</p>\n";
  HtmlTable table(
      {{"layout", true, "which bytes hold data; packed bytes of one instance in its extent; contiguous pieces"},
       {"at", true, "where the first of them was committed"},
       {"packs"},
       {"unpacks"},
       {"bytes", false, "packed and unpacked"},
       {"pack", false, "bandwidth"},
       {"unpack", false, "bandwidth"},
       {"MPI library", false, "its bandwidth, where it was measured"},
       {"bound", false, "the most that touching these cache lines allows"},
       {"packed by", true, "engine or kernel, or the MPI library and why"}});
  std::vector<Bar> bars;
  for (const auto& [key, d] : rows) {
    PackWork both = d->pack;
    both.merge(d->unpack);
    table.add({layout_cell(*key, *d), HtmlTable::text(where(d->symbol, d->site)), count(d->pack.calls),
               count(d->unpack.calls), bytes(both.bytes), bandwidth_cell(d->pack.rate()),
               bandwidth_cell(d->unpack.rate()), bandwidth_cell(both.host_rate()),
               d->touched_bound_bytes_per_s == 0 ? HtmlTable::unknown("not measured", {})
                                                 : HtmlTable::number(static_cast<double>(d->touched_bound_bytes_per_s),
                                                                     rate_text(d->touched_bound_bytes_per_s)),
               HtmlTable::text(joined(d->plans))});
    if (bars.size() + 3 > 3 * most_chart_rows || both.rate() == 0) continue;
    bars.push_back({key->form, both.rate(), rate_text(both.rate()), 0});
    if (both.host_rate() != 0) bars.push_back({"MPI library", both.host_rate(), rate_text(both.host_rate()), 1});
    if (d->touched_bound_bytes_per_s != 0)
      bars.push_back(
          {"bound", static_cast<double>(d->touched_bound_bytes_per_s), rate_text(d->touched_bound_bytes_per_s), 3});
  }
  if (!bars.empty())
    out += figure(bar_chart(bars, "Bandwidth of packing and unpacking"),
                  "Packing and unpacking together, by layout; the MPI library where it was measured; the bound is the "
                  "rate of moving only the cache lines that are touched.");
  return out + table.html() + messages_table(record);
}

}  // namespace marshal::report
