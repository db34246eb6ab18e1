#include "profile/profile_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "base/new_file.h"
#include "profile/learning.h"
#include "profile/own_file.h"

namespace marshal::profile {
namespace {

constexpr std::size_t most_bytes = 4 << 20;
constexpr std::string_view ending = ".profile";

// Closing the descriptor unlocks. After five seconds, and on file systems without locks, it goes on: then two jobs that
// end at once may lose what one of them learned, and its next run learns it again. A note that is lost with its removal
// stays until `marshal profile forget`.
void wait_for_lock(int directory) {
  constexpr timespec pause{0, 10'000'000};
  for (int tries = 0; tries < 500 && flock(directory, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++tries)
    nanosleep(&pause, nullptr);
}

template <class Entry>
void keep_newest(std::vector<Entry>& entries, std::size_t most) {
  if (entries.size() > most) entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(most));
}

}  // namespace

std::string profile_directory(std::string_view setting) {
  if (setting == "off") return {};
  std::string directory(setting);
  if (setting == "auto" || setting.empty()) {
    const std::string caches = cache_folder();
    if (caches.empty()) return {};
    directory = caches + "/marshal";
  }
  if (directory.front() != '/') {
    char* const here = getcwd(nullptr, 0);
    if (here == nullptr) return {};
    directory = std::string(here) + "/" + directory;
    std::free(here);
  }
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return directory;
}

std::string profile_path(const std::string& directory, std::string_view program, std::string_view build) {
  return directory + "/" + stem_of_program(program, build) + std::string(ending);
}

std::vector<std::string> profiles_in(const std::string& directory) {
  std::vector<std::string> all;
  for (ListedFile& file : files_in(directory, ending)) all.push_back(std::move(file.path));
  std::sort(all.begin(), all.end());
  return all;
}

Profile read_profile(const std::string& path) {
  Profile profile;
  std::string text;
  int error = 0;
  std::string why_not = read_own_file(path, most_bytes, text, error);
  if (error == ENOENT || (why_not.empty() && text.empty())) return profile;
  profile.may_write = false;
  const auto refuse = [&](const std::string& why) {
    profile.problem = "profile " + path + ": " + why + "; it is neither read nor written";
    return profile;
  };
  if (error != 0) {
    profile.problem = because(path, "cannot be read", error);
    return profile;
  }
  if (!why_not.empty()) return refuse(why_not);
  auto contents = from_text(text, why_not);
  if (!contents) return refuse(why_not + " (`marshal profile forget` removes it)");
  static_cast<Contents&>(profile) = std::move(*contents);
  profile.may_write = true;
  return profile;
}

std::string change_profile(const std::string& path, const std::function<bool(Contents&)>& change) {
  std::string problem;
  const Descriptor in = open_own_directory(directory_of(path), problem);
  if (!in) return problem;
  wait_for_lock(*in);
  Profile profile = read_profile(path);
  if (!profile.may_write) return profile.problem;
  if (!change(profile)) return {};
  keep_newest(profile.grids, most_grids);
  keep_newest(profile.moved_runs, most_moved_runs);
  const int error = put_file(in, name_in(path), to_text(profile));
  return error == 0 ? std::string() : because(path, "cannot be written", error);
}

std::string why_not_changed(const std::string& path) {
  const std::string directory = directory_of(path);
  std::string nearest = directory, problem;
  const auto may_write = [&] { return faccessat(AT_FDCWD, nearest.c_str(), W_OK | X_OK, AT_EACCESS) == 0; };
  while (!may_write()) {
    const std::string above = directory_of(nearest);
    if (errno != ENOENT || above == nearest) return because(nearest, "cannot be written", errno);
    nearest = above;
  }
  if (nearest != directory) return problem;
  open_own_directory(directory, problem);
  const Profile profile = problem.empty() ? read_profile(path) : Profile();
  return profile.may_write ? problem : profile.problem;
}

std::string add_to_profile(const std::string& path, const std::vector<LearnedGrid>& news) {
  return change_profile(path, [&](Contents& contents) {
    for (const LearnedGrid& grid : news) add_taught(contents.grids, grid);
    return true;
  });
}

std::string add_moved_run(const std::string& path, const MovedRun& run) {
  return change_profile(path, [&](Contents& contents) {
    std::erase_if(contents.moved_runs, [&](const MovedRun& other) { return other.is_alike(run); });
    contents.moved_runs.push_back(run);
    return true;
  });
}

std::string remove_moved_run(const std::string& path, const MovedRun& run) {
  return change_profile(path, [&](Contents& contents) {
    return std::erase_if(contents.moved_runs, [&](const MovedRun& other) {
             return other.is_alike(run) && other.process == run.process;
           }) != 0;
  });
}

}  // namespace marshal::profile
