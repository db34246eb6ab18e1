#include "tools/preloading.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/process_facts.h"

namespace marshal::tools {
namespace {

using Header = ElfW(Ehdr);
using ProgramHeader = ElfW(Phdr);

constexpr unsigned char this_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char this_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

template <typename T>
bool read(std::istream& file, T& value) {
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&value), sizeof value));
}

// The processor of the running program, from its own header.
ElfW(Half) this_machine() {
  Header header{};
  std::ifstream self("/proc/self/exe", std::ios::binary);
  return read(self, header) ? header.e_machine : ElfW(Half){EM_NONE};
}

constexpr const char *damaged = "is a damaged program", *other_machine = "is a program for another kind of machine";

std::string why_not_elf(std::istream& file) {
  Header header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (file.gcount() < EI_NIDENT) return damaged;
  if (header.e_ident[EI_CLASS] != this_class || header.e_ident[EI_DATA] != this_order) return other_machine;
  if (!file) return damaged;
  if (const auto machine = this_machine(); machine != EM_NONE && header.e_machine != machine) return other_machine;
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(ProgramHeader)) return damaged;
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  bool has_loader = false;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ProgramHeader program{};
    if (!read(file, program)) return damaged;
    has_loader = has_loader || program.p_type == PT_INTERP;
  }
  return has_loader ? ""
                    : "is statically linked, so no library can be put in front of its MPI; link it dynamically, or run "
                      "it without marshal";
}

bool is_executable_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

// Set-user-ID or with capabilities: the loader ignores LD_PRELOAD.
bool is_privileged(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return false;
  const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
  const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getgid();
  const bool capable = getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return other_user || other_group || capable;
}

bool begins_as_elf(std::istream& file) {
  char magic[SELFMAG] = {};
  return read(file, magic) && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
}

std::string if_there(const std::string& path) { return access(path.c_str(), F_OK) == 0 ? path : std::string(); }

std::string find_in_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  const std::string directories = variable != nullptr ? variable : "/bin:/usr/bin";
  std::string present;  // found but not executable: execvp goes on, and reports it in the end
  for (std::size_t start = 0; start <= directories.size();) {
    const std::size_t end = std::min(directories.find(':', start), directories.size());
    const std::string directory = directories.substr(start, end - start);
    start = end + 1;
    std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    if (is_executable_file(candidate)) return candidate;
    if (present.empty() && access(candidate.c_str(), F_OK) == 0) present = candidate;
  }
  return present;
}

}  // namespace

ProgramFile find_program_file(const std::string& name, const std::string& directory, bool also_there) {
  std::string path;
  const std::string there = directory == "." && name.find('/') != name.npos ? name : directory + "/" + name;
  if (name.find('/') != name.npos)
    path = if_there(name.starts_with('/') ? name : there);
  else if (!name.empty())
    path = find_in_path(name);
  if (path.empty() && also_there && !name.empty()) path = if_there(there);
  if (path.empty()) return {path, "no such program; give its path, or a name that is in PATH"};
  if (!is_executable_file(path))
    return {path, "cannot be executed; it is a directory, or its permissions do not allow it"};
  std::ifstream file(path, std::ios::binary);
  if (begins_as_elf(file)) {
    file.seekg(0);
    if (std::string why_not = why_not_elf(file); !why_not.empty()) return {path, std::move(why_not)};
  }
  return {path, is_privileged(path)
                    ? "runs with another user's rights, and the loader preloads nothing into such programs"
                    : ""};
}

bool is_binary(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return begins_as_elf(file);
}

namespace fs = std::filesystem;

std::vector<std::string> library_directories() {
  std::vector<fs::path> likely;
  // From bindir to libdir as configured, so that an installed tree can be moved.
  if (const fs::path here = fs::path(executable_path()).parent_path(); !here.empty())
    likely = {(here / fs::path(MARSHAL_LIBDIR).lexically_relative(MARSHAL_BINDIR)).lexically_normal(),
              here.parent_path(), here.parent_path() / "lib"};
  likely.emplace_back(MARSHAL_LIBDIR);
  std::vector<std::string> directories;
  for (const fs::path& directory : likely)
    if (std::find(directories.begin(), directories.end(), directory.string()) == directories.end())
      directories.push_back(directory.string());
  return directories;
}

std::string preload_library(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    std::string path = directory + "/libmarshal.so";
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

std::string library_for(const std::string& tag, const std::string& preload_library) {
  if (preload_library.empty()) return {};
  std::string path = (fs::path(preload_library).parent_path() / ("libmarshal-" + tag + ".so")).string();
  return access(path.c_str(), R_OK) == 0 ? path : std::string();
}

}  // namespace marshal::tools
