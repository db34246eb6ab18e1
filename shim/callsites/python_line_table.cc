#include "callsites/python_line_table.h"

namespace marshal {
namespace {

// An entry begins with a byte that has the highest bit: kind of entry, and length in units of two bytes.
enum EntryKind : unsigned { one_line = 10, no_columns = 13, long_form = 14, no_line = 15 };
constexpr bool begins_entry(std::byte byte) { return std::to_integer<unsigned>(byte) >= 0x80; }

// Six bits a byte, the lowest first; bit 0 of the number is the sign.
std::int64_t signed_number(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  unsigned shift = 0;
  for (const std::byte byte : bytes) {
    const unsigned bits = std::to_integer<unsigned>(byte);
    if (shift < 60) number |= std::uint64_t{bits & 0x3f} << shift;
    shift += 6;
    if ((bits & 0x40) == 0) break;
  }
  const auto size = static_cast<std::int64_t>(number >> 1);
  return (number & 1) != 0 ? -size : size;
}

}  // namespace

std::int64_t python_line(std::span<const std::byte> table, std::int64_t first, std::int64_t offset) {
  std::int64_t line = first, told = first, begin = 0;
  for (std::size_t i = 0; i < table.size() && begin <= offset;) {
    const unsigned head = std::to_integer<unsigned>(table[i++]);
    const unsigned kind = head >> 3 & 15;
    if (kind == no_columns || kind == long_form)
      line += signed_number(table.subspan(i));
    else if (kind >= one_line && kind < no_columns)
      line += kind - one_line;
    if (kind != no_line) told = line;
    begin += 2 * ((head & 7) + std::int64_t{1});
    while (i < table.size() && !begins_entry(table[i])) ++i;
  }
  return told;
}

}  // namespace marshal
