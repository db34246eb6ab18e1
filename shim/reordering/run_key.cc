#include "reordering/run_key.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <string>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/message.h"
#include "base/process_facts.h"
#include "host/clock_watch.h"
#include "host/pmpi.h"
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

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::minutes until_it_works(10);

struct Note {
  profile::MovedRun run;
  pid_t process = 0;
  Clock::time_point moved;
};
Immortal<Note> note;  // constant while detail::has_moved_run_note

profile::MovedRun this_run() {
  return {run_key(),
          fmt::format("{:016x}.{}.{}", machine_number(), getpid(),  // numbers come again in containers
                      std::chrono::system_clock::now().time_since_epoch().count()),
          job_facts().id, iso_now()};
}

void run_ended(int status, void*) {
  if (status == 0) take_back_moved_run_note();
}

}  // namespace

std::string why_moves_are_not_noted() {
  if (settings().is(Option::profile, "off")) return settings().cause(Option::profile);
  if (profile_of_run().empty()) return "neither XDG_CACHE_HOME nor HOME is a folder of this user's";
  return profile::why_not_changed(profile_of_run());
}

bool notes_move(MPI_Comm from, MPI_Comm moved) {
  return own_rank(from) == 0 || (own_rank(moved) == 0 && size_of(moved) < size_of(from));
}

void leave_moved_run_note() noexcept {
  static constinit std::atomic_flag tried{};
  if (tried.test_and_set()) return;
  attempt_to_the_end([] {
    if (profile_of_run().empty()) return;
    *note = {this_run(), getpid(), Clock::now()};
    const std::string problem = profile::add_moved_run(profile_of_run(), note->run);
    if (!problem.empty()) return say_line(Level::info, problem);  // a warning at the end says the same
    detail::has_moved_run_note.store(true);
    clock_watch.store(look_at_moved_run_note, std::memory_order_release);
    on_exit(run_ended, nullptr);
  });
}

void take_back_moved_run_note() noexcept {
  if (!has_moved_run_note() || note->process != getpid() || !detail::has_moved_run_note.exchange(false)) return;
  attempt_to_the_end([] { say_of_profiles(profile::remove_moved_run(profile_of_run(), note->run)); });
}

void keep_moved_run_note() noexcept { detail::has_moved_run_note.store(false); }

void look_at_moved_run_note(std::chrono::steady_clock::time_point now) noexcept {
  if (has_moved_run_note() && now - note->moved >= until_it_works) take_back_moved_run_note();
}

}  // namespace marshal
