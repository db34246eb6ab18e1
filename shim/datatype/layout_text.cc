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

const char* kind_text(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::rows:
      return "rows";
    case Step::Kind::transpose:
      return "transpose";
    case Step::Kind::fields:
      return "fields";
    case Step::Kind::list:
      return "offset list";
    case Step::Kind::ragged:
      return "mixed list";
    case Step::Kind::bins:
      return "length bins";
    case Step::Kind::loop:
      return "loop";
  }
  return "";
}

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
  const Step& top = count == 1 && program.once ? *program.once : program.instances;
  const Step& s = innermost(top);
  std::string text = is_shuffled(top) ? "byte permutation" : kind_text(s.kind);
  if (s.kind == Step::Kind::loop) text = is_shuffled(top) ? text : fmt::format("{} fields in segments", s.body.size());
  if (s.length > 0 && !is_shuffled(top)) text += fmt::format(" of {} B", s.length);
  return text + ", " + program.kernels->name;
}

std::int64_t segment_of(const Program& program, std::int64_t count) {
  if (program.is_contiguous(count)) return 0;
  const Step* s = count == 1 && program.once ? &*program.once : &program.instances;
  while (s->kind == Step::Kind::loop && s->body.size() == 1) s = &s->body.front();
  const bool segmented = s->kind == Step::Kind::loop && s->loop.count != 1 && !is_shuffled(*s);
  return segmented ? s->segment : 0;
}

}  // namespace marshal::datatype
