// The table of settings. A new setting is a row here and an enumerator in base/options.h; help, manual, completion and
// validation follow from it. It stands above the rooms whose words it names.
#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "base/options.h"
#include "mapping/mappers.h"
#include "mapping/stencil.h"

namespace marshal {
namespace {

constexpr double any_number = std::numeric_limits<double>::max();

// The mappers that a user can ask for, and the other words of MARSHAL_CART, with blanks between them.
constexpr auto cart_words = [] {
  std::array<char, 256> text{};
  std::size_t length = 0;
  const auto add = [&](std::string_view word) {
    if (length > 0) text[length++] = ' ';
    for (const char c : word) text[length++] = c;
  };
  for (const mapping::MapperRow& mapper : mapping::mapper_table)
    if (mapper.by_name) add(mapper.name);
  add("off");
  add("report");
  return text;
}();

int dimensions_of(std::string_view list) { return 1 + static_cast<int>(std::count(list.begin(), list.end(), ',')); }

template <class Parse>
std::string why_not(Parse parse) {
  try {
    parse();
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}
// For grids of as many dimensions as the text has; for others it is not used, which is no fault of the text.
std::string why_no_stencil(std::string_view text) {
  return why_not([&] { mapping::parse_stencil(text, dimensions_of(text.substr(0, text.find(';')))); });
}
std::string why_no_weights(std::string_view text) {
  return why_not([&] { mapping::parse_weights(text, dimensions_of(text)); });
}
std::string why_no_patterns(std::string_view text) {
  return text.find('/') == std::string_view::npos ? "" : "the name of a program has no slash";
}

using enum OptionKind;
constexpr OptionRow rows[] = {
    {Option::mode, "MARSHAL_MODE", word, "full", "full safe observe",
     "what Marshal may change: safe moves no process, observe changes nothing and asks the MPI library nothing"},
    {Option::rankmap, "MARSHAL_RANKMAP", word, "blocks",
     "blocks rankmap plist range strided bitmap sparse lut off derived",
     "the form in which rank maps of communicators are kept; derived keeps only what follows without a call of MPI, "
     "and "
     "answers nothing"},
    {Option::cart, "MARSHAL_CART", word, "best", cart_words.data(),
     "the mapper that reorders Cartesian grids; report changes nothing and tells what would change"},
    {Option::cart_stencil, "MARSHAL_CART_STENCIL", text, "auto", "auto star box",
     "the neighbours that a cell exchanges messages with: star, box, star and those 2 to N away in the first "
     "dimension, or offsets as 1,0;0,1;1,1; auto: what an earlier run sent, else star",
     "hops:N or OFFSETS", 0, 0, why_no_stencil},
    {Option::cart_weights, "MARSHAL_CART_WEIGHTS", text, "auto", "auto equal",
     "one weight a dimension, as bytes of a face; auto: what an earlier run sent, and where none is known, an order "
     "moves processes only if it is no worse for any weights",
     "W,W,...", 0, 0, why_no_weights},
    {Option::cart_levels, "MARSHAL_CART_LEVELS", words, "auto", "auto node switch package numa l3",
     "the levels of the machine that a grid is fitted to"},
    {Option::cart_min_gain, "MARSHAL_CART_MIN_GAIN", real, "1", "",
     "the least gain in off-node weight for which processes are moved", "PERCENT", 0, 100},
    {Option::cart_force, "MARSHAL_CART_FORCE", on_or_off, "off", "off on",
     "reorder also where the program did not allow it"},
    {Option::cart_move, "MARSHAL_CART_MOVE", word, "auto", "auto ranks coordinates",
     "what a reordered grid gives processes: other ranks, or other coordinates at the same ranks"},
    {Option::cart_ties, "MARSHAL_CART_TIES", word, "first", "first last",
     "which of equally good factorings nodecart takes"},
    {Option::cart_effort, "MARSHAL_CART_EFFORT", integer, "4M", "",
     "how many exchanges of cells a search for a better order tries at most in each of 8 runs; about 25 ns each",
     "EXCHANGES", 0, 1e12},
    {Option::graph, "MARSHAL_GRAPH", word, "best", "best report off",
     "whether graph topologies are reordered; report changes nothing and tells what would change"},
    {Option::dims, "MARSHAL_DIMS", word, "host", "host node balanced",
     "what MPI_Dims_create answers: the host's, one that knows node sizes, or the most balanced"},
    {Option::topology, "MARSHAL_TOPOLOGY", text, "auto", "auto",
     "the machine: as found, or a made-up one as nodes:4, nodes:24,24,48, cyclic:4", "DESCRIPTION"},
    {Option::topology_file, "MARSHAL_TOPOLOGY_FILE", text, "", "",
     "a file of the switches above the nodes, as Slurm's topology.conf or lines as switch: node,node; rank 0 reads it",
     "FILE"},
    {Option::pack, "MARSHAL_PACK", word, "auto", "auto mars iovec host", "the engine that packs derived datatypes"},
    {Option::messages, "MARSHAL_MESSAGES", word, "auto", "auto on pipeline calls off",
     "whether that engine also moves derived datatypes in messages: where it is faster, always, always inside the MPI "
     "library, always before its calls, or never"},
    {Option::files, "MARSHAL_FILES", word, "auto", "auto on off",
     "whether that engine packs buffers with gaps before they go to a file: where it is faster, always, or never"},
    {Option::copy_memory, "MARSHAL_COPY_MEMORY", integer, "64M", "",
     "the memory of a process for packed copies of its buffers, in files and in messages by calls", "BYTES", 0, 1e12},
    {Option::segment, "MARSHAL_SEGMENT", OptionKind::segment, "auto", "auto",
     "the segment of memory access rearrangement, as 64 instances or 32K bytes", "INSTANCES or BYTES", 1, any_number},
    {Option::tune, "MARSHAL_TUNE", text, "auto", "auto off", "the measurements of this machine by marshal-tune(1)",
     "FILE"},
    {Option::traffic, "MARSHAL_TRAFFIC", word, "auto", "auto on off",
     "whether messages are counted by who sends how much to whom; auto does, and writes the traffic file of a job on "
     "several nodes"},
    {Option::time, "MARSHAL_TIME", word, "auto", "auto off", "whether the time in MPI calls is measured"},
    {Option::skip_init, "MARSHAL_SKIP_INIT", on_or_off, "off", "off on",
     "leave all before the first MPI_Pcontrol(1) out of the times"},
    {Option::profile, "MARSHAL_PROFILE", directory, "auto", "auto off",
     "where what a run taught about the program is kept for its next run; auto: the user's cache directory; off: no "
     "process moves by default",
     "DIRECTORY"},
    {Option::launch, "MARSHAL_LAUNCH", text, "", "", "the note that `marshal launch` left for this run", "FILE", 0, 0,
     nullptr, true},
    {Option::report, "MARSHAL_REPORT", words, "text,json", "none text details json html summary",
     "the reports written at MPI_Finalize; summary: a file of at most 8 KiB for `marshal jobs`"},
    {Option::report_file, "MARSHAL_REPORT_FILE", text, "marshal-%p-%j", "",
     "report file without its ending: %p program, %j job, %h host, %n ranks, %u user, %t time, %Y %m %d its year, "
     "month and day, %% a percent sign",
     "PATTERN"},
    {Option::project, "MARSHAL_PROJECT", integer, "1M", "", "the number of ranks that memory is extrapolated to",
     "RANKS", 1, 4e9},
    {Option::callsites, "MARSHAL_CALLSITES", integer, "on", "off on",
     "whether call sites are recorded, and how many frames of each", "DEPTH", 1, 32},
    {Option::papi, "MARSHAL_PAPI", text, "off", "off", "hardware counters around packing and translation", "EVENT,..."},
    {Option::config, "MARSHAL_CONFIG", text, "", "", "a file of settings", "FILE"},
    {Option::verbose, "MARSHAL_VERBOSE", integer, "1", "",
     "what Marshal writes to stderr: 0 errors, 1 warnings, 2 what Marshal does, 3 details", "LEVEL", 0, 3},
    {Option::wait, "MARSHAL_WAIT", integer, "300", "",
     "how long ranks wait at init for one that runs without Marshal before they end the job; 0 for ever", "SECONDS", 0,
     1e6},
    {Option::disable, "MARSHAL_DISABLE", on_or_off, "off", "off on",
     "leave the program alone altogether, on all ranks"},
    {Option::exclude, "MARSHAL_EXCLUDE", text, "none", "none",
     "programs that are left alone altogether, by name: *, ? and [a-z] stand for other characters", "PATTERN,...", 0, 0,
     why_no_patterns},
    {Option::devices, "MARSHAL_DEVICES", text, "/dev", "", "the folder of the files of GPUs", "FOLDER", 0, 0, nullptr,
     true},
    {Option::self_check, "MARSHAL_SELF_CHECK", on_or_off, "off", "off on",
     "compare every rank map with the host's own translation", "", 0, 0, nullptr, true},
};
static_assert(sizeof rows / sizeof *rows == option_count);

// MARSHAL_PROFILE, MARSHAL_TRAFFIC and MARSHAL_REPORT stay as they are: they change nothing that the program sees.
constexpr ModeValue modes[] = {
    {"safe", Option::cart, "report"},       {"safe", Option::graph, "report"},
    {"safe", Option::dims, "host"},         {"observe", Option::rankmap, "derived"},
    {"observe", Option::cart, "off"},       {"observe", Option::graph, "off"},
    {"observe", Option::dims, "host"},      {"observe", Option::pack, "host"},
    {"observe", Option::messages, "off"},   {"observe", Option::files, "off"},
    {"observe", Option::self_check, "off"},
};

}  // namespace

std::span<const OptionRow> option_table() { return rows; }
std::span<const ModeValue> mode_table() { return modes; }
const OptionRow& row(Option option) { return rows[static_cast<std::size_t>(option)]; }

}  // namespace marshal
