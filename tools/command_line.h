// The command line of a subcommand: options that fill variables, and a help text. CLI11 does the work, in one file, as
// every file that includes it takes seconds more to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace marshal::tools {

// Of a subcommand: arguments[0] is its name, as argv[0] is a program's.
using Arguments = std::span<char* const>;

// The variable that an option fills. A list takes several words, or one with commas if its rules say so.
using OptionTarget = std::variant<int*, std::int64_t*, double*, std::string*, std::vector<int>*,
                                  std::vector<std::int64_t>*, std::vector<std::string>*>;

struct OptionRules {
  std::string_view type = {};           // what the help calls the value
  std::vector<std::string> among = {};  // the words that are allowed; all if empty
  std::optional<double> least = {}, most = {};
  bool positive = false;
  bool required = false;
  bool hidden = false;  // from the help
  bool shows_default = false;
  bool commas = false;
  int words = 0;  // how many the option takes, if not 0
};

class CommandLine {
 public:
  // `name` as it is typed, such as "marshal map"; `what` the command does, for its help.
  CommandLine(const std::string& name, const std::string& what);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names` as "-n,--ranks"; one without a dash is a word that needs no name in front. Targets keep their value if the
  // option is not given.
  void option(const std::string& names, OptionTarget target, const std::string& help, const OptionRules& rules = {});
  void flag(const std::string& names, bool& target, const std::string& help, const OptionRules& rules = {});
  // Counts how often it is given.
  void counter(const std::string& names, int& target, const std::string& help);
  void exclude(const std::string& flag, const std::string& other);
  // An option under a heading of its own; the last one given counts. `take` returns why it refuses a value, or nothing.
  void setting(const std::string& name, const std::string& help, const std::string& type, const std::string& initial,
               std::function<std::string(const std::string&)> take);
  // The command ends with another one, which takes all words from its name on.
  void followed_by_command(const std::string& usage);

  // Fills the targets from all but the first of `arguments`. Returns the exit status if the command is over: 0 after
  // its help, 2 after an error message.
  [[nodiscard]] std::optional<int> parse(Arguments arguments);
  // The same, but the caller reports what is wrong.
  [[nodiscard]] std::optional<int> parse(Arguments arguments, std::string& error);
  // The words that were not taken: the command that follows.
  std::vector<std::string> rest() const;
  // "--ranks" of every option.
  std::vector<std::string> long_names() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// The subcommands of `marshal`, then those of `marshal bench`, one source each. The return value is the exit status.
int run_command(Arguments arguments);
int launch_command(Arguments arguments);
int info_command(Arguments arguments);
int profile_command(Arguments arguments);
int jobs_command(Arguments arguments);
int report_command(Arguments arguments);
int stands_command(Arguments arguments);
int map_command(Arguments arguments);
int order_command(Arguments arguments);
int tune_command(Arguments arguments);

// What `marshal stands` does with its words; `marshal report` has the same for files *.running.
int show_stands(const std::vector<std::string>& words, bool json);

int bench_exchange(Arguments arguments);
int bench_files(Arguments arguments);
int bench_messages(Arguments arguments);
int bench_overhead(Arguments arguments);
int bench_pack(Arguments arguments);
int bench_rankmap(Arguments arguments);

}  // namespace marshal::tools
