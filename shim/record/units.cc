#include "record/units.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace marshal::report {
namespace {

// Three significant digits, never an exponent.
std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  std::string text = value >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 7> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f} B", bytes);
  return fmt::format("{} {}", three_digits(bytes), units[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 0 || !std::isfinite(seconds)) return "not available";
  if (seconds == 0) return "0 s";
  if (seconds < 0.9995e-6) return fmt::format("{} ns", three_digits(seconds * 1e9));
  if (seconds < 0.9995e-3) return fmt::format("{} us", three_digits(seconds * 1e6));
  if (seconds < 0.9995) return fmt::format("{} ms", three_digits(seconds * 1e3));
  if (seconds < 120) return fmt::format("{} s", three_digits(seconds));
  const auto minutes = static_cast<std::uint64_t>(seconds / 60);
  if (minutes < 120) return fmt::format("{} min {:02} s", minutes, static_cast<int>(std::fmod(seconds, 60)));
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string time_text(double ns) { return seconds_text(ns / 1e9); }

std::string count_text(std::uint64_t count) {
  if (count < 1000000) return fmt::format("{}", count);
  constexpr std::array<const char*, 5> units = {"M", "G", "T", "P", "E"};
  double value = static_cast<double>(count) / 1e6;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

std::string counted(std::uint64_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count_text(count), thing, count == 1 ? "" : "s");
}

std::string counted_rows(std::uint64_t rows, bool are_more, const std::string& thing) {
  return (are_more ? "more than " : "") + counted(rows, thing);
}

std::string ranks_text(std::uint64_t ranks) {
  constexpr std::uint64_t k = 1024, m = k * k, g = m * k;
  if (ranks >= g && ranks % g == 0) return fmt::format("{} G", ranks / g);
  if (ranks >= m && ranks % m == 0) return fmt::format("{} M", ranks / m);
  if (ranks >= 16 * k && ranks % k == 0) return fmt::format("{} K", ranks / k);
  return fmt::format("{}", ranks);
}

std::string rate_text(double bytes_per_second) {
  if (bytes_per_second >= 1e9) return fmt::format("{} GB/s", three_digits(bytes_per_second / 1e9));
  return fmt::format("{} MB/s", three_digits(bytes_per_second / 1e6));
}

std::string percent_text(double fraction) {
  const double percent = fraction * 100;
  if (percent != 0 && std::fabs(percent) < 0.01) return "< 0.01 %";
  return std::fabs(percent) < 9.995 ? fmt::format("{:.2f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string range_text(std::uint64_t min, std::uint64_t max) {
  return min == max ? fmt::format("{}", min) : fmt::format("{}-{}", min, max);
}

std::string number_text(double value, int digits) {
  // Whole numbers are counts: all of their digits count.
  if (value == std::floor(value) && std::fabs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

namespace {

constexpr std::string_view anonymous_namespace = "(anonymous namespace)";

// Removes angle brackets with their contents, and round ones except the anonymous namespace.
std::string without_arguments(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(anonymous_namespace)) {
      out += anonymous_namespace;
      i += anonymous_namespace.size() - 1;
      continue;
    }
    const char open = text[i], close = open == '(' ? ')' : '>';
    const bool is_operator = out.ends_with("operator") || (open == '<' && out.ends_with("operator<"));
    if ((open != '(' && open != '<') || is_operator) {
      out.push_back(open);
      continue;
    }
    std::size_t depth = 0;
    do {
      depth += text[i] == open ? 1 : 0;
      depth -= text[i] == close ? 1 : 0;
    } while (depth > 0 && ++i < text.size());
    if (open == '<') out += "<...>";
    if (open == '(') break;  // a qualifier such as const follows
  }
  return out;
}

// A template's name has its result in front: the last blank outside the anonymous namespace ends it.
std::string without_result(const std::string& text) {
  const auto anonymous = text.rfind(anonymous_namespace);
  const auto blank = text.rfind(' ', anonymous == std::string::npos ? std::string::npos : anonymous);
  const bool is_operator = text.find("operator") != std::string::npos;
  return blank == std::string::npos || is_operator ? text : text.substr(blank + 1);
}

}  // namespace

std::string function_name(const std::string& symbol) {
  constexpr std::string_view of_module = "_MOD_";
  if (const auto at = symbol.find(of_module); symbol.starts_with("__") && at != std::string::npos)
    return symbol.substr(2, at - 2) + "::" + symbol.substr(at + of_module.size());
  if (!symbol.starts_with("_Z")) return symbol;
  int status = -1;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? without_result(without_arguments(plain.get())) : symbol;
}

}  // namespace marshal::report
