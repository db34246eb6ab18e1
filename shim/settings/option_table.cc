// The table of settings. A new setting is a row here and an enumerator in base/options.h; help, manual, completion and
// validation follow from it. It stands above the rooms whose words it names.
#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "base/options.h"
#include "mapping/mappers.h"
#include "mapping/stencil.h"
#include "settings/settings.h"

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
std::string why_no_cart(std::string_view text) { return cart_words_in(text) ? "" : "it is none of its choices"; }
std::string why_no_patterns(std::string_view text) {
  return text.find('/') == std::string_view::npos ? "" : "the name of a program has no slash";
}

using enum OptionKind;
constexpr OptionRow rows[] = {
    {Option::mode, "MARSHAL_MODE", word, "full", "full safe observe",
     "what Marshal may change: safe moves no process, observe changes nothing and asks the MPI library nothing"},
    {Option::cart, "MARSHAL_CART", word, "best", cart_words.data(),
     "the mapper that reorders Cartesian grids; any also reorders graphs, off none, and report tells what would "
     "change",
     "WORD,graphs:best|report|off", 0, 0, why_no_cart},
    {Option::pack, "MARSHAL_PACK", word, "auto", "auto mars iovec host", "the engine that packs derived datatypes"},
    {Option::messages, "MARSHAL_MESSAGES", word, "auto", "auto on pipeline calls off",
     "whether that engine also moves derived datatypes in messages: where it is faster, always, always inside the MPI "
     "library, always before its calls, or never"},
    {Option::files, "MARSHAL_FILES", word, "auto", "auto on off",
     "whether that engine packs buffers with gaps before they go to a file: where it is faster, always, or never"},
    {Option::exchange, "MARSHAL_EXCHANGE", word, "auto", "auto on off",
     "whether MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw of small blocks send one message for each two nodes: where "
     "that is faster, always, or never"},
    {Option::report, "MARSHAL_REPORT", words, "text,json", "none text details json html summary",
     "the reports written at MPI_Finalize; summary: a file of at most 8 KiB for `marshal jobs`"},
    {Option::report_file, "MARSHAL_REPORT_FILE", text, "marshal-%p-%j", "",
     "report file without its ending: %p program, %j job, %h host, %n ranks, %u user, %t time, %Y %m %d its year, "
     "month and day, %% a percent sign",
     "PATTERN"},
    {Option::profile, "MARSHAL_PROFILE", directory, "auto", "auto off",
     "where what a run taught about the program is kept for its next run; auto: the user's cache directory; off: no "
     "process moves by default",
     "DIRECTORY"},
    {Option::time, "MARSHAL_TIME", word, "auto", "auto skip-init off",
     "whether the time in MPI calls is measured; skip-init: all before the first MPI_Pcontrol(1) is left out"},
    {Option::watch, "MARSHAL_WATCH", integer, "300", "off",
     "after how many seconds without a movement in MPI one line says that the job hangs; off: nobody watches",
     "SECONDS", 1, 1e6},
    {Option::verbose, "MARSHAL_VERBOSE", integer, "1", "",
     "what Marshal writes to stderr: 0 errors, 1 warnings, 2 what Marshal does, 3 details", "LEVEL", 0, 3},
    // For experts.
    {Option::rankmap, "MARSHAL_RANKMAP", word, "blocks",
     "blocks rankmap plist range strided bitmap sparse lut off derived",
     "the form in which rank maps of communicators are kept; derived keeps only what follows without a call of MPI, "
     "and "
     "answers nothing"},
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
    {Option::cart_move, "MARSHAL_CART_MOVE", word, "auto", "auto ranks always",
     "whether processes keep their ranks where a program could go wrong with others; ranks: they never do; always: nor "
     "where the program did not allow reordering"},
    {Option::dims, "MARSHAL_DIMS", word, "host", "host node balanced",
     "what MPI_Dims_create answers: the host's, one that knows node sizes, or the most balanced"},
    {Option::topology, "MARSHAL_TOPOLOGY", text, "auto", "auto",
     "the machine: as found, or a made-up one as nodes:4, nodes:24,24,48, cyclic:4", "DESCRIPTION"},
    {Option::topology_file, "MARSHAL_TOPOLOGY_FILE", text, "", "",
     "a file of the switches above the nodes, as Slurm's topology.conf or lines as switch: node,node; rank 0 reads it",
     "FILE"},
    {Option::segment, "MARSHAL_SEGMENT", OptionKind::segment, "auto", "auto",
     "the segment of memory access rearrangement, as 64 instances or 32K bytes", "INSTANCES or BYTES", 1, any_number},
    {Option::tune, "MARSHAL_TUNE", text, "auto", "auto off", "the measurements of this machine by marshal-tune(1)",
     "FILE"},
    {Option::traffic, "MARSHAL_TRAFFIC", word, "auto", "auto on off",
     "whether messages are counted by who sends how much to whom; auto does, and writes the traffic file of a job on "
     "several nodes"},
    {Option::launch, "MARSHAL_LAUNCH", text, "", "", "the note that `marshal launch` left for this run", "FILE", 0, 0,
     nullptr, true},
    {Option::callsites, "MARSHAL_CALLSITES", integer, "on", "off on",
     "whether call sites are recorded, and how many frames of each", "DEPTH", 1, 16},
    {Option::papi, "MARSHAL_PAPI", text, "off", "off", "hardware counters around packing and translation", "EVENT,..."},
    {Option::config, "MARSHAL_CONFIG", text, "", "", "a file of settings", "FILE"},
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
    {Option::self_check, "MARSHAL_SELF_CHECK", word, "off", "off on parts",
     "on: compare every rank map with the host's own translation; parts: packed copies have 2 KiB", "", 0, 0, nullptr,
     true},
};
static_assert(sizeof rows / sizeof *rows == option_count);

