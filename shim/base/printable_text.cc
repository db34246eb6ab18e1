#include "base/printable_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace marshal {
namespace {

struct Character {
  std::string_view bytes;
  char32_t code = 0;
  bool is_valid = false;  // else `bytes` is one byte that is no UTF-8
};

// Of a text that is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {text.substr(0, 1), lead, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  const Character none{text.substr(0, 1), lead, false};
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return none;
  char32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return none;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (code < least[length] || code > 0x10FFFF || is_surrogate) return none;
  return {text.substr(0, length), code, true};
}

bool is_plain(const Character& c) {
  if (!c.is_valid) return false;
  struct Range {
    char32_t first, last;
  };
  constexpr Range not_plain[] = {{0, 0x1F},          // C0
                                 {0x7F, 0x9F},       // DEL and C1
                                 {0x61C, 0x61C},     // direction
                                 {0x200E, 0x200F},   // direction
                                 {0x2028, 0x202E},   // ends of lines and paragraphs; direction
                                 {0x2066, 0x2069},   // direction
                                 {0xFFFE, 0xFFFF}};  // not in XML
  return std::none_of(std::begin(not_plain), std::end(not_plain),
                      [&](const Range& range) { return c.code >= range.first && c.code <= range.last; });
}

std::string written_out(const Character& c) {
  return c.code > 0xFF ? fmt::format("\\u{:04x}", static_cast<unsigned>(c.code))
                       : fmt::format("\\x{:02x}", static_cast<unsigned>(c.code));
}

template <class Put>
void each_character(std::string_view text, Put put) {
  while (!text.empty()) {
    const Character c = first_character(text);
    if (!put(c)) return;
    text.remove_prefix(c.bytes.size());
  }
}

bool is_safe_in_shell(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  out.reserve(std::min(text.size(), most));
  std::size_t room_for_dots = 0;  // where the text ends if it is too long
  constexpr std::string_view dots = "...";
  each_character(text, [&](const Character& c) {
    if (is_plain(c))
      out += c.bytes;
    else
      out += written_out(c);
    if (out.size() <= most - std::min(most, dots.size())) room_for_dots = out.size();
    return out.size() <= most;
  });
  if (out.size() <= most) return out;
  out.resize(room_for_dots);
  return out += dots;
}

std::string printable_lines(std::string_view text, std::size_t most_of_a_line) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t end = text.find('\n');
    out += printable(text.substr(0, end), most_of_a_line);
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string escaped(std::string_view text) {
  constexpr std::string_view special = "&<>\"'";
  constexpr std::array<const char*, special.size()> names{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string out;
  for (const char c : printable_lines(text)) {
    if (const auto which = special.find(c); which != std::string_view::npos)
      out += names[which];
    else
      out.push_back(c);
  }
  return out;
}

std::string csv_field(std::string_view text) {
  std::string shown = printable(text);
  if (!shown.empty() && std::string_view("=+-@").find(shown.front()) != std::string_view::npos) shown.insert(0, "'");
  if (shown.find_first_of(",;\"") == std::string::npos) return shown;
  std::string quoted = "\"";
  for (const char c : shown) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string part_of_file_name(std::string_view text) {
  std::string out;
  each_character(text, [&](const Character& c) {
    if (is_plain(c) && c.code != '/')
      out += c.bytes;
    else
      out.append(c.bytes.size(), '_');
    return true;
  });
  return out;
}

std::string shell_word(std::string_view word) {
  if (!word.empty() && word.front() != '=' && std::all_of(word.begin(), word.end(), is_safe_in_shell))
    return std::string(word);
  bool all_plain = true;
  each_character(word, [&](const Character& c) { return all_plain = is_plain(c); });
  std::string out = all_plain ? "'" : "$'";
  each_character(word, [&](const Character& c) {
    if (all_plain) {
      out += c.code == '\'' ? "'\\''" : c.bytes;
    } else if (is_plain(c)) {
      if (c.code == '\'' || c.code == '\\') out += '\\';
      out += c.bytes;
    } else {
      for (const char byte : c.bytes) out += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
    }
    return true;
  });
  return out + "'";
}

std::string plain_json(std::string json) {
  std::string out;
  bool all_plain = true;
  each_character(json, [&](const Character& c) { return all_plain = is_plain(c) || c.code < 0x20; });
  if (all_plain) return json;
  each_character(json, [&](const Character& c) {
    if (is_plain(c) || c.code < 0x20)
      out += c.bytes;
    else
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c.code));
    return true;
  });
  return out;
}

}  // namespace marshal
