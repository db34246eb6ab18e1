#include "wrappers/door/door_settings.h"

#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

// A line "NAME = value" or "NAME value", with a comment behind #.
void read_line(char* line, const char* name, Parse* parse, Value& found, Source source) {
  line[std::strcspn(line, "#")] = '\0';
  char* const text = trimmed(line);
  const std::size_t length = std::strcspn(text, "= \t");
  if (length == 0 || text[length] == '\0' || !is_name(text, length, name)) return;
  char* value = trimmed(text + length);
  if (*value == '=') value = trimmed(value + 1);
  if (const int number = parse(value); number >= 0) found = {number, source};
}

void read_file(const char* path, const char* name, Parse* parse, Value& found, Source source) {
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat facts {};
  std::FILE* const stream =
      file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) ? fdopen(file, "r") : nullptr;
  if (stream == nullptr) {
    if (file >= 0) close(file);
    return;
  }
  char line[4096];
  while (std::fgets(line, sizeof line, stream) != nullptr) read_line(line, name, parse, found, source);
  std::fclose(stream);
}

// `name`: with the prefix.
Value value_of(const char* name, Parse* parse) {
  Value found;
  read_file(MARSHAL_SYSCONFDIR "/marshal.conf", name, parse, found, Source::site);
  if (const char* const path = std::getenv("MARSHAL_CONFIG"); path != nullptr && *path != '\0')
    read_file(path, name, parse, found, Source::file);
  if (const char* const set = std::getenv(name); set != nullptr) {
    char copy[64] = {};
    std::strncpy(copy, set, sizeof copy - 1);
    if (const int number = parse(trimmed(copy)); number >= 0) found = {number, Source::environment};
  }
  return found;
}

}  // namespace

bool wants_errors_only() { return value_of("MARSHAL_VERBOSE", level).number == 0; }

bool wants_nothing_done() { return value_of("MARSHAL_DISABLE", on_or_off).number == 1; }

bool wants_nothing_asked() {
  const Value map = value_of("MARSHAL_RANKMAP", rank_map), of_all = value_of("MARSHAL_MODE", mode);
  const bool is_by_mode = of_all.number == mode("observe") && map.source < of_all.source;
  return is_by_mode || map.number == rank_map("derived");
}

}  // namespace marshal
