#include "reordering/run_key.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>

#include "base/immortal.h"
#include "base/message.h"
#include "base/process_facts.h"
#include "profile/profile_file.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

std::string working_directory() {
  std::array<char, PATH_MAX> path{};
  return getcwd(path.data(), path.size()) != nullptr ? path.data() : "";
}

std::string path_of_profile() {
  const std::string& directory = profiles_of_run();
  return directory.empty() ? "" : profile::profile_path(directory, run_key().program, run_key().build);
}

}  // namespace

const profile::ProgramKey& run_key() {
  static const Immortal<profile::ProgramKey> key(
      profile::key_of_program(program_facts(), "/proc/self/exe", directory_of_run()));
  return *key;
}

const std::string& directory_of_run() {
  static const Immortal<std::string> directory(working_directory());
  return *directory;
}

const std::string& profiles_of_run() {
  static const Immortal<std::string> directory(profile::profile_directory(settings().text(Option::profile)));
  return *directory;
}

void say_of_profiles(const std::string& problem) {
  static std::atomic<bool> has_said = false;
  if (!problem.empty()) say_line(has_said.exchange(true) ? Level::info : Level::warning, problem);
}

const std::string& profile_of_run() {
  static const Immortal<std::string> path(path_of_profile());
  return *path;
}

}  // namespace marshal
