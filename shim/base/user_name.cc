#include "base/user_name.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "base/small_file.h"

namespace marshal {
namespace {

struct Account {
  std::string_view name;
  std::uint64_t user = 0;
};

// "name:x:1000:…"; nothing if it is no such line.
std::optional<Account> account_of(std::string_view line) {
  const std::size_t name = line.find(':');
  if (name == 0 || name == std::string_view::npos) return std::nullopt;
  const std::size_t password = line.find(':', name + 1);
  if (password == std::string_view::npos) return std::nullopt;
  Account account{line.substr(0, name), 0};
  const char* const end = line.data() + line.size();
  const auto read = std::from_chars(line.data() + password + 1, end, account.user);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != ':') return std::nullopt;
  return account;
}

// The first account for which `wanted` is true.
template <class Wanted>
std::optional<Account> find_account(std::string_view accounts, Wanted wanted) {
  while (!accounts.empty()) {
    const std::string_view line = accounts.substr(0, accounts.find('\n'));
    const std::optional<Account> account = account_of(line);
    if (account && wanted(*account)) return account;
    accounts.remove_prefix(std::min(accounts.size(), line.size() + 1));
  }
  return std::nullopt;
}

}  // namespace

std::string user_name(std::uint64_t user, std::string_view accounts, const char* (*get)(const char*)) {
  const auto own = find_account(accounts, [&](const Account& account) { return account.user == user; });
  if (own) return std::string(own->name);
  for (const char* variable : {"USER", "LOGNAME"}) {
    const char* const name = get(variable);
    if (name == nullptr || *name == '\0') continue;
    // Its account, if it has one here, is another user's.
    if (!find_account(accounts, [&](const Account& account) { return account.name == name; })) return name;
  }
  return std::to_string(user);
}

std::string user_name() {
  std::string accounts;
  read_small_file("/etc/passwd", accounts);
  return user_name(geteuid(), accounts, [](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace marshal
