#include "datatype/layout_text.h"

#include <fmt/format.h>

namespace marshal::datatype {
namespace {

std::string piece_text(const Piece& p, std::size_t most) {
  std::string inner = p.body.empty() ? fmt::format("{} B", p.length) : layout_text(p.body, most);
  if (!p.is_loop()) return inner;
  if (!p.body.empty()) inner = "(" + inner + ")";
  return fmt::format("{} x {} every {} B", p.count, inner, p.stride);
}

// In the order of Step::Kind, without loops.
constexpr const char* kind_texts[] = {"rows", "transpose", "fields", "offset list", "mixed list", "length bins"};

const Step& innermost(const Step& s) {
  return s.kind == Step::Kind::loop && s.body.size() == 1 ? innermost(s.body[0]) : s;
}

bool is_shuffled(const Step& s) {
  if (s.shuffle.pack_instances + s.shuffle.unpack_instances > 0) return true;
  return s.kind == Step::Kind::loop && s.body.size() == 1 && is_shuffled(s.body[0]);
}

}  // namespace

std::string layout_text(const Pieces& pieces, std::size_t most_pieces_told) {
  if (pieces.empty()) return "nothing";
  std::string all;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i == most_pieces_told) return all + fmt::format(" and {} more pieces", pieces.size() - i);
    const Piece& p = pieces[i];
    all += fmt::format("{}{}{}", i > 0 ? ", " : "", piece_text(p, most_pieces_told),
                       p.disp != 0 || i > 0 ? fmt::format(" at {}", p.disp) : "");
  }
  return all;
}

std::string program_text(const Program& program, std::int64_t count) {
  if (program.is_contiguous(count)) return "one copy";
  const Step& top = program.loop_for(count);
  const Step& s = innermost(top);
  std::string text = is_shuffled(top)             ? "byte permutation"
                     : s.kind == Step::Kind::loop ? fmt::format("{} fields in segments", s.body.size())
                                                  : kind_texts[static_cast<std::size_t>(s.kind)];
  if (s.length > 0 && !is_shuffled(top)) text += fmt::format(" of {} B", s.length);
  return text + ", " + program.kernels->name;
}

std::int64_t segment_of(const Program& program, std::int64_t count) {
  if (program.is_contiguous(count)) return 0;
  const Step& s = innermost(program.loop_for(count));
  const bool segmented = s.kind == Step::Kind::loop && s.loop.count != 1 && !is_shuffled(s);
  return segmented ? s.segment : 0;
}

}  // namespace marshal::datatype
