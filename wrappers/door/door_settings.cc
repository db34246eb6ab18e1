#include "wrappers/door/door_settings.h"

#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

namespace marshal {
namespace {

constexpr char prefix[] = "MARSHAL_";
constexpr std::size_t prefix_length = sizeof prefix - 1;

enum class Source : int { built_in, site, file, environment };

struct Setting {
  const char* name;   // with the prefix
  const char* words;  // allowed values, with blanks between them
  int word = -1;      // the number of the value; -1: built in
  Source source = Source::built_in;

  void set(const char* value, Source from) {
    const std::size_t length = std::strlen(value);
    int number = 0;
    for (const char* at = words; length > 0 && *at != '\0'; at += std::strcspn(at, " "), at += *at == ' ', ++number)
      if (strncasecmp(at, value, length) == 0 && std::strcspn(at, " ") == length) word = number, source = from;
  }
};

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

char* trimmed(char* text) {
  while (is_blank(*text)) ++text;
  std::size_t length = std::strlen(text);
  while (length > 0 && is_blank(text[length - 1])) text[--length] = '\0';
  return text;
}

// "cart-move", "CART_MOVE" and "MARSHAL_CART_MOVE" are one name.
bool is_name(const char* typed, std::size_t length, const char* name) {
  const std::size_t left_out = strncasecmp(typed, prefix, prefix_length) == 0 ? 0 : prefix_length;
  if (length + left_out != std::strlen(name)) return false;
  for (std::size_t i = 0; i < length; ++i) {
    const char c = typed[i] == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(typed[i])));
    if (c != name[left_out + i]) return false;
  }
  return true;
}

// A line "NAME = value" or "NAME value", with a comment behind #.
void read_line(char* line, std::span<Setting> settings, Source source) {
  line[std::strcspn(line, "#")] = '\0';
  char* const text = trimmed(line);
  const std::size_t length = std::strcspn(text, "= \t");
  if (length == 0 || text[length] == '\0') return;
  char* value = trimmed(text + length);
  if (*value == '=') value = trimmed(value + 1);
  for (Setting& setting : settings)
    if (is_name(text, length, setting.name)) setting.set(value, source);
}

void read_file(const char* path, std::span<Setting> settings, Source source) {
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat facts {};
  std::FILE* const stream =
      file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) ? fdopen(file, "r") : nullptr;
  if (stream == nullptr) {
    if (file >= 0) close(file);
    return;
  }
  char line[4096];
  while (std::fgets(line, sizeof line, stream) != nullptr) read_line(line, settings, source);
  std::fclose(stream);
}

void read_environment(std::span<Setting> settings) {
  for (Setting& setting : settings)
    if (const char* const text = std::getenv(setting.name); text != nullptr) {
      char copy[64] = {};
      std::strncpy(copy, text, sizeof copy - 1);
      setting.set(trimmed(copy), Source::environment);
    }
}

}  // namespace

DoorSettings read_door_settings() {
  constexpr int derived = 9, observe = 2;
  Setting settings[] = {{"MARSHAL_VERBOSE", "0 1 2 3"},
                        {"MARSHAL_DISABLE", "off on 0 1 no yes false true"},
                        {"MARSHAL_RANKMAP", "blocks rankmap plist range strided bitmap sparse lut off derived"},
                        {"MARSHAL_MODE", "full safe observe"}};
  read_file(MARSHAL_SYSCONFDIR "/marshal.conf", settings, Source::site);
  if (const char* const path = std::getenv("MARSHAL_CONFIG"); path != nullptr && *path != '\0')
    read_file(path, settings, Source::file);
  read_environment(settings);
  const auto& [verbose, disable, map, mode] = settings;
  const bool is_by_mode = mode.word == observe && map.source < mode.source;
  return {.silent = verbose.word == 0 || (disable.word >= 0 && disable.word % 2 == 1),
          .asks_nothing = is_by_mode || map.word == derived};
}

}  // namespace marshal
