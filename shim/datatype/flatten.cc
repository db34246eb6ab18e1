#include "datatype/flatten.h"

#include <limits>
#include <utility>

#include "datatype/folding.h"

namespace marshal::datatype {
namespace {

Pieces folded(const Type& type);

// Appends so many copies of one type in a row, for each block of a list. Copies of a dense type are one block.
class ElementCopies {
 public:
  explicit ElementCopies(const Type& type) : body_(folded(type)), extent_(type.extent()) {
    dense_ = body_.size() == 1 && !body_.front().is_loop() && body_.front().length == extent_;
  }

  // length(i) copies for each displacement, counted in `unit` bytes.
  template <class Length>
  Pieces list(const std::vector<std::int64_t>& displacements, std::int64_t unit, Length length) {
    if (dense_ && displacements.size() <= most_pieces) return blocks(displacements, unit, length);
    Pieces all;
    all.reserve(displacements.size());
    for (std::size_t i = 0; i < displacements.size(); ++i) append(all, length(i), displacements[i] * unit);
    return all;
  }

  void append(Pieces& out, std::int64_t count, std::int64_t disp) {
    if (count <= 0 || body_.empty()) return;
    if (dense_)
      append_block(out, disp + body_.front().disp, count * extent_);
    else
      append_row(out, count, disp);
    if (out.size() > most_pieces) throw LayoutTooLarge();
  }

 private:
  static void append_block(Pieces& out, std::int64_t disp, std::int64_t length) {
    if (!out.empty() && !out.back().is_loop() && out.back().disp + out.back().length == disp) {
      out.back().length += length;
    } else {
      Piece& block = out.emplace_back();
      block.disp = disp;
      block.length = length;
    }
  }

  // The same as append() for each, but all room is made at once: most long lists are of dense types.
  template <class Length>
  Pieces blocks(const std::vector<std::int64_t>& displacements, std::int64_t unit, Length length) const {
    Pieces all(displacements.size());
    std::size_t count = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < displacements.size(); ++i) {
      const std::int64_t bytes = length(i) * extent_, disp = displacements[i] * unit + body_.front().disp;
      if (bytes <= 0) continue;
      if (disp != end) all[count++].disp = disp;
      all[count - 1].length += bytes;
      end = disp + bytes;
    }
    all.resize(count);
    return all;
  }

  void append_row(Pieces& out, std::int64_t count, std::int64_t disp) {
    if (count != row_count_) {
      row_ = repeated(body_, count, extent_);
      row_count_ = count;
    }
    append_shifted(out, row_, disp);
  }

  Pieces body_, row_;
  std::int64_t extent_, row_count_ = 0;
  bool dense_;
};

struct Flatten {
  Pieces operator()(const Named& t) const {
    Pieces all;
    for (const auto& f : t.fields) all.push_back(Piece{f.disp, f.length, 1, 0, {}});
    return joined(std::move(all));
  }
  Pieces operator()(const Dup& t) const { return folded(t.of); }
  Pieces operator()(const Resized& t) const { return folded(t.of); }
  Pieces operator()(const Contiguous& t) const { return repeated(folded(t.of), t.count, t.of.extent()); }
  Pieces operator()(const Vector& t) const { return rows(t.of, t.count, t.blocklength, t.stride * t.of.extent()); }
  Pieces operator()(const Hvector& t) const { return rows(t.of, t.count, t.blocklength, t.stride); }
  Pieces operator()(const Indexed& t) const {
    return list(t.of, t.displacements, t.of.extent(), [&](std::size_t i) { return t.blocklengths[i]; });
  }
  Pieces operator()(const Hindexed& t) const {
    return list(t.of, t.displacements, 1, [&](std::size_t i) { return t.blocklengths[i]; });
  }
  Pieces operator()(const IndexedBlock& t) const {
    return list(t.of, t.displacements, t.of.extent(), [&](std::size_t) { return t.blocklength; });
  }
  Pieces operator()(const HindexedBlock& t) const {
    return list(t.of, t.displacements, 1, [&](std::size_t) { return t.blocklength; });
  }
  Pieces operator()(const Struct& t) const {
    Pieces all;
    for (std::size_t i = 0; i < t.of.size(); ++i)
      if (t.blocklengths[i] > 0) ElementCopies(t.of[i]).append(all, t.blocklengths[i], t.displacements[i]);
    return joined(std::move(all));
  }
  Pieces operator()(const Subarray& t) const { return part_of_array(t); }
  Pieces operator()(const Darray& t) const { return part_of_array(t); }

  template <class Array>
  static Pieces part_of_array(const Array& array) {
    Pieces all = folded(array.of);
    std::int64_t apart = array.of.extent();
    for (const OwnedIndices& own : owned_indices(array)) {
      Pieces row =
          shifted(repeated(repeated(all, own.length, apart), own.blocks, own.stride * apart), own.first * apart);
      const Pieces tail = shifted(repeated(all, own.tail, apart), own.tail_first * apart);
      row.insert(row.end(), tail.begin(), tail.end());
      all = tail.empty() ? std::move(row) : joined(std::move(row));
      apart *= own.size;
    }
    return all;
  }

  static Pieces rows(const Type& of, std::int64_t count, std::int64_t blocklength, std::int64_t stride) {
    return repeated(repeated(folded(of), blocklength, of.extent()), count, stride);
  }

  template <class Length>
  static Pieces list(const Type& of, const std::vector<std::int64_t>& displacements, std::int64_t unit, Length length) {
    return joined(ElementCopies(of).list(displacements, unit, length));
  }
};

Pieces folded(const Type& type) { return std::visit(Flatten{}, type.node().combiner); }

}  // namespace

Pieces flattened(const Type& type) { return form_of_blocks(folded(type)); }

}  // namespace marshal::datatype
