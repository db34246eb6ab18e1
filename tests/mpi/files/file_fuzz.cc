// Random files: memory datatypes x file views x calls, in files of one to three ranks, with errors among them. Each
// rank writes a line after each call: what the call returned and left in status, file pointers and memory, and after
// the last one what is in the file. tests/mpi/files/files_as_by_the_host compares the lines of a run under Marshal with
// those of the bare host.
//
// usage: file-fuzz SEEDS FIRST-SEED DIRECTORY LINES [SEED-TO-LEAVE-OUT...] on three ranks. Files are in the directory;
// the lines of rank N go to LINES.N; LINES.progress names the seed in work. If FILE_FUZZ_FULL is set, no call fails by
// a limit of the process: the directory is one that gets full. If FILE_FUZZ_TELL is
// set, each call is named before it is made.
#include <mpi.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string>

#include "file_calls.h"
#include "file_memory.h"
#include "file_view.h"

using marshal::datatype::testing::RandomType;
using namespace marshal::file_fuzz;

namespace {

bool fills_disk, tells;
std::string directory;
std::FILE* lines;
int handled;
MPI_Errhandler counts_errors;
void count_error(MPI_File* /*file*/, int* /*code*/, ...) { ++handled; }

int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}
int class_of(int code) {
  int c = -1;
  MPI_Error_class(code, &c);
  return c;
}

// One file of all its ranks: its seed, its ranks, and what each does alike.
class OneFile {
 public:
  OneFile(std::uint64_t seed, MPI_Comm comm)
      : seed_(seed),
        comm_(comm),
        rank_(rank_in(comm)),
        ranks_(size_of(comm)),
        common_(seed * 8),
        own_(seed * 8 + 1 + static_cast<std::uint64_t>(rank_)) {}

  void run() {
    big_ = fills_disk || common_.number(0, 19) == 0;
    is_short_ = common_.number(0, 1) || fills_disk;
    most_ = big_ ? 60'000 : 3'000;
    calls_ = common_.number(1, 5);
    path_ = directory + "/file";
    open();
    if (file_ == MPI_FILE_NULL) return;
    for (call_ = 0; call_ < calls_; ++call_) {
      if (common_.number(0, 3) == 0) seek();
      transfer();
    }
    const int code = MPI_File_close(&file_);
    say("close class %d %s", class_of(code), file_ == MPI_FILE_NULL ? "null" : "not null");
    say_file();
    view_.reset();
  }

 private:
  template <class... Values>
  void say(const char* format, Values... values) {
    std::fprintf(lines, "%llu rank %d call %d: ", static_cast<unsigned long long>(seed_), rank_,
                 static_cast<int>(call_));
    std::fprintf(lines, format, values...);
    std::fputc('\n', lines);
  }

  std::int64_t region() const { return 12 * most_; }

  void make_file() {
    // Where files are not to be too short, no call reaches their end: a view has at most eight times the bytes of its
    // data.
    length_ = fills_disk ? 0 : is_short_ ? (common_.number(0, 5) ? common_.number(0, most_) : 0) : 30 * region();
    if (rank_ == 0 && !fills_disk) {
      Bytes bytes(static_cast<std::size_t>(length_));
      fill(bytes, seed_);
      std::FILE* f = std::fopen(path_.c_str(), "w");
      std::fwrite(bytes.data(), 1, bytes.size(), f);
      std::fclose(f);
    } else if (rank_ == 0) {
      std::fclose(std::fopen(path_.c_str(), "w"));
    }
    PMPI_Barrier(comm_);
  }

