// What was measured before the run of who packs faster, engine or host: the only place where a number for this choice
// stands. All ways of data ask the same, the ns of a KiB by each, for blocks of this length, this size and this way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace marshal {

// The ways that packed bytes go.
enum class Way : std::uint8_t {
  packs,  // MPI_Pack and MPI_Unpack
  // Messages in Open MPI's pipeline, whose fragments are packed in place, or staged (datatype/fragments.h): as `marshal
  // tune` measured, where the user ran it.
  in_place,
  staged,
  // Messages in the pipeline of MPICH over UCX, and those of types of which an instance is a single block.
  ucx,
  ucx_block,
  calls,  // messages that are packed at the call
  // Accesses to files. OMPIO's: independent ones, and all others. ROMIO's: independent ones whose view has one piece or
  // several, and collective ones whose view has gaps or none.
  ompio_alone,
  ompio_together,
  romio_alone,
  romio_by_pieces,
  romio_exchange,
  romio_together,
};
inline constexpr std::size_t way_count = static_cast<std::size_t>(Way::romio_together) + 1;
constexpr bool is_by_ompio(Way way) { return way == Way::ompio_alone || way == Way::ompio_together; }
constexpr bool is_to_file(Way way) { return way >= Way::ompio_alone; }

namespace priors {

inline constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

// Below this size a call costs more than its bytes, and the engine costs less than passing the call on. All larger
// packs are tried, and so have no row.
inline constexpr std::int64_t least_timed = 256;

// Mean blocks in bytes. Up to `sure` the engine gains. Up to `tried` a trial has to tell, and with longer ones the host
// is as fast. The last row of a way counts whose `from` is not above the packed bytes; before the first the host does
// all.
struct Prior {
  Way way;
  std::int64_t from;
  std::array<std::int64_t, 2> sure;  // to pack, to unpack
  std::int64_t tried = 0;
  bool tries_transposes = false;
};

// Open MPI: for short blocks the engine was measured never to lose on an EPYC. Where fragments are packed in place, it
// gains with longer ones, too: two cores of an Intel Xeon took a fifth to a third less for messages of 4 to 16 KiB. A
// trial, which times a fragment, does not see that: the host waits for the lines later. But some messages took the Xeon
// up to 1.4 times the host's time: long ones of several numbers a block, each from another line of memory, and
// transposes in 4 to 64 KiB. Shorter ones are not tried, nor are long messages of shorter blocks: with those the engine
// is 2 to 5 times as fast.
//
// MPICH: the engine was slower only where a message has several blocks of 8 KiB: the host copies as fast and has less
// other work. Messages of a single block took a fifth less up to 8 KiB.
//
// Calls: in front of MPICH 3.4.1 (ch3), rows of 0.2 to 4 KiB in messages below 5 KiB took up to 1.7 times as long when
// they were packed. A trial, which times the packing alone, does not see that.
//
// Files: by `marshal bench files` in a tmpfs and on a disk. Reads whose status may be wrong take one more copy. Where
// the view has gaps, ROMIO's processes mostly exchange what they write together. Else each writes its own part, by a
// buffer of 512 KiB that stays in the caches, which a copy of all that goes at once does not.
inline constexpr Prior table[] = {
    {Way::in_place, 0, {4096, 4096}},
    {Way::in_place, 4096, {4096, 4096}, 0, true},
    {Way::in_place, 64 * 1024, {32, 32}, 4096},
    {Way::staged, 0, {64, 64}, 512},
    {Way::staged, 4096, {64, 64}, 512, true},
    {Way::staged, 64 * 1024, {32, 32}, 512},
    {Way::ucx, 0, {4096, 4096}},
    {Way::ucx_block, 0, {8192, 8192}},
    {Way::calls, least_timed, {0, 0}, 160},
    {Way::calls, 5 * 1024, {0, 0}, any},
    {Way::ompio_alone, 1024, {1024, 1024}},
    {Way::ompio_together, 1024, {256, 64}},
    {Way::romio_alone, 1024, {256, 256}},
    {Way::romio_by_pieces, 1024, {256, 64}},
    {Way::romio_exchange, 1024, {16, 64}},
    {Way::romio_together, 1024, {8, 16}},
};

static_assert(std::ranges::is_sorted(table, {}, [](const Prior& row) { return std::pair(row.way, row.from); }));
// A trial of files would share that of messages (SharedLayout::trial()), so they have none.
static_assert(std::ranges::none_of(table, [](const Prior& row) {
  return is_to_file(row.way) && (row.tried != 0 || row.tries_transposes);
}));

// Null where the host does all.
constexpr const Prior* row_of(Way way, std::int64_t bytes) {
  const Prior* found = nullptr;
  for (const Prior& row : table) {
    if (row.way > way) break;
    if (row.way == way && row.from <= bytes) found = &row;
  }
  return found;
}

// The approximate cost of passing a pack on to the host, which the measured times do not include.
inline constexpr std::int64_t ns_of_passing_on = 10;

// The rest of a message that is packed at the call: a datatype for the host, the copy's memory, and the host's own copy
// of it from or into the caches. As measured on MPICH 3.4.1 and 4.0 by `marshal bench messages --by calls`.
constexpr std::int64_t ns_beside_packing_at_call(std::int64_t bytes) { return 500 + bytes / 16; }

// What the engine saves of 1024 bytes before a type is read. In messages: measured on an EPYC, of blocks of 12 bytes.
// At calls less than that. Of files: less than was measured for any type that gains.
constexpr float ns_saved_of_a_kib(Way way) {
  if (!is_to_file(way)) return way == Way::calls ? 200 : 256;
  return is_by_ompio(way) ? 2000 : 200;
}
inline constexpr float most_ns_saved_of_a_kib = 3072;  // of single bytes
// The same in a message once the blocks are known: estimated on an EPYC; on other machines it may be a tenth. In place,
// packing saves a little with long blocks, too.
constexpr float ns_saved_of_a_kib(std::int64_t mean_block) {
  return std::max(64.0F, 1024 * 3.0F / static_cast<float>(std::max<std::int64_t>(mean_block, 1)));
}
// On MPICH every message that travels in one piece saves the same little, since the host packs it nearly as fast.
// Measured on an Intel Xeon (`marshal bench messages --calls ping-pong --only vector --sizes
// 256,1024,4096,8192,12288,16384`).
inline constexpr std::int64_t longest_piece_on_ucx = 8192;
inline constexpr float ns_saved_of_a_piece = 64;
// And of a piece of a file's memory, for the report.
constexpr std::uint64_t ns_saved_of_a_piece_in_files(Way way) { return is_by_ompio(way) ? 100 : 4; }

// To read and plan a type whose constructors were given so many numbers, and to end its entry.
constexpr float ns_of_reading(std::int64_t numbers = 0) { return static_cast<float>(4000 + 60 * numbers); }
inline constexpr float ns_of_ending = 400;
// To make a first program, of a type of which so many bytes were packed.
constexpr float ns_of_first_program(std::int64_t bytes) { return 1000 + static_cast<float>(bytes) / 4; }
// The bytes that a first program of so many bytes packs before the type is read after all: some ten times what reading
// it takes, and describing it for the report once it is gone.
constexpr std::int64_t most_by_first_program(std::int64_t size) { return 512 * 1024 + 4096 * size; }

}  // namespace priors
}  // namespace marshal
