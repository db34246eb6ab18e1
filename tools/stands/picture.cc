#include "tools/stands/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/split_text.h"

namespace marshal::tools::stands {
namespace {

constexpr std::uint64_t most_processes = std::uint64_t{1} << 20;

// Reads the fields of a line in their order. One that is wrong makes the line wrong.
class FieldReader {
 public:
  explicit FieldReader(std::string_view line) : rest_(line) {}

  void require(bool condition) { is_good_ = is_good_ && condition; }
  bool has_more() const { return has_more_ && is_good_; }
  bool is_read() const { return is_good_ && !has_more_; }

  std::string word() {
    constexpr std::size_t most_bytes = 4096;
    const std::string_view field = rest_.substr(0, rest_.find('\t'));
    require(has_more_ && field.size() <= most_bytes);
    has_more_ = field.size() < rest_.size();
    rest_.remove_prefix(field.size() + (has_more_ ? 1 : 0));
    return std::string(is_good_ ? field : "");
  }
  template <class Number>
  Number number(Number least, Number most) {
    Number value{};
    require(read_number(word(), value) && value >= least && value <= most);
    return is_good_ ? value : least;
  }
  std::uint64_t count(std::uint64_t most = UINT64_MAX) { return number<std::uint64_t>(0, most); }
  std::int64_t seconds() { return static_cast<std::int64_t>(number<double>(0, 1e12)); }
  std::uint64_t hexadecimal(const std::string& digits) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    require(error == std::errc() && end == digits.data() + digits.size());
    return value;
  }
  // Its place in the list, or the length of the list.
  std::size_t word_among(std::initializer_list<std::string_view> words, std::string& word_read) {
    word_read = word();
    return static_cast<std::size_t>(std::ranges::find(words, word_read) - words.begin());
  }
  // "/lib/a.so+0x1f3a", "py:/a.py:18:function" or "-"
  std::optional<report::Frame> frame() {
    const std::string field = word();
    if (field == "-" || !is_good_) return std::nullopt;
    const bool is_python = field.starts_with("py:");
    const std::size_t last = is_python ? field.rfind(':') : field.rfind("+0x"), colon = field.rfind(':', last - 1);
    require(last != field.npos && last > (is_python ? 3 : 0));
    if (!is_good_) return std::nullopt;
    if (!is_python) return report::Frame{field.substr(0, last), hexadecimal(field.substr(last + 3))};
    report::Frame frame{field.substr(3, colon - 3), 0, field.substr(last + 1)};
    require(colon > 3 && read_number(std::string_view(field).substr(colon + 1, last - colon - 1), frame.line) &&
            frame.is_python());
    return frame;
  }

 private:
  std::string_view rest_;
  bool is_good_ = true, has_more_ = true;
};

// Lists in braces are read from left to right.
Process process_of(FieldReader& line, const Picture& picture) {
  Process process{line.count(picture.job.world - 1), picture.nodes.begin()->first, line.count(INT32_MAX)};
  std::string state;
  process.life = static_cast<Life>(line.word_among({"gone", "ended", "finished", "unseen"}, state));
  line.require(process.life != Life::alive || state.size() == 1);
  if (state.size() == 1) process.state = state[0];
  process.level = line.number<std::int64_t>(-1, 3);
  process.more = line.count();
  line.require(!picture.processes.contains(process.rank));
  return process;
}

Thread thread_of(FieldReader& line) {
  std::string how;
  Thread thread{static_cast<How>(line.word_among({"in", "poll", "out"}, how)),
                line.seconds(),
                line.word(),
                line.hexadecimal(line.word()),
                line.count(),
                line.word(),
                line.word()};
  line.require(thread.how <= How::out);
  constexpr std::size_t most_frames = 64;
  do {
    if (auto frame = line.frame()) thread.frames.push_back(std::move(*frame));
  } while (line.has_more() && thread.frames.size() < most_frames);
  return thread;
}

// A line below that of the node. `process` is the last one.
void read_fact(const std::string& kind, FieldReader& line, Picture& picture, Process*& process) {
  if (kind == "process") {
    Process read = process_of(line, picture);
    if (line.is_read()) process = &(picture.processes[read.rank] = std::move(read));
  } else if (kind == "communicator" && process != nullptr) {
    process->communicators.push_back({line.hexadecimal(line.word()), line.count(), line.count(most_processes),
                                      line.number<std::int64_t>(-1, most_processes), line.word(), line.frame()});
  } else if (kind == "thread" && process != nullptr) {
    process->threads.push_back(thread_of(line));
  } else {
    line.require(false);
  }
}

std::string read_picture(std::string_view text, Picture& picture) {
  Process* last = nullptr;
  bool has_end = false;
  for (std::size_t number = 1; !has_end && text.find('\n') != text.npos; ++number) {
    FieldReader line(text.substr(0, text.find('\n')));
    text.remove_prefix(text.find('\n') + 1);
    const std::string kind = line.word();
    if (number == 1) {
      if (kind != "marshal-running" || line.count() != 1) return "it is no file of a watched run, in version 1";
    } else if (number == 2) {
      line.require(kind == "job");
      picture.job = {line.word(),
                     line.word(),
                     line.word(),
                     line.number<std::uint64_t>(1, most_processes),
                     line.number<std::uint64_t>(1, most_processes),
                     line.seconds()};
    } else if (number == 3) {
      line.require(kind == "node");
      Node& node = picture.nodes[line.count(picture.job.nodes - 1)];
      node = {line.word(), (line.count(), line.seconds()), line.seconds()};
      line.seconds();
    } else if (has_end = kind == "end"; !has_end) {
      read_fact(kind, line, picture, last);
    }
    if (!line.is_read()) return fmt::format("line {} is not understood", number);
  }
  if (picture.nodes.empty()) return "it was cut before its third line";
  picture.nodes.begin()->second.is_cut = !has_end;
  if (!has_end && last != nullptr) picture.processes.erase(last->rank);  // its last lines may be missing
  return {};
}

}  // namespace

std::string add_file(std::string_view text, bool is_foreign, std::vector<Picture>& pictures) {
  Picture one;
  if (std::string why = read_picture(text, one); !why.empty()) return why;
  const auto found = std::ranges::find(pictures, one.job.run, [](const Picture& other) { return other.job.run; });
  const bool is_new = found == pictures.end();
  Picture& all = is_new ? pictures.emplace_back() : *found;
  if (is_new) all.job = one.job;
  if (all.job != one.job) return "it contradicts another file of its run";
  const std::uint64_t number = one.nodes.begin()->first;
  const auto older = all.nodes.find(number);
  if (older != all.nodes.end() && older->second.written >= one.nodes[number].written)
    return "another file of its node is as new";
  for (const auto& [rank, process] : one.processes)
    if (const auto other = all.processes.find(rank); other != all.processes.end() && other->second.node != number)
      return fmt::format("it has rank {}, as the file of another node has", rank);
  std::erase_if(all.processes, [&](const auto& entry) { return entry.second.node == number; });
  all.nodes[number] = one.nodes[number];
  all.processes.merge(one.processes);
  all.is_foreign |= is_foreign;
  return {};
}

}  // namespace marshal::tools::stands
