#include "rankmap/memory_model.h"

#include <algorithm>

namespace marshal::memory_model {
namespace {

// Ranks in the maps of the two internal communicators.
std::int64_t internal_ranks(std::int64_t size, const Parameters& p) {
  const std::int64_t nodes = (size + p.ranks_per_node - 1) / p.ranks_per_node;
  return std::min(size, p.ranks_per_node) + nodes;
}

std::int64_t vc_vcrt(const Communicator& c, const Parameters& p) {
  const std::int64_t entry = p.vcrt_entry + p.vcrt_beside;
  const std::int64_t internal = internal_ranks(c.size, p);
  if (c.duplicate) return internal * entry;
  const std::int64_t local_copies = c.remote_size > 0 ? 2 : 1;
  return (local_copies * c.size + c.remote_size + internal) * entry;
}

std::int64_t av_rankmap(const Communicator& c, const Parameters& p) {
  const std::int64_t maps = c.remote_size > 0 ? 5 : 3;
  const std::int64_t records = maps * p.rankmap_record;
  if (c.regular || c.duplicate) return records;
  const std::int64_t entry = c.several_groups ? p.mlut_entry : p.lut_entry;
  const std::int64_t local_copies = c.remote_size > 0 ? 2 : 1;
  return records + (local_copies * c.size + c.remote_size + internal_ranks(c.size, p)) * entry;
}

}  // namespace

std::int64_t base(Scheme scheme, std::int64_t world, const Parameters& p) {
  switch (scheme) {
    case Scheme::vc_vcrt:
      return world * (p.vc + p.vcrt_entry) + internal_ranks(world, p) * p.vcrt_entry;
    case Scheme::av_rankmap:
      return world * p.ave + 3 * p.rankmap_record;
    case Scheme::plain_tables:
      return world * p.plain_entry;
  }
  return 0;
}

std::int64_t added(Scheme scheme, const Communicator& c, const Parameters& p) {
  switch (scheme) {
    case Scheme::vc_vcrt:
      return vc_vcrt(c, p);
    case Scheme::av_rankmap:
      return av_rankmap(c, p);
    case Scheme::plain_tables:
      return c.duplicate ? 0 : (c.size + c.remote_size) * p.plain_entry * (c.several_groups ? 2 : 1);
  }
  return 0;
}

}  // namespace marshal::memory_model