  void open() {
    make_file();
    const std::int64_t chosen = common_.number(0, 19);
    mode_ = chosen == 0 ? MPI_MODE_RDONLY : chosen == 1 ? MPI_MODE_WRONLY : MPI_MODE_RDWR;
    const int handler = static_cast<int>(common_.number(0, 3));
    if (handler == 3) MPI_File_set_errhandler(MPI_FILE_NULL, counts_errors);  // of files to be opened
    MPI_Info info;
    MPI_Info_create(&info);
    hint(info, "romio_cb_write", "romio_cb_read");
    hint(info, "romio_ds_write", "romio_ds_read");
    if (common_.number(0, 3) == 0) MPI_Info_set(info, "cb_buffer_size", "4096");
    const int code = MPI_File_open(comm_, path_.c_str(), mode_, info, &file_);
    if (handler == 3) MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    say("open of %d ranks class %d", ranks_, class_of(code));
    if (code == MPI_SUCCESS) {
      if (handler == 1) MPI_File_set_errhandler(file_, counts_errors);
      if (handler == 2) MPI_File_set_errhandler(file_, MPI_ERRORS_RETURN);
      set_view(info);
      const int atomic = common_.number(0, 4) == 0;
      if (atomic && file_ != MPI_FILE_NULL) say("atomic class %d", class_of(MPI_File_set_atomicity(file_, atomic)));
    }
    MPI_Info_free(&info);
  }

  void hint(MPI_Info info, const char* first, const char* second) {
    const char* values[] = {"automatic", "enable", "disable"};
    if (common_.number(0, 2)) return;
    MPI_Info_set(info, first, values[common_.number(0, 2)]);
    MPI_Info_set(info, second, values[common_.number(0, 2)]);
  }

  void set_view(MPI_Info info) {
    handled = 0;
    view_ = std::make_unique<View>(common_, rank_, ranks_, region());
    const std::int64_t chosen = common_.number(0, 39);
    const bool can_convert = is_mpich || !by_romio;  // Open MPI's ROMIO writes before its own memory
    const char* representation = chosen == 0 && can_convert ? "external32" : chosen == 1 ? "internal" : "native";
    const int code = view_->set(file_, representation, info);
    say("view %s class %d handler %d", representation, class_of(code), handled);
    if (code != MPI_SUCCESS) MPI_File_close(&file_);
  }

  std::int64_t file_size() const {
    struct stat s;
    return stat(path_.c_str(), &s) == 0 ? static_cast<std::int64_t>(s.st_size) : 0;
  }

  void seek() {
    handled = 0;
    const bool shared = view_->sharing() == Sharing::all_the_same && common_.number(0, 1);
    const MPI_Offset by = common_.number(0, most_ / view_->etype_size());
    const std::int64_t chosen = common_.number(0, 3);
    // The end of the file may be among the bytes of another rank.
    const bool to_end = chosen == 1 && is_short_ && view_->sharing() == Sharing::all_the_same;
    const int whence = chosen == 0 ? MPI_SEEK_CUR : to_end ? MPI_SEEK_END : MPI_SEEK_SET;
    const MPI_Offset distance = whence == MPI_SEEK_END ? 0 : by;
    const int code = shared ? MPI_File_seek_shared(file_, distance, whence) : MPI_File_seek(file_, distance, whence);
    PMPI_Barrier(comm_);
    say("seek%s class %d handler %d %s", shared ? "_shared" : "", class_of(code), handled, pointers().c_str());
  }

  std::string pointers() {
    MPI_Offset own = -1, shared = -1;
    MPI_File_get_position(file_, &own);
    std::string text = "position " + std::to_string(own);
    // Not on files whose ranks see other bytes: a host need not have a shared pointer then.
    if (view_->sharing() == Sharing::each_its_own) return text;
    MPI_File_get_position_shared(file_, &shared);
    return text + " shared " + std::to_string(shared);
  }

  enum class Wrong { nothing, count, type, handle };

