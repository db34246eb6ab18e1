// The headers of the standard library that most files include, compiled once for all of them (m4/precompiled.m4). No
// file may rely on it: each includes what it uses, and a build without it, as clang-tidy's, shows what is missing.
// {fmt} cannot be in it: without optimisation it leaves g++ believing that there is one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
