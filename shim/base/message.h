// Marshal's messages: lines on stderr that begin with "marshal: ". Stdout belongs to the program and is never touched.
//
// A line is one write(2), so lines of several processes do not mix. A stderr that is closed, full or a broken pipe
// loses the line and nothing else, and so does a lack of memory: no signal reaches the program, errno is kept. A
// program that was started without a stderr never gets a line, as descriptor 2 may have become one of its own files.
// Safe from any thread, also where it is being cancelled.
#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace marshal {

// The levels of MARSHAL_VERBOSE.
enum class Level : int { error = 0, warning = 1, info = 2, detail = 3 };

// Takes effect for all later lines of the process; warning until called.
void set_message_level(int verbose);
bool says(Level level);

// For a library that is loaded after the program began: whether the program began with a stderr.
void set_had_stderr(bool had);

// One line, prefixed; newlines inside start further prefixed lines. Each is made harmless to a terminal
// (printable_text.h), and above 2 KiB it loses its end.
void say_line(Level level, std::string_view text) noexcept;
// Lines without prefix or level: the text report.
void say_text(std::string_view text) noexcept;

namespace detail {
void say_formatted(Level level, fmt::string_view format, fmt::format_args arguments) noexcept;
}
template <typename... Args>
void say(Level level, fmt::format_string<Args...> format, Args&&... args) {
  if (says(level)) detail::say_formatted(level, format, fmt::make_format_args(args...));
}

}  // namespace marshal