  const Call& next_call(Wrong& wrong) {
    const std::int64_t chosen = common_.number(0, 59);
    wrong = chosen == 0 ? Wrong::count : chosen == 1 ? Wrong::type : chosen == 2 ? Wrong::handle : Wrong::nothing;
    // A write that fails on MPICH 4.0 keeps its lock on the file: the other ranks wait for ever.
    limit_ = !fills_disk && common_.number(0, 14) == 0 && (!by_romio || ranks_ == 1);
    for (;;) {
      const Call& call = calls[common_.number(0, call_count - 1)];
      const bool each_its_own = view_->sharing() == Sharing::each_its_own;
      if (each_its_own && call.pointer == Pointer::shared) continue;
      const bool write_at_once = call.collective && call.writes && ranks_ > 1;
      // Ranks that write the same bytes at once leave those of any of them.
      if (write_at_once && !each_its_own && call.pointer != Pointer::shared) continue;
      // Chance gives the last bytes of a full disk to some of the ranks that write at once.
      if (write_at_once && fills_disk) continue;
      if (!dies_of(call, wrong)) return call;
    }
  }

  bool may_fail() const { return limit_ || fills_disk; }

  // True for calls that bare hosts hang in or die of.
  bool dies_of(const Call& call, Wrong wrong) const {
    const bool bad_mode = mode_ == (call.writes ? MPI_MODE_RDONLY : MPI_MODE_WRONLY);
    if (call.collective && wrong == Wrong::handle) return true;
    // MPICH 4.0 waits for ever for an asynchronous access that fails; those of gapped memory are none. Its nonblocking
    // collective reads write to memory that they have freed. Open MPI's ROMIO waits for ever in nonblocking calls by
    // chance, and dies of collective ones.
    if (by_romio)
      return call.way == Way::request && (!is_mpich || bad_mode || (call.collective && (!call.writes || may_fail())));
    // Open MPI 4.1: requests wait for ever for what is behind the end of the file, and die of a write that fails.
    if (call.way != Way::blocking && (call.writes ? may_fail() : is_short_)) return true;
    // It dies in the end of a split call whose begin failed, and in the begin by some.
    return call.way == Way::split && (wrong != Wrong::nothing || bad_mode);
  }

  std::uint64_t memory_seed() const { return seed_ + static_cast<std::uint64_t>(call_ * 3 + rank_); }

  void transfer() {
    Wrong wrong;
    const Call& call = next_call(wrong);
    std::unique_ptr<Memory> memory;
    // A rank that asks for other than whole etypes gets an error from MPICH, and the others wait for it.
    const std::int64_t unit = call.collective || own_.number(0, 3) ? view_->etype_size() : 1;
    // MPICH 4.0 writes elsewhere, or without end, where such a type has gaps.
    const bool absolute = own_.number(0, 7) == 0 && !by_romio;
    const bool must_have_gaps = by_romio && call.way == Way::request && call.writes && may_fail();  // see dies_of()
    do memory = std::make_unique<Memory>(own_, most_, unit, absolute);
    while (!memory->usable() || (!call.writes && !memory->no_byte_twice()) || (must_have_gaps && !memory->has_gaps()) ||
           // Without data Open MPI 4.1 divides by zero, and MPICH 4.0 writes behind its own memory.
           (memory->size() == 0 && (by_romio ? call.collective : call.way != Way::blocking)));
    memory->fill_with(memory_seed());
    Transfer t;
    t.file = wrong == Wrong::handle ? MPI_FILE_NULL : file_;
    t.offset = own_.number(0, most_ / 4 / view_->etype_size());
    t.buffer = memory->origin();
    t.count = wrong == Wrong::count ? -1 : memory->count();
    t.type = memory->type();
    t.with_status = own_.number(0, 9) != 0;
    t.by_test = own_.number(0, 1);
    t.large = own_.number(0, 3) == 0;
    t.mark_status();
    MPI_Datatype other = MPI_DATATYPE_NULL;
    if (wrong == Wrong::type) {
      MPI_Type_vector(3, 1, 2, MPI_INT, &other);  // not committed
      t.type = other;
      t.count = t.count > 0 ? 1 : 0;
    }
    one_by_one_or_all(call, t, *memory, wrong);
    if (other != MPI_DATATYPE_NULL) MPI_Type_free(&other);
  }

