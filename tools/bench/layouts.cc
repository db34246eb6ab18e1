#include "tools/bench/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/split_text.h"

namespace marshal::bench {
namespace {

using namespace datatype;

const Type float4 = basic(4), float8 = basic(8), complex16 = Named{{{0, 16}}, 16, 8};

std::int64_t at_least(std::int64_t least, double value) {
  return std::max(least, static_cast<std::int64_t>(std::llround(value)));
}

// WRF: a halo three wide of two 2-D and four 3-D fields of floats; as vectors or as subarrays.
Layout wrf(bool x, bool subarrays, std::int64_t bytes) {
  const std::int64_t nz = 16, halo = 3;
  const std::int64_t n = at_least(8, static_cast<double>(bytes) / (4.0 * static_cast<double>(halo * (2 + 4 * nz))));
  const std::int64_t nx = x ? 64 : n, ny = x ? n : 32;
  Struct all;
  std::int64_t base = 0;
  for (int field = 0; field < 6; ++field) {
    const std::int64_t levels = field < 2 ? 1 : nz;
    // Order in memory: y, level, x.
    const std::int64_t row = nx * 4, plane = levels * row;
    const std::int64_t from = x ? 5 : 0, width = x ? halo : nx, y_count = x ? ny : halo;
    if (subarrays) {
      all.of.push_back(Subarray{{ny, levels, nx}, {y_count, levels, width}, {0, 0, from}, Order::c, float4});
      all.displacements.push_back(base);
    } else {
      all.of.push_back(Hvector{y_count, 1, plane, Hvector{levels, width, row, float4}});
      all.displacements.push_back(base + from * 4);
    }
    all.blocklengths.push_back(1);
    base += ny * plane;
  }
  const std::string name = std::string("WRF_") + (x ? "x_" : "y_") + (subarrays ? "sa" : "vec");
  return {"ddtbench", name, std::move(all), 1};
}

Layout milc(std::int64_t bytes) {  // su3_zd: of each time slice, planes of 24-byte vectors
  const std::int64_t block = 16 * 16 / 2 * 6,
                     t = at_least(2, static_cast<double>(bytes) / (4.0 * static_cast<double>(block)));
  const std::int64_t stride = block * 16 * 4;
  return {"ddtbench", "MILC_su3_zd", Hvector{t, 16 * 16 / 2, stride, Contiguous{6, float4}}, 1};
}

Layout lu(bool x, std::int64_t bytes) {
  const std::int64_t n = at_least(4, static_cast<double>(bytes) / 40.0);
  if (x) return {"ddtbench", "NAS_LU_x", Contiguous{n, Contiguous{5, float8}}, 1};
  const std::int64_t stride = 40 * 66;
  return {"ddtbench", "NAS_LU_y", Hvector{n, 5, stride, float8}, 1};
}

Layout mg(char direction, std::int64_t bytes) {
  const std::int64_t n = at_least(4, std::sqrt(static_cast<double>(bytes) / 8.0)), m = n + 2;
  const std::int64_t row = m * 8, plane = m * row;
  const std::string name = std::string("NAS_MG_") + direction;
  if (direction == 'x') return {"ddtbench", name, Hvector{n, 1, plane, Hvector{n, 1, row, float8}}, 1};
  const std::int64_t stride = direction == 'y' ? plane : row;
  return {"ddtbench", name, Hvector{n, n, stride, float8}, 1};
}

std::vector<std::int64_t> random_places(std::int64_t count, std::int64_t unit, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> places;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    places.push_back(at * unit);
    at += 1 + static_cast<std::int64_t>(random() % 5);
  }
  return places;
}

// Several arrays indexed by the same list of particles; blocks of so many elements of 4 or 8 bytes.
struct Array {
  std::int64_t element, length;
};
Layout particles(const std::string& name, const std::vector<Array>& arrays, std::int64_t bytes, std::uint64_t seed) {
  std::int64_t each = 0;
  for (const auto& a : arrays) each += a.element * a.length;
  const std::int64_t n = at_least(2, static_cast<double>(bytes) / static_cast<double>(each));
  Struct all;
  std::int64_t base = 0;
  for (const auto& a : arrays) {
    const std::vector<std::int64_t> list = random_places(n, a.length, seed);
    all.of.push_back(IndexedBlock{a.length, list, basic(a.element)});
    all.blocklengths.push_back(1);
    all.displacements.push_back(base);
    base += (list.back() + a.length + 8) * a.element / 64 * 64 + 64;
  }
  return {"ddtbench", name, std::move(all), 1};
}

Layout specfem_mt(std::int64_t bytes) {
  const std::int64_t n = at_least(2, static_cast<double>(bytes) / 12.0);
  return {"ddtbench", "SPECFEM3D_mt", Vector{n, 3, 5, float4}, 1};
}

// Columns of a square matrix one after the other.
Layout transpose(const std::string& group, const std::string& name, const Type& element, std::int64_t bytes,
                 bool counted) {
  const std::int64_t size = element.size();
  const std::int64_t n = at_least(2, std::sqrt(static_cast<double>(bytes / size)));
  const Type column = Resized{0, size, Vector{n, 1, n, element}};
  if (counted) return {group, name, column, n};
  return {group, name, Contiguous{n, column}, 1};
}

Layout face(char direction, std::int64_t bytes) {  // of a cube of doubles without ghost layers
  const std::int64_t n = at_least(4, std::sqrt(static_cast<double>(bytes) / 8.0));
  std::vector<std::int64_t> part(3, n);
  part[direction == 'x' ? 2U : direction == 'y' ? 1U : 0U] = 1;
  return {"face", std::string("face_") + direction, Subarray{{n, n, n}, part, {0, 0, 0}, Order::c, float8}, 1};
}

Layout vector_of(std::int64_t length, std::int64_t of, std::int64_t bytes) {
  const std::int64_t n = at_least(2, static_cast<double>(bytes) / static_cast<double>(8 * length));
  return {"vector", "vector_" + std::to_string(length) + "_of_" + std::to_string(of), Vector{n, length, of, float8}, 1};
}

Layout mixed(std::int64_t bytes) {
  std::mt19937_64 random(7);
  Indexed list{{}, {}, float8};
  std::int64_t at = 0, total = 0;
  while (total < bytes) {
    const auto length = static_cast<std::int64_t>(random() % 8 + 1);
    list.displacements.push_back(at);
    list.blocklengths.push_back(length);
    at += length + 1 + static_cast<std::int64_t>(random() % 8);
    total += length * 8;
  }
  return {"indexed", "indexed_1_to_8", std::move(list), 1};
}

Layout indexed_block(std::int64_t length, std::int64_t bytes) {
  const std::int64_t n = at_least(2, static_cast<double>(bytes) / static_cast<double>(8 * length));
  return {"indexed", "indexed_block_" + std::to_string(length),
          IndexedBlock{length, random_places(n, length, 3), float8}, 1};
}

}  // namespace

