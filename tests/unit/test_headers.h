// The headers that most unit tests include, compiled once for all of them (m4/precompiled.m4). No file may rely on it:
// each includes what it uses, and a build without it shows what is missing. {fmt} cannot be in it: without optimisation
// it leaves g++ believing that there is one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <boost/test/unit_test.hpp>
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
