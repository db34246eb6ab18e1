#include "profile/profile_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/process_facts.h"
#include "base/small_file.h"
#include "profile/learning.h"

namespace marshal::profile {
namespace {

constexpr off_t most_bytes = 4 << 20;
constexpr std::string_view ending = ".profile";

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  explicit operator bool() const { return number_ >= 0; }
  int operator*() const { return number_; }
  // Some file systems find out here that there is no room.
  bool closes() { return close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

std::string because(const std::string& path, std::string_view what, int error) {
  return "profile " + path + " " + std::string(what) + ": " + std::strerror(error) +
         " (MARSHAL_PROFILE names another directory, or off)";
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}
std::string name_in(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string safe_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 100)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += plain || (c == '.' && !name.empty()) ? c : '_';
  }
  return name;
}

bool is_directory(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

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

// With directories above it; only the user may enter what is made.
bool make_directory(const std::string& path) {
  if (is_directory(path)) return true;
  const std::string above = directory_of(path);
  if (above != path && above != "." && !make_directory(above)) return false;
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

}  // namespace

std::string profile_directory(std::string_view setting) {
  if (setting == "off") return {};
  std::string directory(setting);
  if (setting == "auto" || setting.empty()) {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    const char* const home = std::getenv("HOME");
    if (cache != nullptr && cache[0] == '/')
      directory = std::string(cache) + "/marshal";
    else if (home != nullptr && home[0] == '/')
      directory = std::string(home) + "/.cache/marshal";
    else
      return {};
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
  return directory + "/" + safe_name(program) + (build.empty() ? "" : "-" + safe_name(build.substr(0, 16))) +
         std::string(ending);
}

std::vector<std::string> profiles_in(const std::string& directory) {
  std::vector<std::string> all;
  DIR* const entries = opendir(directory.c_str());
  if (entries == nullptr) return all;
  while (const dirent* entry = readdir(entries))
    if (const std::string name = entry->d_name; name.ends_with(ending) && name.front() != '.')
      all.push_back((directory + "/").append(name));
  closedir(entries);
  std::sort(all.begin(), all.end());
  return all;
}

Profile read_profile(const std::string& path) {
  Profile profile;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT) return profile;
    profile.may_write = false;
    profile.problem = errno == ELOOP ? "profile " + path + ": it is a symbolic link; it is neither read nor written"
                                     : because(path, "cannot be read", errno);
    return profile;
  }
  struct stat found {};
  const auto refuse = [&](const std::string& why) {
    profile.may_write = false;
    profile.problem = "profile " + path + ": " + why + "; it is neither read nor written";
    return profile;
  };
  if (fstat(*file, &found) != 0 || !S_ISREG(found.st_mode)) return refuse("it is no regular file");
  if (found.st_uid != geteuid()) return refuse("it belongs to another user");
  if (found.st_size > most_bytes) return refuse("it is larger than 4 MiB");
  if (found.st_size == 0) return profile;
  std::string text, why_not = read_open_file(*file, text);
  if (!why_not.empty()) return refuse(why_not);
  auto contents = from_text(text, why_not);
  if (!contents) return refuse(why_not + " (`marshal profile forget` removes it)");
  static_cast<Contents&>(profile) = std::move(*contents);
  return profile;
}

std::string change_profile(const std::string& path, const std::function<bool(Contents&)>& change) {
  const std::string directory = directory_of(path);
  if (!make_directory(directory)) return because(directory, "cannot be made", errno);
  const Descriptor in(open(directory.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  struct stat found {};
  if (!in || fstat(*in, &found) != 0) return because(directory, "cannot be opened", errno);
  if (found.st_uid != geteuid())
    return "profile directory " + directory + " belongs to another user: nothing is kept there";
  wait_for_lock(*in);
  Profile profile = read_profile(path);
  if (!profile.may_write) return profile.problem;
  if (!change(profile)) return {};
  keep_newest(profile.grids, most_grids);
  keep_newest(profile.moved_runs, most_moved_runs);
  const std::string temporary =
      "." + name_in(path) + "." + std::to_string(machine_number()) + "." + std::to_string(getpid());
  unlinkat(*in, temporary.c_str(), 0);  // of an earlier process with this number
  {
    Descriptor fresh(openat(*in, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fresh) return because(path, "cannot be written", errno);
    int error = write_whole(*fresh, to_text(profile));
    if (error == 0 && !fresh.closes()) error = errno;
    if (error != 0) {
      unlinkat(*in, temporary.c_str(), 0);
      return because(path, "cannot be written", error);
    }
  }
  if (renameat(*in, temporary.c_str(), *in, name_in(path).c_str()) == 0) return {};
  const int error = errno;
  unlinkat(*in, temporary.c_str(), 0);
  return because(path, "cannot be written", error);
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
