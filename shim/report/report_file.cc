#include "report/report_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/process_facts.h"

namespace marshal::report {
namespace {

// A file name has 255 bytes in all; the rest of the pattern needs some.
std::string one_part(std::string text) {
  text.resize(std::min<std::size_t>(text.size(), 100));
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

// "2026-11-21T09:14:47+00:00" -> "20261121T091447"
std::string time_part(const std::string& iso) {
  std::string kept;
  for (const char c : iso.substr(0, 19))
    if (c != '-' && c != ':') kept.push_back(c);
  return kept.empty() ? "unknown" : kept;
}

void make_directories_of(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0777);
}

// 0 or an errno.
int write_whole(int file, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Gives the finished file its name without taking anybody else's: EEXIST when the name is taken.
int give_name(const std::string& temporary, const std::string& path) {
  if (link(temporary.c_str(), path.c_str()) == 0) {
    unlink(temporary.c_str());
    return 0;
  }
  if (errno == EEXIST) return EEXIST;
  // No hard links here (some network and FAT file systems): reserve the name, then rename over the own, empty
  // reservation.
  const int reserved = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (reserved < 0) return errno;
  close(reserved);
  return rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
}

// The path, or empty with `error` set.
std::string write_at(const std::string& stem, std::string_view ending, std::string_view contents, int& error) {
  make_directories_of(stem);
  const auto slash = stem.find_last_of('/');
  const std::string directory = slash == std::string::npos ? "" : stem.substr(0, slash + 1);
  // Named after host and process: processes of several nodes may write to one directory at once.
  std::string temporary;
  int file = -1;
  for (int attempt = 0; attempt < 100 && file < 0; ++attempt) {
    temporary = fmt::format("{}.marshal-{}-{}-{}.tmp", directory, host_name(), getpid(), attempt);
    file = open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) {
    error = errno;
    return {};
  }
  error = write_whole(file, contents);
  if (close(file) != 0 && error == 0) error = errno;  // quotas of network file systems are noticed here
  for (int copy = 1; error == 0; ++copy) {
    std::string path = copy == 1 ? fmt::format("{}{}", stem, ending) : fmt::format("{}-{}{}", stem, copy, ending);
    const int named = give_name(temporary, path);
    if (named == 0) return path;
    if (named != EEXIST) error = named;
  }
  unlink(temporary.c_str());
  return {};
}

}  // namespace

std::string expand_pattern(std::string_view pattern, const Job& job) {
  for (const std::string_view ending : {".json", ".html"})
    if (pattern.ends_with(ending)) pattern.remove_suffix(ending.size());
  std::string stem;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      stem.push_back(pattern[i]);
      continue;
    }
    switch (const char letter = pattern[++i]) {
      case 'p':
        stem += one_part(job.program);
        break;
      case 'j':
        stem += one_part(job.job_id);
        break;
      case 'h':
        stem += one_part(job.host);
        break;
      case 'n':
        stem += std::to_string(job.ranks);
        break;
      case 't':
        stem += time_part(job.started);
        break;
      case '%':
        stem.push_back('%');
        break;
      default:
        stem.push_back('%'), stem.push_back(letter);
    }
  }
  if (stem.empty() || stem.back() == '/') stem += "marshal";
  return stem;
}

std::string partial_stem(std::string_view stem, std::uint64_t rank) {
  return fmt::format("{}-partial-rank{}", stem, rank);
}

WrittenFile write_new_file(const std::string& stem, std::string_view ending, std::string_view contents) {
  int error = 0;
  if (std::string path = write_at(stem, ending, contents, error); !path.empty()) return {std::move(path), {}};
  const char* variable = std::getenv("TMPDIR");
  const std::string elsewhere = variable != nullptr && *variable != '\0' ? variable : "/tmp";
  const std::string why = fmt::format("cannot write {}{} ({})", stem, ending, std::strerror(error));
  const std::string name = stem.substr(stem.find_last_of('/') + 1);
  std::string path = write_at(elsewhere + "/" + name, ending, contents, error);
  if (path.empty()) return {{}, fmt::format("{}, nor in {} ({})", why, elsewhere, std::strerror(error))};
  return {path, fmt::format("{}; wrote {} instead", why, path)};
}

}  // namespace marshal::report
