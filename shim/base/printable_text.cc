#include "base/printable_text.h"

namespace marshal {

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  const auto escape = [&](unsigned char c) { (((out += "\\x") += digits[c >> 4]) += digits[c & 15]); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : static_cast<unsigned char>(0);
    if (c < 0x20 || c == 0x7F) {
      escape(c);
    } else if (c == 0xC2 && next >= 0x80 && next < 0xA0) {  // C1, as UTF-8 has it
      escape(next);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace marshal
