#include "base/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/process_facts.h"
#include "base/small_file.h"

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

struct OpenedFolder {
  int folder = -1;
  int error = 0;
  bool is_strange = false;
};

// One that is there already.
OpenedFolder open_entry(int folder, const std::string& name) {
  OpenedFolder entry;
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
    OpenedFolder next;
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

namespace {

constexpr int most_copies = 1 << 30;

// Gives the finished file its name; EEXIST if another file has it.
int give_name(int directory, const std::string& temporary, const std::string& name, mode_t mode) {
  if (linkat(directory, temporary.c_str(), directory, name.c_str(), 0) == 0) {
    unlinkat(directory, temporary.c_str(), 0);
    return 0;
  }
  if (errno == EEXIST) return EEXIST;
  // Without hard links (some network and FAT file systems): reserve the name by an empty file, then rename over it.
  const int reserved = openat(directory, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
  if (reserved < 0) return errno;
  close(reserved);
  return renameat(directory, temporary.c_str(), directory, name.c_str()) == 0 ? 0 : errno;
}

std::string name_below(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string spare_stem(const std::string& stem) { return spare_folder() + "/" + name_below(stem); }

std::string name_of_copy(const std::string& name, std::string_view ending, int copy) {
  return copy == 1 ? fmt::format("{}{}", name, ending) : fmt::format("{}-{}{}", name, copy, ending);
}

// The number of a copy above `taken` whose name is free, in steps that double and then halve: the N-th file of a name
// asks for 2 log N names.
int free_copy(int directory, const std::string& name, std::string_view ending, int taken) {
  const auto is_taken = [&](int copy) {
    return faccessat(directory, name_of_copy(name, ending, copy).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  };
  int step = 1;
  while (step < most_copies && is_taken(taken + step)) step *= 2;
  int free = taken + step;
  taken += step / 2;
  while (free - taken > 1) {
    const int middle = taken + (free - taken) / 2;
    (is_taken(middle) ? taken : free) = middle;
  }
  return free;
}

}  // namespace

std::string spare_folder() {
  const char* const variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != '\0' ? variable : "/tmp";
}

NewFile::NewFile(std::string stem, std::string_view ending, mode_t mode)
    : stem_(std::move(stem)), ending_(ending), mode_(mode) {
  if (open_at(stem_)) return;
  why_elsewhere_ = fmt::format("cannot write {}{} ({})", stem_, ending_, why());
  stem_ = spare_stem(stem_);
  mode_ = only_the_user;
  open_at(stem_);
}

NewFile::~NewFile() {
  if (file_ >= 0) {
    close(file_);
    unlinkat(directory_, temporary_.c_str(), 0);
  }
  if (directory_ >= 0) close(directory_);
}

std::string NewFile::why() const { return reason_.empty() ? std::strerror(error_) : reason_; }

bool NewFile::open_at(const std::string& stem) {
  reason_.clear();
  if (directory_ >= 0) close(directory_);
  directory_ = open_folder_of(stem, 0777, reason_);
  for (int attempt = 0; directory_ >= 0 && attempt < 100 && file_ < 0; ++attempt) {
    temporary_ = fmt::format(".marshal-{}-{}-{}.tmp", host_name(), getpid(), attempt);
    file_ = openat(directory_, temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode_);
    if (file_ < 0 && errno != EEXIST) break;
  }
  error_ = file_ < 0 ? errno : 0;
  return file_ >= 0;
}

void NewFile::append(std::string_view contents) {
  if (error_ == 0) error_ = write_whole(file_, contents);
}

WrittenFile NewFile::finish() {
  if (file_ >= 0 && close(std::exchange(file_, -1)) != 0 && error_ == 0)
    error_ = errno;  // network file systems report exceeded quotas here
  const std::string base = name_below(stem_);
  for (int copy = 1; error_ == 0;) {
    const std::string name = name_of_copy(base, ending_, copy);
    std::string path = stem_.substr(0, stem_.size() - base.size()) + name;
    const int named = give_name(directory_, temporary_, name, mode_);
    if (named == 0) {
      if (why_elsewhere_.empty()) return {std::move(path), {}};
      return {path, fmt::format("{}; wrote {} instead", why_elsewhere_, path)};
    }
    if (named == EEXIST && !is_symbolic_link(directory_, name)) {
      copy = free_copy(directory_, base, ending_, copy);
      continue;
    }
    error_ = named;
    if (named == EEXIST) reason_ = path + " is a symbolic link";
  }
  if (!temporary_.empty()) unlinkat(directory_, temporary_.c_str(), 0);
  if (why_elsewhere_.empty()) return {{}, fmt::format("cannot write {}{} ({})", stem_, ending_, why())};
  return {{}, fmt::format("{}, nor in {} ({})", why_elsewhere_, spare_folder(), why())};
}

WrittenFile write_new_file(const std::string& stem, std::string_view ending, std::string_view contents) {
  NewFile file(stem, ending);
  file.append(contents);
  WrittenFile written = file.finish();
  if (!written.path.empty() || file.is_elsewhere()) return written;
  NewFile elsewhere(spare_stem(stem), ending, NewFile::only_the_user);
  elsewhere.append(contents);
  WrittenFile saved = elsewhere.finish();
  if (saved.path.empty()) return {{}, fmt::format("{}, nor in {}", written.error, spare_folder())};
  return {saved.path, fmt::format("{}; wrote {} instead", written.error, saved.path)};
}

}  // namespace marshal
