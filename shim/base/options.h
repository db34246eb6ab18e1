// The settings of Marshal: one table row for each MARSHAL_* variable, and the values in force with where each came
// from.
//
// Order of precedence: command line of `marshal run` > environment > MARSHAL_CONFIG file > site file > default. A value
// that is not allowed is a problem: one line that names the variable, the value and the choices. The next source in
// that order is used instead. An unknown MARSHAL_* name is a problem that names the nearest known one. This file prints
// nothing: the caller prints problems().
//
// MARSHAL_MODE gives other settings values (mode_table). Each of these replaces a value whose source is weaker than the
// mode's. So a site's file does not undo a user's mode, and a user may except one setting from the mode beside it.
//
// Numbers take K, M, G for powers of 1024, as the rank-map papers count ranks. Values are parsed once: a getter is an
// array access. An Options is immutable after resolve(), so any number of threads may read it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marshal {

enum class Option : std::uint8_t {
  mode,
  cart,
  pack,
  messages,
  files,
  exchange,
  report,
  report_file,
  profile,
  time,
  watch,
  verbose,
  rankmap,
  cart_stencil,
  cart_weights,
  cart_levels,
  cart_move,
  dims,
  topology,
  topology_file,
  segment,
  tune,
  traffic,
  launch,
  callsites,
  papi,
  config,
  wait,
  disable,
  exclude,
  devices,
  self_check
};
inline constexpr std::size_t option_count = static_cast<std::size_t>(Option::self_check) + 1;

// The values that a variable takes besides the words of its row.
enum class OptionKind : std::uint8_t {
  word,       // one of the words only
  on_or_off,  // off or on; 0/1, no/yes, false/true mean the same
  words,      // words with commas between them
  integer,    // or an integer from min to max, with K, M, G
  segment,    // or a number of instances, or bytes when it has a suffix: 64, 32K, 4096B
  text,       // or any text
  directory,  // or a directory, with a slash in its name, so that a mistyped word is none
};

struct OptionRow {
  Option option;
  std::string_view name;  // with the MARSHAL_ prefix
  OptionKind kind;
  std::string_view initial;  // the default, as it would be typed
  std::string_view words;    // allowed words with blanks between them
  std::string_view help;     // one line
  std::string_view form{};   // what is taken besides the words, for humans: "N", "FILE"; empty: nothing
  double min = 0, max = 0;   // of integer
  std::string (*why_not)(std::string_view text) = nullptr;  // of word and text, for what is no word: empty: allowed
  bool hidden = false;  // set by commands and tests of Marshal's; absent from help, manual and completion
};

// All rows, in the order of Option: first those that most users need.
std::span<const OptionRow> option_table();
const OptionRow& row(Option option);
// What a mode sets another setting to. A mode without an entry leaves all settings as they are.
struct ModeValue {
  std::string_view mode;  // a word of MARSHAL_MODE
  Option option;
  std::string_view value;
};
std::span<const ModeValue> mode_table();
// A setting, or one value of it, that older versions had. It is a problem, whose line says what to use. One that
// switched something off sets another setting: scripts that have it go on to do so.
struct FormerSetting {
  std::string_view name, value;  // no value: any other one
  std::string_view use;          // the end of the line
  Option option{};
  std::string_view sets{};  // empty: nothing; with a comma in front: added to what the option has
};
std::span<const FormerSetting> former_settings();
// The row of a setting, or of a value of one, that is no more; null of others.
const FormerSetting* find_former(std::string_view name, std::string_view value);
// "best nodecart off" as a list of words.
std::vector<std::string_view> words_of(const OptionRow& row);
// MARSHAL_CART_WEIGHTS -> cart-weights: the long option of `marshal run`.
std::string long_option(const OptionRow& row);
// The choices as text: "best, nodecart, …" or "auto, N or BYTES".
std::string choices_text(const OptionRow& row);

enum class Source : std::uint8_t { built_in, site, file, environment, command_line };
std::string_view source_name(Source source);

// One name = value as it was found.
struct Setting {
  std::string name;
  std::string value;
  Source source;
  std::string where;  // "environment", "/etc/marshal.conf:3"
};

// `marshal run` lists the variables that it set here, with commas: "MARSHAL_CART,MARSHAL_REPORT".
inline constexpr std::string_view command_line_marker = "MARSHAL_COMMAND_LINE";

// The MARSHAL_* variables among `environment` ("NAME=value", null-terminated list, as environ).
std::vector<Setting> settings_of_environment(const char* const* environment);
// Lines `NAME = value` or `NAME value`, # for comments; the MARSHAL_ prefix may be left out. A line that is neither
// adds to problems.
std::vector<Setting> settings_of_file(std::string_view text, Source source, std::string_view path,
                                      std::vector<std::string>& problems);

struct OptionValue {
  std::string text;          // words as the row has them, all else as given; or the default
  int word = -1;             // index in the row's words, -1: not one of them
  std::uint64_t words = 0;   // words: a bit for each word
  std::int64_t integer = 0;  // integer, segment
  bool bytes = false;        // segment: the number is bytes, not instances
  Source source = Source::built_in;
  std::string where;
  bool by_mode = false;  // MARSHAL_MODE set it: the source is the mode's, and `where` is "MARSHAL_MODE=safe"
};

class Options {
 public:
  // The defaults.
  Options();
  // From settings in any order; the highest source with an allowed value wins.
  static Options resolve(std::span<const Setting> settings);
  // From the environment, the file that MARSHAL_CONFIG names, and the site file (null: SYSCONFDIR/marshal.conf).
  static Options load(const char* const* environment, const char* site_file = nullptr);

  const OptionValue& operator[](Option option) const { return values_[static_cast<std::size_t>(option)]; }
  std::string_view text(Option option) const { return (*this)[option].text; }
  // The word in force; empty when the value is no word (a number, a text).
  std::string_view word(Option option) const;
  bool is(Option option, std::string_view word_wanted) const { return word(option) == word_wanted; }
  bool on(Option option) const { return (*this)[option].word == 1; }  // on_or_off
  bool has(Option option, std::string_view word_wanted) const;        // words
  std::int64_t integer(Option option) const { return (*this)[option].integer; }
  Source source(Option option) const { return (*this)[option].source; }
  // What made the value so: "MARSHAL_CART=off", or the mode that set it: "MARSHAL_MODE=observe".
  std::string cause(Option option) const;

  // One line for each thing that was wrong, in the order found.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void apply_mode();
  void apply_former(const Setting& setting);

  std::array<OptionValue, option_count> values_;
  std::vector<std::string> problems_;
};

// Parses `text` as a value of `row`; an empty string when it is allowed, else why not.
std::string parse_option(const OptionRow& row, std::string_view text, OptionValue& value);

}  // namespace marshal
