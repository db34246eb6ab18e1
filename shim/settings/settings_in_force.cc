#include "settings/settings_in_force.h"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/message.h"
#include "base/process_facts.h"

namespace marshal {
namespace {

std::atomic<const Settings*> in_force{nullptr};

void put_in_force(Options options, std::string_view program) {
  set_message_level(static_cast<int>(options.integer(Option::verbose)));
  in_force.store(new Settings(std::move(options), program),
                 std::memory_order_release);  // an older one is kept: another thread may still read it
}

}  // namespace

const Settings& settings() {
  if (const Settings* now = in_force.load(std::memory_order_acquire)) return *now;
  static std::once_flag once;
  std::call_once(once, [] {
    Options options = Options::load(environ);
    const std::string program = options.is(Option::exclude, "none") ? std::string() : program_facts().name;
    put_in_force(std::move(options), program);
  });
  return *in_force.load(std::memory_order_acquire);
}

std::string settings_as_text() {
  std::string text;
  for (const OptionRow& row : option_table())
    if (settings().source(row.option) != Source::built_in && !settings()[row.option].by_mode)
      text += std::string(row.name) + " = " + std::string(settings().text(row.option)) + "\n";
  return text;
}

void adopt_settings(const std::string& text) {
  if (text == settings_as_text()) return;
  std::vector<std::string> problems;
  // All ranks have met and go on together: no program is excluded any more, whatever rank 0's list says.
  put_in_force(Options::resolve(settings_of_file(text, Source::environment, "rank 0", problems)), {});
}

void report_setting_problems() {
  for (const std::string& problem : settings().problems()) say_line(Level::warning, problem);
}

}  // namespace marshal