  // Calls that are not collective go rank by rank: what concurrent ones do to each other is not the question.
  void one_by_one_or_all(const Call& call, Transfer& t, Memory& memory, Wrong wrong) {
    const MPI_Offset limit = common_.number(0, most_);
    for (int turn = 0; turn < (call.collective ? 1 : ranks_); ++turn) {
      PMPI_Barrier(comm_);
      if (!call.collective && turn != rank_) continue;
      MPI_Offset before = 0;
      if (call.pointer == Pointer::own) PMPI_File_get_position(file_, &before);
      if (call.pointer == Pointer::shared) PMPI_File_get_position_shared(file_, &before);
      if (call.pointer == Pointer::offset) before = t.offset;
      std::int64_t start = before * view_->etype_size(), behind = 0;
      if (call.collective && call.pointer == Pointer::shared) {
        const std::int64_t mine = memory.size();
        PMPI_Exscan(&mine, &behind, 1, MPI_INT64_T, MPI_SUM, comm_);
        if (rank_ == 0) behind = 0;
      }
      start += behind;
      // MPICH 4.0 leaves what its buffers held by chance between what is written behind the end of a file.
      const std::int64_t known = by_romio ? std::min(file_size(), length_) : file_size();
      const std::int64_t inside = view_->inside(start, memory.size(), known);
      if (call.collective) PMPI_Barrier(comm_);
      rlimit unlimited;
      getrlimit(RLIMIT_FSIZE, &unlimited);
      rlimit limited = unlimited;
      limited.rlim_cur = static_cast<rlim_t>(limit);
      if (limit_ && call.writes) setrlimit(RLIMIT_FSIZE, &limited);
      handled = 0;
      if (tells)
        std::fprintf(stderr, "%s%s of %lld B on rank %d\n", call.name, limit_ ? " limited" : "",
                     static_cast<long long>(memory.size()), rank_);
      const int code = call.run(t);
      setrlimit(RLIMIT_FSIZE, &unlimited);
      if (call.collective) PMPI_Barrier(comm_);
      if (call.writes) note_written(start, memory.size(), limit_ ? limit : std::numeric_limits<MPI_Offset>::max());
      say_transfer(call, t, memory, wrong, code, inside);
    }
    PMPI_Barrier(comm_);
  }

  void say_transfer(const Call& call, Transfer& t, Memory& memory, Wrong wrong, int code, std::int64_t inside) {
    // Hosts say of some reads that all has come, ROMIO of most, OMPIO 4.1 of collective ones. They leave memory for
    // what is behind the end of the file as it was, or fill it with what their buffers held by chance.
    const std::int64_t came = t.bytes_moved(memory.size());
    const bool is_short = !call.writes && inside < came;
    const char* behind = !is_short                                         ? ""
                         : memory.forget_data(inside, came, memory_seed()) ? " behind kept"
                                                                           : " behind other";
    say("%s%s%s size %lld class %d handler %d %s %s memory %016llx%s", call.name,
        wrong == Wrong::count    ? " negative"
        : wrong == Wrong::type   ? " uncommitted"
        : wrong == Wrong::handle ? " null"
                                 : "",
        limit_ && call.writes ? " limited" : "", static_cast<long long>(memory.size()), class_of(code), handled,
        t.status_text(call.way == Way::blocking).c_str(), pointers().c_str(),
        static_cast<unsigned long long>(memory.hash_all()), behind);
  }

  void note_written(std::int64_t start, std::int64_t length, MPI_Offset limit) {
    for (std::int64_t i = start; i < start + length; ++i) {
      const auto place = static_cast<std::size_t>(view_->place(i));
      if (view_->place(i) >= limit) break;
      if (place >= written_.size()) written_.resize(place + 1);
      written_[place] = std::byte{1};
    }
  }

