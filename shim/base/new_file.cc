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

void make_directories_of(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0777);
}

// Gives the finished file its name; EEXIST if another file has it.
int give_name(const std::string& temporary, const std::string& path) {
  if (link(temporary.c_str(), path.c_str()) == 0) {
    unlink(temporary.c_str());
    return 0;
  }
  if (errno == EEXIST) return EEXIST;
  // Without hard links (some network and FAT file systems): reserve the name by an empty file, then rename over it.
  const int reserved = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (reserved < 0) return errno;
  close(reserved);
  return rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
}

std::string spare_directory() {
  const char* variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != '\0' ? variable : "/tmp";
}

std::string spare_stem(const std::string& stem) {
  return spare_directory() + "/" + stem.substr(stem.find_last_of('/') + 1);
}

}  // namespace

NewFile::NewFile(std::string stem, std::string_view ending) : stem_(std::move(stem)), ending_(ending) {
  if (open_at(stem_)) return;
  why_elsewhere_ = fmt::format("cannot write {}{} ({})", stem_, ending_, std::strerror(error_));
  stem_ = spare_stem(stem_);
  open_at(stem_);
}

NewFile::~NewFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(temporary_.c_str());
}

bool NewFile::open_at(const std::string& stem) {
  make_directories_of(stem);
  const auto slash = stem.find_last_of('/');
  const std::string directory = slash == std::string::npos ? "" : stem.substr(0, slash + 1);
  for (int attempt = 0; attempt < 100 && file_ < 0; ++attempt) {
    temporary_ = fmt::format("{}.marshal-{}-{}-{}.tmp", directory, host_name(), getpid(), attempt);
    file_ = open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
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
    const int named = give_name(temporary_, path);
    if (named == 0) {
      if (why_elsewhere_.empty()) return {std::move(path), {}};
      return {path, fmt::format("{}; wrote {} instead", why_elsewhere_, path)};
    }
    if (named != EEXIST) error_ = named;
  }
  if (!temporary_.empty()) unlink(temporary_.c_str());
  const std::string why = std::strerror(error_);
  if (why_elsewhere_.empty()) return {{}, fmt::format("cannot write {}{} ({})", stem_, ending_, why)};
  return {{}, fmt::format("{}, nor in {} ({})", why_elsewhere_, spare_directory(), why)};
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
