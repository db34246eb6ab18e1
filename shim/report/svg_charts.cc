#include "report/svg_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable_text.h"
#include "report/units.h"

namespace marshal::report {
namespace {

constexpr double chart_width = 480;

std::string opened(double width, double height, std::string_view title) {
  return fmt::format("<svg class=\"chart\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\"><title>{}</title>\n", width,
                     height, escaped(title));
}

std::string label_at(double x, double y, std::string_view anchor, std::string_view css, std::string_view text) {
  return text_element(x, y, anchor, text, fmt::format(" class=\"{}\"", css));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view css) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2,
                     css);
}

std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

// Exponents of 2 between lo and hi in equal steps, at most `most` of them.
std::vector<double> ticks(double lo, double hi, double least_step, double most) {
  double step = least_step;
  while ((hi - lo) / step > most) step *= 2;
  std::vector<double> exponents;
  for (double e = std::ceil(lo / step) * step; e <= hi + 1e-9; e += step) exponents.push_back(e);
  return exponents;
}

double log2_of(double value) { return std::log2(std::max(value, 1.0)); }

std::string legend(const std::vector<std::string>& series, double y) {
  std::string out;
  double x = 4;
  for (std::size_t s = 0; s < series.size(); ++s) {
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" class=\"c{}\"/>\n", x, y - 9, s);
    out += label_at(x + 14, y, "start", "label", series[s]);
    x += 30 + 6.4 * static_cast<double>(series[s].size());
  }
  return out;
}

}  // namespace

std::string text_element(double x, double y, std::string_view anchor, std::string_view text,
                         std::string_view attributes) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, attributes,
                     escaped(text));
}

std::string bar_chart(const std::vector<Bar>& bars, std::string_view title) {
  constexpr double row = 20, left = 150, right = 96;
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.value);
  std::string out = opened(chart_width, row * static_cast<double>(bars.size()) + 4, title);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = row * static_cast<double>(i);
    const double width =
        most > 0 && bars[i].value > 0 ? std::max(1.0, bars[i].value / most * (chart_width - left - right)) : 0;
    out += label_at(left - 6, y + 14, "end", "label", shortened(bars[i].label, 24));
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"12\" class=\"c{}\"/>\n", left, y + 4,
                       width, bars[i].series);
    out += label_at(left + width + 5, y + 14, "start", "value", bars[i].text);
  }
  return out + "</svg>\n";
}

std::string rank_chart(const std::vector<RankBar>& bars, std::uint64_t ranks_a_bar, std::string_view title) {
  constexpr double left = 40, bottom = 130, height = 115;
  const double width = (chart_width - left) / static_cast<double>(bars.back().number + 1);
  std::string out = opened(chart_width, bottom + 20, title);
  for (const int percent : {0, 50, 100}) {
    const double y = bottom - height * percent / 100;
    out +=
        line(left, y, chart_width, y, "axis") + label_at(left - 4, y + 4, "end", "label", fmt::format("{} %", percent));
  }
  // All bars of a kind are one path: there may be thousands.
  const auto all = [&](double RankBar::*part, std::string_view css) {
    std::string path;
    for (const RankBar& bar : bars)
      path +=
          fmt::format("M{:.2f} {:.0f}V{:.1f}h{:.2f}V{:.0f}z", left + width * static_cast<double>(bar.number), bottom,
                      bottom - height * std::clamp(bar.*part, 0.0, 1.0), width > 4 ? width - 1 : width, bottom);
    return fmt::format("<path d=\"{}\" class=\"{}\"/>\n", path, css);
  };
  if (ranks_a_bar > 1) out += all(&RankBar::most, "c1");
  out += all(&RankBar::mean, "c0") + label_at(left, bottom + 14, "start", "label", "rank 0") +
         label_at(chart_width, bottom + 14, "end", "label",
                  fmt::format("rank {}", (bars.back().number + 1) * ranks_a_bar - 1));
  return out + "</svg>\n";
}

std::string byte_groups_chart(const std::vector<BarGroup>& groups, const std::vector<std::string>& series,
                              std::string_view title) {
  constexpr double left = 158, right = 70, top = 24, bar = 7;
  const double group_height = bar * static_cast<double>(series.size()) + 10;
  double most = 1024;
  for (const BarGroup& group : groups)
    for (const double bytes : group.bytes) most = std::max(most, bytes);
  const double bottom = top + group_height * static_cast<double>(groups.size());
  const auto x_of = [&](double bytes) { return left + log2_of(bytes) / log2_of(most) * (chart_width - left - right); };
  std::string out = opened(chart_width, bottom + 20, title) + legend(series, 14);
  for (const double e : ticks(0, log2_of(most), 10, 4)) {
    out += line(x_of(std::exp2(e)), top, x_of(std::exp2(e)), bottom, "axis");
    out += label_at(x_of(std::exp2(e)), bottom + 14, "middle", "label", bytes_text(std::exp2(e)));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double y = top + 4 + group_height * static_cast<double>(g);
    out += label_at(left - 6, y + group_height / 2, "end", "label", shortened(groups[g].label, 25));
    for (std::size_t s = 0; s < groups[g].bytes.size(); ++s) {
      const double bytes = groups[g].bytes[s], at = y + bar * static_cast<double>(s);
      if (bytes < 0) continue;
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" class=\"c{}\"><title>{}: "
          "{}</title></rect>\n",
          left, at, x_of(bytes) - left, bar - 1, s, escaped(series[s]), bytes_text(bytes));
    }
    // One label a group: the greatest, at its bar's end.
    const auto greatest = std::max_element(groups[g].bytes.begin(), groups[g].bytes.end());
    if (greatest != groups[g].bytes.end() && *greatest >= 0)
      out += label_at(x_of(*greatest) + 4, y + bar * static_cast<double>(greatest - groups[g].bytes.begin()) + 7,
                      "start", "value", bytes_text(*greatest));
  }
  return out + "</svg>\n";
}