Span Layout::touched(const Pieces& pieces) const {
  const Span one = datatype::touched(pieces);
  const std::int64_t reach = (count - 1) * type.extent();
  return {std::min(one.first, one.first + reach), std::max(one.end, one.end + reach)};
}

std::vector<Layout> layouts(std::int64_t bytes) {
  const auto count = [&](std::int64_t each) { return std::max<std::int64_t>(bytes / each, 1); };
  std::vector<Layout> all;
  for (const bool x : {true, false})
    for (const bool subarrays : {false, true}) all.push_back(wrf(x, subarrays, bytes));
  all.push_back(milc(bytes));
  all.push_back(lu(true, bytes));
  all.push_back(lu(false, bytes));
  for (const char d : {'x', 'y', 'z'}) all.push_back(mg(d, bytes));
  all.push_back(particles("LAMMPS_full", {{8, 3}, {4, 1}, {4, 1}, {4, 1}, {4, 1}, {8, 1}, {4, 1}}, bytes, 1));
  all.push_back(particles("LAMMPS_atomic", {{8, 3}, {4, 1}, {4, 1}, {4, 1}}, bytes, 2));
  all.push_back(particles("SPECFEM3D_oc", {{4, 1}}, bytes, 3));
  all.push_back(particles("SPECFEM3D_cm", {{4, 3}, {4, 3}}, bytes, 4));
  all.push_back(specfem_mt(bytes));
  all.push_back(transpose("ddtbench", "FFT2D", complex16, bytes, true));

  const Type inner = Struct{{2, 1}, {0, 8}, {float4, float4}};
  all.push_back({"paper", "40_of_44", Resized{0, 44, Struct{{1, 3}, {0, 4}, {float4, inner}}}, count(40)});
  all.push_back({"paper", "two_doubles_of_64", Resized{0, 64, Hindexed{{1, 1}, {0, 16}, float8}}, count(16)});
  {
    // Four doubles of a line, lines eight pages apart.
    const std::int64_t n = std::min<std::int64_t>(count(32), 8192), apart = 8 * 4096 + 64;
    all.push_back({"paper", "trash_tlb", Resized{0, apart, Vector{4, 1, 2, float8}}, n});
  }
  all.push_back({"struct", "int_double_char3",
                 Resized{0, 24, Struct{{1, 1, 3}, {0, 8, 16}, {float4, float8, basic(1)}}}, count(15)});
  {
    constexpr std::int64_t apart = 32 * 1024;
    const std::int64_t n = std::clamp<std::int64_t>(bytes / (64 * 8), 1, apart / 8);
    all.push_back({"struct", "64_fields_32K_apart", Resized{0, 8, Hvector{64, 1, apart, float8}}, n});
  }
  all.push_back(vector_of(1, 2, bytes));
  all.push_back(vector_of(1, 8, bytes));
  all.push_back(vector_of(2, 3, bytes));
  all.push_back(vector_of(8, 16, bytes));
  all.push_back(vector_of(64, 128, bytes));
  all.push_back(vector_of(1024, 2048, bytes));
  all.push_back(mixed(bytes));
  all.push_back(indexed_block(1, bytes));
  all.push_back(indexed_block(16, bytes));
  for (const char d : {'x', 'y', 'z'}) all.push_back(face(d, bytes));
  all.push_back(transpose("transpose", "transpose_4", float4, bytes, false));
  all.push_back(transpose("transpose", "transpose_8", float8, bytes, false));
  all.push_back(transpose("transpose", "transpose_8_counted", float8, bytes, true));
  all.push_back(transpose("transpose", "transpose_16", complex16, bytes, false));
  all.push_back({"contiguous", "contiguous", float8, count(8)});
  return all;
}

