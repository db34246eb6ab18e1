// The choice whether the calls of a function on a communicator go by nodes, by their times.
//
// All processes must choose alike, and none knows what the others send. So each call by nodes carries a vote of each
// process: the nanoseconds that going by nodes costs it a call, by its own clock. The sum, which all get, decides from
// the next call on. The other way is tried in rows of a few calls: the first calls of a row pay for the change. When a
// row begins depends on numbers that all have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace marshal::exchange {

class Choice {
 public:
  Choice();

  // Alike on all processes: whether the next call goes by nodes. Counts it.
  bool next_goes_by_nodes();
  // Alike on all processes: the votes of a call by nodes, added up.
  void decide(std::int64_t votes);

  // True if this process wants the time of the call that goes that way.
  bool is_noted() const {
    return in_row_ >= calls_of_change && (is_by_nodes_ || calls_ + noted_before_row >= next_row_);
  }
  // The call took `ns`, and moved `bytes`.
  void note(std::int64_t bytes, std::int64_t ns);
  // Nanoseconds that a call like the last ones takes more by nodes, whose times count as 3 % longer; 0: not known
  // of half of them.
  std::int64_t vote() const;
  // The host's time for calls of `bytes`, in ns; 0: not known.
  std::int64_t time_of_host(std::int64_t bytes) const { return class_of(bytes).host.median(); }

 private:
  // The last times of one way.
  struct Times {
    static constexpr std::size_t kept = 9, least = 3;
    std::array<std::int64_t, kept> ns{};
    std::uint64_t count = 0;
    void note(std::int64_t took) { ns[count++ % kept] = took; }
    std::int64_t median() const;  // 0: fewer than `least`
  };
  struct Class {
    Times host, by_nodes;
  };
  static constexpr std::size_t classes = 40, recent = 64;
  static constexpr std::uint64_t calls_of_change = 2, noted_before_row = 32;

  void end_row();
  static std::size_t number_of(std::int64_t bytes);
  const Class& class_of(std::int64_t bytes) const { return of_bytes_[number_of(bytes)]; }

  // One for each power of two of bytes.
  std::array<Class, classes> of_bytes_{};
  std::array<std::uint8_t, recent> last_{};  // classes of the last calls
  std::uint64_t noted_ = 0;

  // Alike on all processes.
  bool is_by_nodes_ = false;    // except calls in a row of the other way
  bool last_by_nodes_ = false;  // the way of the last call
  std::uint64_t calls_ = 0;
  std::uint64_t in_row_ = 0;       // calls since the way changed
  std::uint64_t next_row_;         // the call that begins the next row of the other way
  std::uint64_t left_in_row_ = 0;  // 0: in none
  std::uint64_t gap_;              // calls until the next row, where the host is faster
  std::uint64_t blind_ = 0;        // calls by nodes in a row of which nobody knew what they gain
};

}  // namespace marshal::exchange