// MARSHAL_PROFILE, MARSHAL_TRAFFIC and MARSHAL_REPORT stay as they are: they change nothing that the program sees.
constexpr ModeValue modes[] = {
    {"safe", Option::cart, "report"},       {"safe", Option::dims, "host"},
    {"safe", Option::exchange, "off"},      {"observe", Option::rankmap, "derived"},
    {"observe", Option::exchange, "off"},   {"observe", Option::cart, "off"},
    {"observe", Option::dims, "host"},      {"observe", Option::pack, "host"},
    {"observe", Option::messages, "off"},   {"observe", Option::files, "off"},
    {"observe", Option::self_check, "off"},
};

constexpr std::string_view of_graphs =
                               "MARSHAL_CART is for graphs, too; MARSHAL_CART=best,graphs:off leaves them alone",
                           of_copies = "copies have 64 MiB; MARSHAL_FILES=off and MARSHAL_MESSAGES=off make none",
                           of_skipped = "MARSHAL_TIME=skip-init leaves all before the first MPI_Pcontrol(1) out";
constexpr FormerSetting former[] = {
    {"MARSHAL_CART_MOVE", "coordinates", "nothing moves; `marshal launch` places processes before the start",
     Option::cart, "off"},
    {"MARSHAL_CART_FORCE", "", "MARSHAL_CART_MOVE=always moves also what the program did not allow"},
    {"MARSHAL_GRAPH", "off", of_graphs, Option::cart, ",graphs:off"},
    {"MARSHAL_GRAPH", "report", of_graphs, Option::cart, ",graphs:report"},
    {"MARSHAL_GRAPH", "", of_graphs},
    {"MARSHAL_CART_MIN_GAIN", "100", "the least gain is 1 %; MARSHAL_CART=off moves nothing", Option::cart, "off"},
    {"MARSHAL_CART_MIN_GAIN", "", "the least gain is 1 %; MARSHAL_CART=off moves nothing"},
    {"MARSHAL_CART_TIES", "", "it is always `first`; `marshal map --ties` compares them"},
    {"MARSHAL_CART_EFFORT", "", "it is always 4M; `marshal map --effort` shows what others would find"},
    {"MARSHAL_COPY_MEMORY", "0", of_copies, Option::files, "off"},
    {"MARSHAL_COPY_MEMORY", "0", of_copies, Option::messages, "off"},
    {"MARSHAL_COPY_MEMORY", "", of_copies},
    {"MARSHAL_SKIP_INIT", "on", of_skipped, Option::time, "skip-init"},
    {"MARSHAL_SKIP_INIT", "", of_skipped},
    {"MARSHAL_PROJECT", "", "memory is always extrapolated to 1M ranks; the JSON has what other numbers need"},
};

}  // namespace

std::span<const OptionRow> option_table() { return rows; }
std::span<const ModeValue> mode_table() { return modes; }
std::span<const FormerSetting> former_settings() { return former; }
const OptionRow& row(Option option) { return rows[static_cast<std::size_t>(option)]; }

}  // namespace marshal
