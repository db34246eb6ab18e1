#include "base/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace marshal {
namespace {

constexpr int opened_as = O_PATH | O_DIRECTORY | O_CLOEXEC;

// Where the sticky bit is set, those who may write there do not trust each other.
bool anybody_may_make_one_in(const struct stat& folder) {
  return (folder.st_mode & S_IWOTH) != 0 || ((folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWGRP) != 0);
}

bool is_of_stranger(const struct stat& entry, const struct stat& folder) {
  return anybody_may_make_one_in(folder) && entry.st_uid != geteuid() && entry.st_uid != 0 &&
         entry.st_uid != folder.st_uid;
}

struct Entry {
  int folder = -1;
  int error = 0;
  bool is_strange = false;
};

// One that is there already.
Entry open_entry(int folder, const std::string& name) {
  Entry entry;
  struct stat above {
  }, found{};
  if (fstat(folder, &above) != 0) return {-1, errno};
  entry.folder = openat(folder, name.c_str(), opened_as | O_NOFOLLOW);
  entry.error = errno;
  const bool is_folder = entry.folder >= 0;
  if ((is_folder ? fstat(entry.folder, &found) : fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW)) == 0)
    entry.is_strange = is_of_stranger(found, above);
  if (!is_folder && S_ISLNK(found.st_mode) && !entry.is_strange) {
    entry.folder = openat(folder, name.c_str(), opened_as);
    entry.error = errno;
  }
  if (is_folder && entry.is_strange) close(std::exchange(entry.folder, -1));
  return entry;
}

// By the nearest folder that exists.
bool lies_with_another_user(std::string path) {
  struct stat found {};
  while (stat(path.c_str(), &found) != 0) {
    path.resize(path.find_last_of('/'));
    if (path.empty()) return false;
  }
  return found.st_uid != geteuid() && found.st_uid != 0;
}

}  // namespace

bool is_symbolic_link(int folder, const std::string& name) {
  struct stat facts {};
  return fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode);
}

int open_folder_of(const std::string& path, mode_t mode, std::string& reason) {
  int here = open(path.starts_with('/') ? "/" : ".", opened_as);
  std::size_t end = 0;
  for (std::size_t begin = 0; here >= 0 && (end = path.find('/', begin)) != std::string::npos; begin = end + 1) {
    const std::string part = path.substr(begin, end - begin);
    if (part.empty()) continue;
    const bool made = mkdirat(here, part.c_str(), mode) == 0;
    const int why_not_made = errno;
    Entry next;
    if (made)
      next = {openat(here, part.c_str(), opened_as | O_NOFOLLOW), errno};
    else
      next = open_entry(here, part);
    if (!made && next.folder < 0 && why_not_made != EEXIST) next.error = why_not_made;
    if (next.is_strange)
      reason = path.substr(0, end) + " belongs to another user, in a folder where anybody may have made it";
    else if (next.folder < 0 && is_symbolic_link(here, part))
      reason = path.substr(0, end) + " is a symbolic link to no directory";
    close(std::exchange(here, next.folder));
    errno = next.error;
  }
  return here;
}

std::string cache_folder() {
  std::string folder;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && cache[0] == '/')
    folder = cache;
  else if (home != nullptr && home[0] == '/')
    folder = std::string(home) + "/.cache";
  return folder.empty() || lies_with_another_user(folder) ? std::string() : folder;
}

}  // namespace marshal
