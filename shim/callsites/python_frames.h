// The Python frames of the calling thread, read from the interpreter's memory: nothing of Python is called that needs
// its lock, which the thread may have given away, and nothing of Python's changes. So a thread reads its own frames
// only, which stand still while it is in a call of MPI.
//
// Known are CPython 3.11, 3.12 and 3.13. A first look reads the whole stack with care; where that is not what these
// versions have, as in builds of another form, the process counts as one without Python. Several interpreters in a
// process are not told apart: then there are no frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace marshal {

// A line that runs: "/home/u/halo.py", "Grid.exchange", 18.
struct PythonLine {
  std::string file, function;
  std::uint64_t line = 0;
};

// One of the frames; valid until its thread leaves the call of MPI.
class PythonFrame {
 public:
  explicit PythonFrame(std::uintptr_t frame = 0) : at_(frame) {}
  explicit operator bool() const { return at_ != 0; }

  // The next one outwards that is a line of Python; none behind the last.
  PythonFrame outer() const;
  // Two lines have the same number only where all that tells them is alike. `seed`: what else it depends on.
  std::uint64_t number(std::uint64_t seed) const;
  // Read with care. Empty where there is no line to be read.
  std::optional<PythonLine> line() const;

 private:
  std::uintptr_t at_;
};

// Looks for an interpreter that this thread is in; true if its frames can be read, from then on in every thread.
// Thread safe.
bool find_python() noexcept;

// The innermost frame of this thread. Only after find_python().
PythonFrame innermost_python_frame();

// The line of the instruction at `offset` bytes, by the table that a code object has (co_linetable of Python 3.11 and
// later). `first`: the function's own line, which it is also where the table says nothing. Any bytes are a table.
// Source: CPython, Objects/locations.md.
std::int64_t python_line(std::span<const std::byte> table, std::int64_t first, std::int64_t offset);

}  // namespace marshal
