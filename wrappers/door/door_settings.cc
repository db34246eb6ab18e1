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

// The number of an allowed value, -1 for others.
using Parse = int(const char* value);

enum class Source : int { built_in, site, file, environment };
struct Value {
  int number = -1;
  Source source = Source::built_in;
};

template <std::size_t count>
int place_among(const char* value, const char* const (&words)[count]) {
  for (std::size_t i = 0; i < count; ++i)
    if (strcasecmp(value, words[i]) == 0) return static_cast<int>(i);
  return -1;
}

int on_or_off(const char* value) {
  const int place = place_among(value, {"off", "on", "0", "1", "no", "yes", "false", "true"});
  return place < 0 ? -1 : place % 2;
}
int mode(const char* value) { return place_among(value, {"full", "safe", "observe"}); }
int rank_map(const char* value) {
  return place_among(value,
                     {"blocks", "rankmap", "plist", "range", "strided", "bitmap", "sparse", "lut", "off", "derived"});
}
int level(const char* value) {
  char* end = nullptr;
  const long number = std::strtol(value, &end, 10);
  return end != value && *end == '\0' && number >= 0 && number <= 3 ? static_cast<int>(number) : -1;
}

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

char* trimmed(char* text) {
  while (is_blank(*text)) ++text;
  std::size_t length = std::strlen(text);
  while (length > 0 && is_blank(text[length - 1])) text[--length] = '\0';
  return text;
}

// "cart-effort", "CART_EFFORT" and "MARSHAL_CART_EFFORT" are one name.
bool is_name(const char* typed, std::size_t length, const char* name) {
  const std::size_t left_out = strncasecmp(typed, prefix, prefix_length) == 0 ? 0 : prefix_length;
  if (length + left_out != std::strlen(name)) return false;
  for (std::size_t i = 0; i < length; ++i) {
    const char c = typed[i] == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(typed[i])));
    if (c != name[left_out + i]) return false;
  }
  return true;
}

struct Setting {
  const char* name;  // with the prefix
  Parse* parse;
  Value value{};

  void set(const char* text, Source source) {
    if (const int number = parse(text); number >= 0) value = {number, source};
  }
};

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
  Setting settings[] = {{"MARSHAL_VERBOSE", level},
                        {"MARSHAL_DISABLE", on_or_off},
                        {"MARSHAL_RANKMAP", rank_map},
                        {"MARSHAL_MODE", mode}};
  read_file(MARSHAL_SYSCONFDIR "/marshal.conf", settings, Source::site);
  if (const char* const path = std::getenv("MARSHAL_CONFIG"); path != nullptr && *path != '\0')
    read_file(path, settings, Source::file);
  read_environment(settings);
  const auto& [verbose, disable, map, of_all] = settings;
  const bool is_by_mode = of_all.value.number == mode("observe") && map.value.source < of_all.value.source;
  return {.silent = verbose.value.number == 0 || disable.value.number == 1,
          .asks_nothing = is_by_mode || map.value.number == rank_map("derived")};
}

}  // namespace marshal