  void say_file() {
    // Behind the old end of the file, bytes that no call has written are those of the hosts' buffers, by chance.
    auto longest = static_cast<std::int64_t>(written_.size());
    PMPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT64_T, MPI_MAX, comm_);
    longest = std::max(longest, file_size());
    written_.resize(static_cast<std::size_t>(longest));
    PMPI_Allreduce(MPI_IN_PLACE, written_.data(), static_cast<int>(longest), MPI_BYTE, MPI_BOR, comm_);
    if (rank_) return;
    Bytes bytes(static_cast<std::size_t>(file_size()));
    std::FILE* f = std::fopen(path_.c_str(), "r");
    const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), f);
    std::fclose(f);
    for (std::size_t i = static_cast<std::size_t>(length_); i < got; ++i)
      if (written_[i] == std::byte{0}) bytes[i] = std::byte{0};
    // On a full disk a write by few long pieces leaves more of its bytes than one by many short ones.
    if (fills_disk)
      say("file %zu bytes", got);
    else
      say("file %zu bytes %016llx", got, static_cast<unsigned long long>(hash(bytes.data(), got)));
  }

  const std::uint64_t seed_;
  const MPI_Comm comm_;
  const int rank_, ranks_;
  RandomType common_, own_;
  bool big_ = false, is_short_ = false, limit_ = false;
  std::int64_t most_ = 0, calls_ = 0, call_ = 0;
  std::int64_t length_ = 0;  // of the file at first
  Bytes written_;            // which bytes of the file this rank has written
  int mode_ = 0;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  std::unique_ptr<View> view_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  MPI_Init(&argc, &argv);
  signal(SIGXFSZ, SIG_IGN);
  fills_disk = std::getenv("FILE_FUZZ_FULL") != nullptr;
  tells = std::getenv("FILE_FUZZ_TELL") != nullptr;
  const int rank = rank_in(MPI_COMM_WORLD);
  const auto first = static_cast<std::uint64_t>(std::atoll(argv[2])),
             behind = first + static_cast<std::uint64_t>(std::atoll(argv[1]));
  directory = argv[3];
  lines = std::fopen((std::string(argv[4]) + "." + std::to_string(rank)).c_str(), "w");
  std::FILE* progress = rank == 0 ? std::fopen((std::string(argv[4]) + ".progress").c_str(), "w") : nullptr;
  std::set<std::uint64_t> left_out;
  for (int i = 5; i < argc; ++i) left_out.insert(static_cast<std::uint64_t>(std::atoll(argv[i])));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // of types that the host cannot make
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm comms[3];
  for (int ranks = 1; ranks <= 3; ++ranks)
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comms[ranks - 1]);
  MPI_File_create_errhandler(count_error, &counts_errors);
  const std::string own = std::string(argv[4]) + ".scratch." + std::to_string(rank);
  MPI_File_open(MPI_COMM_SELF, own.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &Memory::scratch_file());
  for (std::uint64_t seed = first; seed < behind; ++seed) {
    if (left_out.count(seed)) continue;
    if (progress) {
      std::rewind(progress);
      std::fprintf(progress, "%-20llu\n", static_cast<unsigned long long>(seed));
      std::fflush(progress);
    }
    MPI_Comm comm = comms[fills_disk && by_romio ? 0 : seed % 3];  // see next_call()
    if (comm != MPI_COMM_NULL) OneFile(seed, comm).run();
    std::fflush(lines);
    PMPI_Barrier(MPI_COMM_WORLD);
  }
  if (progress) std::fprintf(progress, "end\n");
  MPI_File_close(&Memory::scratch_file());
  if (!is_mpich) MPI_Errhandler_free(&counts_errors);  // MPICH 4.0 counts the files that have it wrongly, and aborts
  for (MPI_Comm& comm : comms)
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
