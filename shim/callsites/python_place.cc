#include "callsites/python_place.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/relaxed.h"
#include "callsites/python_frames.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

constexpr std::size_t most_lines = 1024, most_numbers = 4096;

// Lines by PythonFrame::number(). Several numbers may lead to one line: an entry for each instruction that calls.
struct Numbered {
  std::atomic<std::uint64_t> number{0};  // 0: the entry is free
  const PythonPlace* place = nullptr;    // constant once `number` is set
};
constinit std::array<PythonPlace, most_lines> lines{};
constinit std::array<Numbered, most_numbers> numbers{};
constinit std::mutex entering_lines;
constinit std::size_t lines_entered = 0;
constinit Relaxed<std::size_t> numbers_entered;

// Lines that are not the program's: those of mpi4py, and of what Python imports modules with.
constinit PythonPlace passed_over{};
// A frame of which the line cannot be read, or for which there is no room.
constinit PythonPlace unknown{};

std::size_t home_of(std::uint64_t number) { return number / 2 % most_numbers; }

// Null if it is new.
const PythonPlace* find(std::uint64_t number) {
  for (std::size_t i = home_of(number);; i = (i + 1) % most_numbers) {
    const std::uint64_t there = numbers[i].number.load(std::memory_order_acquire);
    if (there == number) return numbers[i].place;
    if (there == 0) return nullptr;
  }
}

// The folder of mpi4py, with the slash behind it, if the address is in its library; else empty.
std::string_view folder_of_binding(const void* caller) {
  Dl_info module{};
  if (caller == nullptr || dladdr(caller, &module) == 0 || module.dli_fname == nullptr) return {};
  const std::string_view name = module.dli_fname, folder = name.substr(0, name.find_last_of('/') + 1);
  return folder.ends_with("/mpi4py/") ? folder : std::string_view();
}

const PythonPlace* find_or_enter_line(const PythonLine& line, const void* caller, bool is_of_binding) {
  for (std::size_t i = 0; i < lines_entered; ++i) {
    const PythonPlace& known = lines[i];
    if (known.caller == caller && known.line == line.line && known.file == line.file && known.function == line.function)
      return &known;
  }
  if (lines_entered == most_lines) return &unknown;
  const char* const file = strdup(line.file.c_str());
  const char* const function = strdup(line.function.c_str());
  if (file == nullptr || function == nullptr) return &unknown;
  PythonPlace& place = lines[lines_entered++];
  place = {caller, file, function, line.line, is_of_binding};
  return &place;
}

const PythonPlace* place_of_line(const std::optional<PythonLine>& line, const void* caller) {
  if (!line) return &unknown;
  const std::string_view binding = folder_of_binding(caller);
  if (line->file.starts_with("<frozen ") || (!binding.empty() && line->file.starts_with(binding))) return &passed_over;
  return find_or_enter_line(*line, caller, !binding.empty());
}

const PythonPlace* enter_frame(const PythonFrame& frame, std::uint64_t number, const void* caller) {
  if (numbers_entered >= most_numbers / 2) return &unknown;  // not read again and again
  const std::optional<PythonLine> line = frame.line();
  const std::lock_guard lock(entering_lines);
  if (const PythonPlace* const known = find(number)) return known;
  if (numbers_entered >= most_numbers / 2) return &unknown;
  const PythonPlace* const place = place_of_line(line, caller);
  std::size_t i = home_of(number);
  while (numbers[i].number.load(std::memory_order_relaxed) != 0) i = (i + 1) % most_numbers;
  numbers[i].place = place;
  numbers[i].number.store(number, std::memory_order_release);
  numbers_entered += 1;
  return place;
}

const PythonPlace* place_of_frame(const PythonFrame& frame, const void* caller) {
  const std::uint64_t number = frame.number(reinterpret_cast<std::uintptr_t>(caller)) | 1;
  const PythonPlace* const known = find(number);
  return known != nullptr ? known : enter_frame(frame, number, caller);
}

}  // namespace

const PythonPlace* as_python_place(const void* place) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(lines.data());
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  return at - begin < sizeof lines ? static_cast<const PythonPlace*>(place) : nullptr;
}

const void* detail::python_place(const void* caller) noexcept try {
  if (as_python_place(caller) != nullptr || settings().call_site_frames == 0) return caller;
  for (PythonFrame frame = innermost_python_frame(); frame; frame = frame.outer()) {
    const PythonPlace* const place = place_of_frame(frame, caller);
    if (place == &passed_over) continue;
    return place == &unknown ? caller : place;
  }
  return caller;
} catch (...) {
  return caller;
}

void look_for_python() noexcept try {
  if (detail::may_be_in_python.load(std::memory_order_relaxed)) return;
  // Ever more seldom: most programs have no interpreter, and some have one that seldom runs.
  static constinit std::atomic<std::uint32_t> looks{0};
  if (!std::has_single_bit(looks.fetch_add(1, std::memory_order_relaxed) + 1)) return;
  if (find_python()) detail::may_be_in_python.store(true, std::memory_order_release);
} catch (...) {
}

std::size_t python_places_around(const PythonPlace& innermost, std::span<const void*> out) noexcept try {
  std::size_t count = 0;
  bool is_around = false;
  for (PythonFrame frame = innermost_python_frame(); frame && count < out.size(); frame = frame.outer()) {
    if (!is_around) {
      is_around = place_of_frame(frame, innermost.caller) == &innermost;
      continue;
    }
    const PythonPlace* const place = place_of_frame(frame, nullptr);
    if (place == &passed_over) continue;
    if (place == &unknown) break;
    out[count++] = place;
  }
  return count;
} catch (...) {
  return 0;
}

}  // namespace marshal
