#include "profile/own_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/new_file.h"
#include "base/process_facts.h"
#include "base/small_file.h"

namespace marshal::profile {
namespace {

std::string safe_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 100)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += plain || (c == '.' && !name.empty()) ? c : '_';
  }
  return name;
}

Descriptor open_own_file(const std::string& path, int& error) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  error = file ? 0 : errno;
  return file;
}

std::string why_not_used(const Descriptor& file, std::size_t most_bytes, int& error) {
  if (error == ELOOP) return error = 0, "it is a symbolic link";
  if (error != 0) return std::strerror(error);
  struct stat found {};
  if (fstat(*file, &found) != 0 || !S_ISREG(found.st_mode)) return "it is no regular file";
  if (found.st_uid != geteuid()) return "it belongs to another user";
  if (static_cast<std::uintmax_t>(found.st_size) > most_bytes)
    return "it is larger than " + std::to_string(most_bytes >> 20) + " MiB";
  return {};
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}
Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}
bool Descriptor::closes() { return close(std::exchange(number_, -1)) == 0; }

std::string because(const std::string& path, std::string_view what, int error) {
  return "profile " + path + " " + std::string(what) + ": " + std::strerror(error) +
         " (MARSHAL_PROFILE names another directory, or off)";
}

std::vector<ListedFile> files_in(const std::string& directory, const std::function<bool(std::string_view)>& is_wanted) {
  std::vector<ListedFile> all;
  DIR* const entries = opendir(directory.c_str());
  if (entries == nullptr) return all;
  while (const dirent* entry = readdir(entries)) {
    if (!is_wanted(entry->d_name)) continue;
    ListedFile file{directory + "/" + entry->d_name};
    struct stat facts {};
    if (lstat(file.path.c_str(), &facts) == 0) {
      file.bytes = static_cast<std::uint64_t>(facts.st_size);
      file.written = facts.st_mtime;
    }
    all.push_back(std::move(file));
  }
  closedir(entries);
  std::sort(all.begin(), all.end(), [](const ListedFile& a, const ListedFile& b) {
    return std::pair(-a.written, a.path) < std::pair(-b.written, b.path);
  });
  return all;
}

std::vector<ListedFile> files_in(const std::string& directory, std::string_view ending) {
  return files_in(directory, [&](std::string_view name) { return name.ends_with(ending) && name.front() != '.'; });
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}
std::string name_in(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }
std::string stem_in(const std::string& path) {
  const std::string name = name_in(path);
  return name.substr(0, name.find_last_of('.'));
}

std::string stem_of_program(std::string_view program, std::string_view build) {
  return safe_name(program) + (build.empty() ? "" : "-" + safe_name(build.substr(0, 16)));
}

std::string read_own_file(const std::string& path, std::size_t most_bytes, std::string& text, int& error) {
  const Descriptor file = open_own_file(path, error);
  std::string why_not = why_not_used(file, most_bytes, error);
  return why_not.empty() ? read_open_file(*file, text, most_bytes) : why_not;
}

std::string why_not_read(const std::string& path, std::size_t most_bytes) {
  int error = 0;
  const Descriptor file = open_own_file(path, error);
  return why_not_used(file, most_bytes, error);
}

Descriptor open_own_directory(const std::string& directory, std::string& problem) {
  std::string reason;
  const Descriptor found(open_folder_of(directory + "/", 0700, reason));
  if (!found) {
    problem = reason.empty() ? because(directory, "cannot be made", errno)
                             : "profile directory " + directory + ": " + reason + ": nothing is kept there";
    return Descriptor();
  }
  Descriptor opened(openat(*found, ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY));  // with which it can be locked
  struct stat facts {};
  if (!opened || fstat(*opened, &facts) != 0) {
    problem = because(directory, "cannot be opened", errno);
    return Descriptor();
  }
  if (facts.st_uid == geteuid()) return opened;
  problem = "profile directory " + directory + " belongs to another user: nothing is kept there";
  return Descriptor();
}

int put_file(const Descriptor& directory, const std::string& name, std::string_view contents) {
  const std::string temporary = "." + name + "." + std::to_string(machine_number()) + "." + std::to_string(getpid());
  unlinkat(*directory, temporary.c_str(), 0);  // of an earlier process with this number
  Descriptor fresh(openat(*directory, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fresh) return errno;
  int error = write_whole(*fresh, contents);
  if (error == 0 && !fresh.closes()) error = errno;
  if (error == 0 && renameat(*directory, temporary.c_str(), *directory, name.c_str()) != 0) error = errno;
  if (error != 0) unlinkat(*directory, temporary.c_str(), 0);
  return error;
}

}  // namespace marshal::profile
