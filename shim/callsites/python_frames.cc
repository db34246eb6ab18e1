#include "callsites/python_frames.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/dynamic_library.h"
#include "base/own_memory.h"

namespace marshal {
namespace {

// Where members are, in bytes from the beginning of their structs.
struct Layout {
  unsigned version;       // major, minor
  std::size_t head;       // in the thread's state: the pointer to the struct with the pointer to the frame; or
  bool is_in_state;       // that one is in the state itself
  std::size_t innermost;  // the pointer to the innermost frame
  std::size_t code, previous, instruction, owner;  // in a frame
  std::size_t first_line, instructions;            // in a code object
  std::size_t narrow_text, wide_text;              // in a text: the characters
};
constexpr std::array layouts{
    Layout{0x030b, 56, false, 8, 32, 48, 56, 69, 72, 184, 48, 72},
    Layout{0x030c, 56, false, 0, 0, 8, 56, 70, 68, 192, 40, 56},
    Layout{0x030d, 0, true, 72, 0, 8, 56, 70, 68, 200, 40, 56},
};
// The same in all of them.
constexpr std::size_t type_of_object = 8, size_of_object = 16;
constexpr std::size_t file_of_code = 112, function_of_code = 128, table_of_code = 136;
constexpr std::size_t form_of_text = 32, bytes_of_table = 32;
// Frames of other owners are the interpreter's own, between C and Python.
constexpr unsigned char owners_of_lines = 3;

constexpr bool is_known_machine = sizeof(void*) == 8 && std::endian::native == std::endian::little;
constexpr std::size_t most_text = 4096, most_table = std::size_t{1} << 20, frames_tried = 32;

struct Python {
  Layout layout{};
  void* (*state_of_this_thread)() = nullptr;
  void* (*newest_interpreter)() = nullptr;
  void* (*main_interpreter)() = nullptr;
  int (*is_ending)() = nullptr;
  const void *code_type = nullptr, *text_type = nullptr, *bytes_type = nullptr;
};
constinit Python python;

template <class T>
T value_at(std::uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

// How the characters of a text lie in memory.
struct TextForm {
  explicit TextForm(std::uint32_t state)
      : width(state >> 2 & 7), is_compact((state & 0x20) != 0), is_narrow((state & 0x40) != 0) {}
  std::size_t begin() const { return is_narrow ? python.layout.narrow_text : python.layout.wide_text; }
  std::size_t width;
  bool is_compact, is_narrow;
};

std::uint64_t hash_of_text(std::uintptr_t text) {
  const TextForm form(value_at<std::uint32_t>(text + form_of_text));
  if (!form.is_compact) return text;
  const auto bytes = std::min(value_at<std::size_t>(text + size_of_object) * form.width, most_text);
  return XXH3_64bits(reinterpret_cast<const void*>(text + form.begin()), bytes);
}

// Reads with care what the hot path only adds up.
class Reader {
 public:
  bool is_a(std::uintptr_t object, const void* type) const {
    const void* found = nullptr;
    return object != 0 && object % 8 == 0 && memory_.get(object + type_of_object, found) && found == type;
  }
  template <class T>
  std::optional<T> at(std::uintptr_t address) const {
    T value{};
    if (address == 0 || !memory_.get(address, value)) return std::nullopt;
    return value;
  }
  std::optional<std::vector<std::byte>> bytes(std::uintptr_t address, std::size_t count) const {
    std::vector<std::byte> all(count);
    if (memory_.read(address, all) != count) return std::nullopt;
    return all;
  }
  // In UTF-8.
  std::optional<std::string> text(std::uintptr_t object) const {
    if (!is_a(object, python.text_type)) return std::nullopt;
    const auto state = at<std::uint32_t>(object + form_of_text);
    const auto length = at<std::size_t>(object + size_of_object);
    if (!state || !length || *length > most_text) return std::nullopt;
    const TextForm form(*state);
    if (!form.is_compact || (form.width != 1 && form.width != 2 && form.width != 4)) return std::nullopt;
    const auto all = bytes(object + form.begin(), *length * form.width);
    if (!all) return std::nullopt;
    std::string text;
    for (std::size_t i = 0; i < all->size(); i += form.width) {
      std::uint32_t character = 0;
      std::memcpy(&character, &(*all)[i], form.width);
      append(text, character);
    }
    return text;
  }

 private:
  static void append(std::string& text, std::uint32_t character) {
    const auto byte = [&](std::uint32_t bits) { text.push_back(static_cast<char>(bits)); };
    if ((character >= 0xd800 && character < 0xe000) || character > 0x10ffff) character = '?';  // no character
    if (character < 0x80) return byte(character);
    if (character < 0x800)
      byte(0xc0 | character >> 6);
    else if (character < 0x10000)
      byte(0xe0 | character >> 12), byte(0x80 | (character >> 6 & 0x3f));
    else
      byte(0xf0 | character >> 18), byte(0x80 | (character >> 12 & 0x3f)), byte(0x80 | (character >> 6 & 0x3f));
    byte(0x80 | (character & 0x3f));
  }

  OwnMemory memory_;
};

std::optional<PythonLine> read_line(const Reader& read, std::uintptr_t frame) {
  const auto code = read.at<std::uintptr_t>(frame + python.layout.code);
  const auto instruction = read.at<std::uintptr_t>(frame + python.layout.instruction);
  if (!code || !instruction || !read.is_a(*code, python.code_type)) return std::nullopt;
  const auto file = read.at<std::uintptr_t>(*code + file_of_code);
  const auto function = read.at<std::uintptr_t>(*code + function_of_code);
  const auto table = read.at<std::uintptr_t>(*code + table_of_code);
  const auto first = read.at<std::int32_t>(*code + python.layout.first_line);
  if (!file || !function || !table || !first || *first < 0 || !read.is_a(*table, python.bytes_type))
    return std::nullopt;
  const auto size = read.at<std::size_t>(*table + size_of_object);
  if (!size || *size > most_table) return std::nullopt;
  const auto bytes = read.bytes(*table + bytes_of_table, *size);
  auto file_text = read.text(*file), function_text = read.text(*function);
  if (!bytes || !file_text || !function_text || file_text->empty()) return std::nullopt;
  const auto offset = static_cast<std::int64_t>(*instruction - *code - python.layout.instructions);
  const std::int64_t line = python_line(*bytes, *first, offset);
  if (line <= 0) return std::nullopt;
  return PythonLine{std::move(*file_text), std::move(*function_text), static_cast<std::uint64_t>(line)};
}

// The innermost frame of a thread's state, whatever it is of; 0 if there is none.
std::optional<std::uintptr_t> innermost_of(const Reader& read, std::uintptr_t state) {
  const Layout& at = python.layout;
  const auto holder = at.is_in_state ? std::optional(state) : read.at<std::uintptr_t>(state + at.head);
  return holder ? read.at<std::uintptr_t>(*holder + at.innermost) : std::nullopt;
}

enum class Look { nothing_yet, known, other };

// Are the frames of this thread what they are believed to be?
Look look_at_frames() {
  const auto state = reinterpret_cast<std::uintptr_t>(python.state_of_this_thread());
  if (state == 0) return Look::nothing_yet;
  const Reader read;
  std::optional<std::uintptr_t> frame = innermost_of(read, state);
  bool is_seen = false;
  for (std::size_t i = 0; frame && *frame != 0 && i < frames_tried; ++i) {
    const auto owner = read.at<unsigned char>(*frame + python.layout.owner);
    if (!owner || *owner > owners_of_lines) return Look::other;
    if (*owner < owners_of_lines) {
      if (!read_line(read, *frame)) return Look::other;
      is_seen = true;
    }
    frame = read.at<std::uintptr_t>(*frame + python.layout.previous);
  }
  return !frame ? Look::other : is_seen ? Look::known : Look::nothing_yet;
}

bool find_symbols() {
  if (!is_known_machine || !program_has("PyGILState_GetThisThreadState")) return false;
  DynamicLibrary program = DynamicLibrary::program();
  const unsigned long* version = nullptr;
  const bool are_there =
      program.find("Py_Version", version) &&
      program.find("PyGILState_GetThisThreadState", python.state_of_this_thread) &&
      program.find("PyInterpreterState_Head", python.newest_interpreter) &&
      program.find("PyInterpreterState_Main", python.main_interpreter) &&
      (program.find("Py_IsFinalizing", python.is_ending) || program.find("_Py_IsFinalizing", python.is_ending)) &&
      program.find("PyCode_Type", python.code_type) && program.find("PyUnicode_Type", python.text_type) &&
      program.find("PyBytes_Type", python.bytes_type);
  if (!are_there) return false;
  const auto known = std::ranges::find(layouts, *version >> 16, &Layout::version);
  if (known == layouts.end()) return false;
  python.layout = *known;
  return true;
}

// Frames between C and Python are passed over.
std::uintptr_t line_from(std::uintptr_t frame) {
  for (; frame != 0; frame = value_at<std::uintptr_t>(frame + python.layout.previous)) {
    if (value_at<unsigned char>(frame + python.layout.owner) >= owners_of_lines) continue;
    const auto code = value_at<std::uintptr_t>(frame + python.layout.code);
    if (code != 0 && value_at<const void*>(code + type_of_object) == python.code_type) break;
  }
  return frame;
}

constinit std::mutex looking;
constinit Look last_look = Look::nothing_yet;

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

bool find_python() noexcept {
  const std::lock_guard lock(looking);
  if (last_look != Look::nothing_yet) return last_look == Look::known;
  if (python.bytes_type == nullptr && !find_symbols())
    last_look = Look::other;
  else
    last_look = look_at_frames();
  return last_look == Look::known;
}

PythonFrame innermost_python_frame() {
  // At its end the interpreter takes the states of other threads away.
  if (python.is_ending() != 0) return PythonFrame();
  const auto state = reinterpret_cast<std::uintptr_t>(python.state_of_this_thread());
  // The newest interpreter comes first, the main one last; in mpi4py's call of MPI_Finalize there is none any more.
  const void* const newest = python.newest_interpreter();
  if (state == 0 || newest == nullptr || newest != python.main_interpreter()) return PythonFrame();
  const Layout& at = python.layout;
  const auto holder = at.is_in_state ? state : value_at<std::uintptr_t>(state + at.head);
  return PythonFrame(line_from(value_at<std::uintptr_t>(holder + at.innermost)));
}

PythonFrame PythonFrame::outer() const {
  return PythonFrame(line_from(value_at<std::uintptr_t>(at_ + python.layout.previous)));
}

std::uint64_t PythonFrame::number(std::uint64_t seed) const {
  const auto code = value_at<std::uintptr_t>(at_ + python.layout.code);
  const auto table = value_at<std::uintptr_t>(code + table_of_code);
  const auto size = value_at<std::size_t>(table + size_of_object);
  // Where a code object lies is no part of it: that of an exec() has the place of the one before. The beginning of the
  // table tells short ones apart.
  const std::array<std::uint64_t, 6> all{
      hash_of_text(value_at<std::uintptr_t>(code + file_of_code)),
      hash_of_text(value_at<std::uintptr_t>(code + function_of_code)),
      value_at<std::uint32_t>(code + python.layout.first_line),
      value_at<std::uintptr_t>(at_ + python.layout.instruction) - code,
      size,
      XXH3_64bits(reinterpret_cast<const void*>(table + bytes_of_table), std::min<std::size_t>(size, 64)),
  };
  return XXH3_64bits_withSeed(all.data(), sizeof all, seed);
}

std::optional<PythonLine> PythonFrame::line() const { return read_line(Reader(), at_); }

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