std::string growth_chart(const std::vector<Curve>& curves, std::uint64_t from, std::uint64_t to,
                         std::string_view title) {
  constexpr double left = 62, right = 150, top = 12, bottom = 230, height = 262;
  const double lo = std::log2(static_cast<double>(from)), hi = std::log2(static_cast<double>(to));
  double least = 1e300, most = 1;
  const auto bytes_at = [](const Curve& curve, double exponent) {
    return std::max(1.0, curve.fixed + curve.per_rank * std::exp2(exponent));
  };
  for (const Curve& curve : curves) {
    least = std::min(least, bytes_at(curve, lo));
    most = std::max(most, bytes_at(curve, hi));
  }
  const double y_lo = std::floor(log2_of(least)), y_hi = std::max(std::ceil(log2_of(most)), y_lo + 4);
  const auto x_of = [&](double e) { return left + (e - lo) / (hi - lo) * (chart_width - left - right); };
  const auto y_of = [&](double e) { return bottom - (e - y_lo) / (y_hi - y_lo) * (bottom - top); };
  std::string out = opened(chart_width, height, title);
  for (const double e : ticks(y_lo, y_hi, 1, 7)) {
    out += line(left, y_of(e), chart_width - right, y_of(e), "axis");
    out += label_at(left - 5, y_of(e) + 4, "end", "label", bytes_text(std::exp2(e)));
  }
  for (const double e : ticks(lo, hi, 1, 5)) {
    out += line(x_of(e), bottom, x_of(e), bottom + 4, "axis");
    out += label_at(x_of(e), bottom + 16, "middle", "label", ranks_text(static_cast<std::uint64_t>(std::exp2(e))));
  }
  out += label_at((left + chart_width - right) / 2, height - 3, "middle", "label", "ranks of the job");
  // Labels stand at the ends of the curves, moved apart where they would meet.
  std::vector<std::pair<double, std::size_t>> ends;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    out += fmt::format("<polyline class=\"l{}\" points=\"", c);
    for (int i = 0; i <= 24; ++i) {
      const double e = lo + (hi - lo) * i / 24;
      out += fmt::format("{:.1f},{:.1f} ", x_of(e), y_of(log2_of(bytes_at(curves[c], e))));
    }
    out += "\"/>\n";
    ends.emplace_back(y_of(log2_of(bytes_at(curves[c], hi))), c);
  }
  std::sort(ends.begin(), ends.end());
  constexpr double apart = 14;
  double above = top - 8;
  for (auto& [y, c] : ends) above = y = std::max(y + 4, above + apart);
  // No label may cover the labels of the axis.
  double below = bottom + 4 + apart;
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) below = end->first = std::min(end->first, below - apart);
  for (const auto& [y, c] : ends)
    out += label_at(chart_width - right + 6, y, "start", fmt::format("label t{}", c),
                    curves[c].label + " " + bytes_text(bytes_at(curves[c], hi)));
  return out + "</svg>\n";
}

std::string layout_picture(const std::vector<std::pair<std::int64_t, std::uint64_t>>& blocks, std::string_view title) {
  constexpr double width = 220, height = 16;
  std::string out = fmt::format(
      "<svg class=\"layout\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\"><title>{}</title><rect width=\"{:.0f}\" "
      "height=\"{:.0f}\" class=\"gap\"/>",
      width, height, escaped(title), width, height);
  if (blocks.empty()) return out + "</svg>";
  double least = 1e300, most = -1e300;
  for (const auto& [displacement, length] : blocks) {
    least = std::min(least, static_cast<double>(displacement));
    most = std::max(most, static_cast<double>(displacement) + static_cast<double>(length));
  }
  const double scale = width / std::max(most - least, 1.0);
  out += "<path class=\"c0\" d=\"";
  for (const auto& [displacement, length] : blocks)
    out += fmt::format("M{:.2f} 0h{:.2f}v{:.0f}h-{:.2f}z", (static_cast<double>(displacement) - least) * scale,
                       std::max(0.4, static_cast<double>(length) * scale), height,
                       std::max(0.4, static_cast<double>(length) * scale));
  return out + "\"/></svg>";
}

}  // namespace marshal::report
