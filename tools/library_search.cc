#include "tools/library_search.h"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace marshal::tools {
namespace {

constexpr std::string_view kOldMagic = "ld.so-1.7.0", kNewMagic = "glibc-ld.so.cache1.1";

// The file format of glibc's ld.so.cache.
struct CacheHeader {
  char magic[20];
  std::uint32_t count, strings_size;
  std::uint8_t flags, padding[3];
  std::uint32_t extension_offset, unused[3];
};
struct CacheEntry {
  std::int32_t flags;
  std::uint32_t key, value, os_version;
  std::uint64_t hwcap;
};
struct OldHeader {
  char magic[12];
  std::uint32_t count;
};
constexpr std::size_t kOldEntry = 12;

template <typename T>
bool read_at(std::string_view bytes, std::size_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return true;
}

std::string c_string_at(std::string_view bytes, std::size_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

bool of_this_machine(const std::string& path) {
  ElfFile::Problem problem{};
  return ElfFile::open(path, problem).has_value();
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

std::string directory_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// `directories` with colons between, searched for `name`.
std::string find_in(const std::string& directories, const std::string& name, const std::string& origin) {
  for (std::size_t start = 0; start <= directories.size() && !directories.empty();) {
    std::size_t end = directories.find_first_of(":;", start);
    if (end == std::string::npos) end = directories.size();
    std::string directory = directories.substr(start, end - start);
    start = end + 1;
    if (directory.empty()) directory = ".";
    for (const char* token : {"${ORIGIN}", "$ORIGIN"}) replace_all(directory, token, origin);
    for (const char* lib : {"lib", "lib64"}) {
      std::string candidate = directory;
      for (const char* token : {"${LIB}", "$LIB"}) replace_all(candidate, token, lib);
      candidate += "/" + name;
      if (of_this_machine(candidate)) return candidate;
    }
  }
  return {};
}

std::string whole_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::multimap<std::string, std::string, std::less<>> parse_loader_cache(std::string_view cache) {
  std::multimap<std::string, std::string, std::less<>> libraries;
  if (cache.starts_with(kOldMagic)) {
    OldHeader old{};
    if (!read_at(cache, 0, old)) return libraries;
    const std::size_t entries_end = sizeof old + std::size_t{old.count} * kOldEntry;
    const std::size_t aligned =
        (entries_end + alignof(std::uint64_t) - 1) / alignof(std::uint64_t) * alignof(std::uint64_t);
    if (aligned > cache.size()) return libraries;
    cache.remove_prefix(aligned);
  }
  CacheHeader header{};
  if (!cache.starts_with(kNewMagic) || !read_at(cache, 0, header)) return libraries;
  for (std::uint32_t i = 0; i < header.count; ++i) {
    CacheEntry entry{};
    if (!read_at(cache, sizeof header + i * sizeof entry, entry)) break;
    std::string name = c_string_at(cache, entry.key), path = c_string_at(cache, entry.value);
    if (!name.empty() && !path.empty()) libraries.emplace(std::move(name), std::move(path));
  }
  return libraries;
}

LibrarySearch::LibrarySearch(std::string library_path, std::string_view cache)
    : library_path_(std::move(library_path)), cache_(parse_loader_cache(cache)) {}

LibrarySearch::LibrarySearch() : LibrarySearch({}, whole_file("/etc/ld.so.cache")) {
  if (const char* path = std::getenv("LD_LIBRARY_PATH"); path != nullptr) library_path_ = path;
}

std::string LibrarySearch::find(const std::string& name, const Object& by) const {
  const std::string origin = directory_of(by.path);
  if (name.find('/') != std::string::npos) return of_this_machine(name) ? name : std::string();
  std::string found;
  // RPATH counts only where there is no RUNPATH, and is inherited from whoever loads the object.
  if (by.runpath.empty())
    for (const Object* object = &by; object != nullptr && found.empty(); object = object->loader)
      if (object->runpath.empty()) found = find_in(object->rpath, name, directory_of(object->path));
  if (found.empty()) found = find_in(library_path_, name, origin);
  if (found.empty()) found = find_in(by.runpath, name, origin);
  const auto [first, last] = cache_.equal_range(name);
  for (auto entry = first; entry != last && found.empty(); ++entry)
    if (of_this_machine(entry->second)) found = entry->second;
  if (found.empty()) found = find_in("/lib64:/usr/lib64:/lib:/usr/lib", name, origin);
  return found;
}

}  // namespace marshal::tools