std::vector<Layout> long_blocks(std::int64_t bytes) {
  std::vector<Layout> all;
  for (std::int64_t block = 512; block <= 32 * 1024 && 2 * block <= bytes; block *= 2) {
    Layout layout = vector_of(block / 8, block / 4, bytes);
    layout.group = "blocks";
    layout.name = std::to_string(block) + "_B";
    all.push_back(std::move(layout));
  }
  return all;
}

std::vector<std::int64_t> LayoutArguments::numbers(const char* text) {
  std::vector<std::int64_t> all;
  for (const std::string_view word : split(text, ',')) read_number(word, all.emplace_back());
  return all;
}

void print_point(const std::string& series, const std::string& call, const Layout& layout, std::int64_t asked_for,
                 std::int64_t mean_block, const std::vector<TimedVariant>& variants) {
  fmt::print(
      "{{\"series\":\"{}\",\"call\":\"{}\",\"group\":\"{}\",\"layout\":\"{}\",\"asked\":{},\"bytes\":{},\"block\":{}",
      series, call, layout.group, layout.name, asked_for, layout.bytes(), mean_block);
  std::string separator = ",\"seconds\":{";
  for (const TimedVariant& variant : variants) {
    fmt::print("{}\"{}\":{}", separator, variant.name, variant.seconds);
    separator = ",";
  }
  fmt::print("}}}}\n");
}

void print_passed_over(const Layout& layout, std::int64_t memory) {
  fmt::print("{{\"layout\":\"{}\",\"bytes\":{},\"needs\":{}}}\n", layout.name, layout.bytes(), memory);
}

}  // namespace marshal::bench
