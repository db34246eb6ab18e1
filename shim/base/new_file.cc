#include "base/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/folder.h"
#include "base/process_facts.h"
#include "base/small_file.h"

namespace marshal {
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
