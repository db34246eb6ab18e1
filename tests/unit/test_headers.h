// Headers that all unit tests include, compiled once for all of them (m4/precompiled.m4).
#pragma once

#include <boost/test/unit_test.hpp>

#include "shim/standard_headers.h"
