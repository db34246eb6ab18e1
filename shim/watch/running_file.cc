#include "watch/running_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/attempt.h"
#include "base/new_file.h"
#include "base/small_file.h"

namespace marshal::watch {
namespace {

std::array<char, std::size_t{16} << 10> buffer;
std::array<char, std::size_t{256} << 10> table_of_mounts;

// Text to a file, through `buffer`.
class Text {
 public:
  explicit Text(int file) : file_(file) {}
  template <class... Parts>
  void add(fmt::format_string<Parts...> format, const Parts&... parts) {
    if (buffer.size() - used_ < longest) flush();
    used_ += format_into(std::span(buffer).subspan(used_, longest), format, parts...);
  }
  // A field that may have anything in it.
  void add_field(std::string_view text) {
    add("\t{}", text.substr(0, longest - 1));
    std::replace_if(
        buffer.data() + used_ - std::min(text.size(), longest - 1), buffer.data() + used_,
        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  }
  bool finish() {
    flush();
    return error_ == 0;
  }

 private:
  static constexpr std::size_t longest = 4096;
  void flush() {
    if (error_ == 0) error_ = write_whole(file_, {buffer.data(), used_});
    used_ = 0;
  }
  int file_, error_ = 0;
  std::size_t used_ = 0;
};

constexpr std::uint64_t address_bits = (std::uint64_t{1} << 48) - 1;

const Place* place_of(const Chunk& chunk, std::uint64_t key) {
  for (const Place& place : chunk.places)
    if (std::atomic_ref(const_cast<std::uint64_t&>(place.key)).load(std::memory_order_acquire) == key) return &place;
  return nullptr;
}

// A place, and `most` frames above it, up to the program's main function.
void add_place(Text& out, const Chunk& chunk, std::uint64_t key, std::size_t most) {
  const Place* const place = key == 0 ? nullptr : place_of(chunk, key);
  if (place != nullptr && place->characters != 0)
    return out.add_field({place->text.data(), std::min<std::size_t>(place->characters, place->text.size())});
  std::array<std::uint64_t, 1 + std::tuple_size_v<decltype(Place::frame)>> frames{key & address_bits};
  const std::size_t above = place == nullptr ? 0 : std::min({std::size_t{place->frames}, place->frame.size(), most});
  if (place != nullptr) std::copy_n(place->frame.begin(), above, frames.begin() + 1);
  for (std::size_t i = 0; i <= above; ++i) {
    const auto module = std::ranges::find_if(chunk.modules, [&](const Module& one) { return one.has(frames[i]); });
    if (module == chunk.modules.end()) {
      out.add("\t-");
      continue;
    }
    const std::string_view path = module->path.data();
    if (i > 0 && path.find("/libc.so") != std::string_view::npos) break;
    out.add_field(path);
    out.add("+{:#x}", frames[i] - module->base);
  }
}

void add_peer(Text& out, const Job& job, unsigned parts, std::uint64_t peer_and_tag) {
  const auto peer = static_cast<std::int32_t>(peer_and_tag >> 32), tag = static_cast<std::int32_t>(peer_and_tag);
  if ((parts & Calls::peer) == 0)
    out.add("\t-");
  else if (peer == job.any_source || peer == job.no_peer)
    out.add("\t{}", peer == job.no_peer ? "null" : "any");
  else
    out.add("\t{}", peer);
  if ((parts & Calls::tag) == 0)
    out.add("\t-");
  else if (tag == job.any_tag)
    out.add("\tany");
  else
    out.add("\t{}", tag);
}

// An address below the rows becomes a number that is too large.
std::uint64_t identity_of(const Chunk& chunk, std::uint64_t row) {
  const std::uint64_t number = (row - chunk.base - offsetof(Chunk, rows)) / sizeof(Row);
  return row != 0 && number < chunk.rows.size() ? chunk.rows[number].identity.load(std::memory_order_acquire) : 0;
}

std::string_view name_of_call(const Job& job, std::uint64_t at) {
  return at != 0 && at >> 48 < job.calls.names.size() ? job.calls.names[at >> 48] : "-";
}

void add_thread(Text& out, const Job& job, const Chunk& chunk, const Slot& slot, const SeenThread& seen) {
  const std::uint64_t at = slot.at.load(std::memory_order_acquire), row = slot.row.load(std::memory_order_acquire);
  const std::uint64_t number = slot.number.load(std::memory_order_acquire);
  const std::uint64_t peer_and_tag = slot.peer_and_tag.load(std::memory_order_acquire);
  // If it has moved since the look, what was read may be of two calls.
  const bool has_moved = slot.moves.load(std::memory_order_relaxed) != seen.moves;
  const std::string_view how = seen.moves % 2 != 0 ? "in" : seen.is_polling ? "poll" : "out";
  const std::string_view call = name_of_call(job, at);
  const unsigned parts = call != "-" && how != "out" && !has_moved ? job.calls.parts[at >> 48] : 0;
  out.add("thread\t{}\t{}\t{}\t{:x}\t{}", how, has_moved ? 0 : seen.looks, call,
          (parts & Calls::communicator) != 0 ? identity_of(chunk, row) : 0,
          how == "in" && (parts & Calls::number) != 0 ? number : 0);
  add_peer(out, job, parts, peer_and_tag);
  add_place(out, chunk, at, std::tuple_size_v<decltype(Place::frame)>);
  out.add("\n");
}

std::string_view state_of(const Chunk& chunk, const SeenProcess& seen, std::array<char, 2>& letter) {
  if (chunk.process == 0) return "unseen";
  switch (chunk.left.load(std::memory_order_relaxed)) {
    case Left::ended:
      return "ended";
    case Left::finished:
      return "finished";
    case Left::no:
      break;
  }
  if (seen.is_gone) return "gone";
  letter[0] = seen.now.state == 0 ? '?' : seen.now.state;
  return {letter.data(), 1};
}

void add_process(Text& out, const Job& job, const Chunk& chunk, const SeenProcess& seen) {
  std::array<char, 2> letter{};
  const std::uint32_t threads = chunk.threads.load(std::memory_order_relaxed);
  out.add("process\t{}\t{}\t{}\t{}\t{}\n", chunk.rank, chunk.process, state_of(chunk, seen, letter), chunk.thread_level,
          threads - std::min(threads, static_cast<std::uint32_t>(chunk.slots.size())));
  for (const Row& row : chunk.rows) {
    const std::uint64_t identity = row.identity.load(std::memory_order_acquire);
    if (identity == 0 || identity == ~std::uint64_t{0}) continue;
    const std::uint32_t size = row.size.load(std::memory_order_acquire);
    const std::int32_t rank = row.rank.load(std::memory_order_acquire);
    const std::uint64_t made_at = row.made_at.load(std::memory_order_acquire);
    if (row.identity.load(std::memory_order_relaxed) != identity) continue;  // it became another one's meanwhile
    out.add("communicator\t{:x}\t{}\t{}\t{}\t{}", identity, row.calls.load(std::memory_order_relaxed), size, rank,
            made_at == 0 ? "MPI_COMM_WORLD" : name_of_call(job, made_at));
    add_place(out, chunk, made_at, 0);
    out.add("\n");
  }
  for (std::size_t i = 0; i < chunk.slots.size(); ++i)
    if (seen.threads[i].is_there) add_thread(out, job, chunk, chunk.slots[i], seen.threads[i]);
}

}  // namespace

FilePath running_path(std::string_view stem, std::string_view more, int node) noexcept {
  return text_in_array<std::tuple_size_v<FilePath>>("{}{}.node{}.running", stem, more, node);
}

bool read_head(const char* path, Head& head) noexcept {
  std::array<char, 4096> text{};
  const int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (opened < 0) return false;
  const ssize_t length = read(opened, text.data(), text.size() - 1);
  struct stat facts {};
  head.is_own = fstat(opened, &facts) == 0 && facts.st_uid == geteuid();
  close(opened);
  if (length <= 0) return false;
  constexpr int most_nodes = 1 << 20;
  return std::sscanf(text.data(),
                     "marshal-running\t1\njob\t%255[^\t\n]\t%255[^\t\n]\t%llx\t%*d\t%9d\t%llu\n"
                     "node\t%9d\t%255[^\t\n]\t%llu\t%llu\t%llu\t%llu\nprocess\t%*d\t%d",
                     head.program.data(), head.job.data(), &head.run, &head.nodes, &head.seconds, &head.node,
                     head.host.data(), &head.process_names, &head.written, &head.age, &head.still,
                     &head.process) == 12 &&
         head.nodes <= most_nodes;
}

bool is_in_user_space(const Job& job) noexcept { return is_of_user_space(job.stem, table_of_mounts); }

bool write_running_file(const Job& job, const Picture& picture) noexcept {
  const FilePath path = running_path(job.stem, "", job.node);
  const FilePath fresh = text_in_array<std::tuple_size_v<FilePath>>("{}.new", path.data());
  constexpr int flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW;
  int file = open(fresh.data(), flags, 0666);
  if (file < 0 && errno == ENOENT) {
    attempt_to_the_end([&] {
      std::string why;
      close(open_folder_of(job.stem, 0777, why));
    });
    file = open(fresh.data(), flags, 0666);
  }
  if (file < 0) return false;
  Text out(file);
  out.add("marshal-running\t1\njob");
  out.add_field(job.program);
  out.add_field(job.id);
  out.add("\t{:016x}\t{}\t{}\t{}\nnode\t{}", job.run, job.processes, job.nodes, job.seconds, job.node);
  out.add_field(job.host);
  out.add("\t{}\t{}\t{}\t{}\n", namespace_of_processes(), picture.written, picture.age, picture.still);
  for (std::size_t i = 0; i < picture.chunks.size(); ++i) add_process(out, job, picture.chunks[i], picture.seen[i]);
  out.add("end\n");
  const bool is_written = out.finish();
  const bool is_closed = close(file) == 0;
  if (is_written && is_closed && rename(fresh.data(), path.data()) == 0) return true;
  unlink(fresh.data());
  return false;
}

void remove_running_file(const Job& job) noexcept { unlink(running_path(job.stem, "", job.node).data()); }

bool is_over(const Head& file, std::string_view own_host, std::uint64_t now) noexcept {
  // In containers hosts may have the name of another one.
  return own_host == file.host.data() && file.process_names == namespace_of_processes() && now > file.written &&
         now - file.written > 3 * file.seconds && file.process > 1 && kill(file.process, 0) != 0 && errno == ESRCH;
}

bool take_left_file(std::string_view stem, std::string_view program, std::string_view own_host, std::uint64_t own_run,
                    std::uint64_t now, Head& file, std::array<char, 4096>& its_stem) noexcept {
  const std::string_view in = stem.substr(0, stem.rfind('/') + 1);
  FilePath folder{};
  alignas(dirent64) static std::array<char, 16384> entries;
  in.copy(folder.data(), folder.size() - 1);
  // Calls visit(stem, what its file says, whether a later run has named it) for other runs of this program that are
  // over.
  const auto each_left = [&](auto visit) {
    each_file(folder.data(), entries, [&](std::string_view name) {
      if (!name.ends_with(running_ending)) return;
      const FilePath of =
          text_in_array<std::tuple_size_v<FilePath>>("{}{}", in, name.substr(0, name.size() - running_ending.size()));
      Head read;
      const bool is_told = name.ends_with(told_ending);
      if (read_head(running_path(of.data(), "", 0).data(), read) && read.is_own && program == read.program.data() &&
          read.run != own_run && (is_told || is_over(read, own_host, now)))
        visit(of, read, is_told);
    });
  };
  bool is_found = false;
  each_left([&](const FilePath& of, const Head& read, bool is_told) {
    if (is_told || (is_found && read.written < file.written)) return;
    is_found = true;
    file = read;
    its_stem = of;
  });
  if (!is_found) return false;
  each_left([&](const FilePath& of, const Head& read, bool) {
    for (int node = 0; of != its_stem && node < read.nodes; ++node)
      if (unlink(running_path(of.data(), "", node).data()) != 0) break;
  });
  for (int node = 0; node < file.nodes; ++node)
    rename(running_path(its_stem.data(), "", node).data(), running_path(its_stem.data(), told_mark, node).data());
  return true;
}

}  // namespace marshal::watch
