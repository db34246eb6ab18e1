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

bool is_symbolic_link(int directory, const std::string& name) {
  struct stat facts {};
  return fstatat(directory, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode);
}

// The directory of a file, with all above it that were missing; -1 with an errno. `reason` is set where the errno says
// too little. Each is opened from the one before, so that none which was made here can be exchanged for a link.
int open_directory_of(const std::string& path, std::string& reason) {
  constexpr int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  int here = open(path.starts_with('/') ? "/" : ".", flags);
  std::size_t end = 0;
  for (std::size_t begin = 0; here >= 0 && (end = path.find('/', begin)) != std::string::npos; begin = end + 1) {
    const std::string part = path.substr(begin, end - begin);
    if (part.empty()) continue;
    const bool made = mkdirat(here, part.c_str(), 0777) == 0;
    const int why_not_made = errno;
    const int next = openat(here, part.c_str(), made ? flags | O_NOFOLLOW : flags);
    const int error = !made && why_not_made != EEXIST ? why_not_made : errno;
    if (next < 0 && is_symbolic_link(here, part)) reason = path.substr(0, end) + " is a symbolic link to no directory";
    close(std::exchange(here, next));
    errno = error;
  }
  return here;
}

// Gives the finished file its name; EEXIST if another file has it.
int give_name(int directory, const std::string& temporary, const std::string& name) {
  if (linkat(directory, temporary.c_str(), directory, name.c_str(), 0) == 0) {
    unlinkat(directory, temporary.c_str(), 0);
    return 0;
  }
  if (errno == EEXIST) return EEXIST;
  // Without hard links (some network and FAT file systems): reserve the name by an empty file, then rename over it.
  const int reserved = openat(directory, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (reserved < 0) return errno;
  close(reserved);
  return renameat(directory, temporary.c_str(), directory, name.c_str()) == 0 ? 0 : errno;
}

std::string name_below(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string spare_directory() {
  const char* variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != '\0' ? variable : "/tmp";
}

std::string spare_stem(const std::string& stem) { return spare_directory() + "/" + name_below(stem); }

}  // namespace

NewFile::NewFile(std::string stem, std::string_view ending) : stem_(std::move(stem)), ending_(ending) {
  if (open_at(stem_)) return;
  why_elsewhere_ = fmt::format("cannot write {}{} ({})", stem_, ending_, why());
  stem_ = spare_stem(stem_);
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
  directory_ = open_directory_of(stem, reason_);
  for (int attempt = 0; directory_ >= 0 && attempt < 100 && file_ < 0; ++attempt) {
    temporary_ = fmt::format(".marshal-{}-{}-{}.tmp", host_name(), getpid(), attempt);
    file_ = openat(directory_, temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
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
  for (int copy = 1; error_ == 0; ++copy) {
    std::string path = copy == 1 ? stem_ + ending_ : fmt::format("{}-{}{}", stem_, copy, ending_);
    const std::string name = name_below(path);
    const int named = give_name(directory_, temporary_, name);
    if (named == 0) {
      if (why_elsewhere_.empty()) return {std::move(path), {}};
      return {path, fmt::format("{}; wrote {} instead", why_elsewhere_, path)};
    }
    if (named == EEXIST && !is_symbolic_link(directory_, name)) continue;
    error_ = named;
    if (named == EEXIST) reason_ = path + " is a symbolic link";
  }
  if (!temporary_.empty()) unlinkat(directory_, temporary_.c_str(), 0);
  if (why_elsewhere_.empty()) return {{}, fmt::format("cannot write {}{} ({})", stem_, ending_, why())};
  return {{}, fmt::format("{}, nor in {} ({})", why_elsewhere_, spare_directory(), why())};
}

WrittenFile write_new_file(const std::string& stem, std::string_view ending, std::string_view contents) {
  NewFile file(stem, ending);
  file.append(contents);
  WrittenFile written = file.finish();
  if (!written.path.empty() || file.is_elsewhere()) return written;
  NewFile elsewhere(spare_stem(stem), ending);
  elsewhere.append(contents);
  WrittenFile saved = elsewhere.finish();
  if (saved.path.empty()) return {{}, fmt::format("{}, nor in {}", written.error, spare_directory())};
  return {saved.path, fmt::format("{}; wrote {} instead", written.error, saved.path)};
}

}  // namespace marshal
