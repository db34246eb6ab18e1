#include "tools/figures/figures.h"

namespace marshal::tools {
namespace {

// The address vectors of two process groups; the first is the one that all but mlut use. As MPICH's: one pointer for
// each process group, the first in a variable of its own.
const Address* world_addresses;
std::array<const Address*, 2> group_addresses;
std::vector<Address> addresses;

const ProbedCommunicator& communicator(const void* opaque) { return *static_cast<const ProbedCommunicator*>(opaque); }

// The part after the choice of the model, the same in the three published implementations.
const void* direct(std::int32_t rank) { return world_addresses[rank].endpoint; }
const void* offset(const ProbedCommunicator& c, std::int32_t rank) { return world_addresses[rank + c.offset].endpoint; }
const void* stride(const ProbedCommunicator& c, std::int32_t rank) {
  return world_addresses[rank * c.stride + c.offset].endpoint;
}
const void* lut(const ProbedCommunicator& c, std::int32_t rank) { return world_addresses[c.lut[rank]].endpoint; }
const void* mlut(const ProbedCommunicator& c, std::int32_t rank) {
  const ProcessPair p = c.mlut[rank];
  return group_addresses[static_cast<std::size_t>(p.group)][p.lpid].endpoint;
}

}  // namespace

// Extern "C" for names that callgrind shows as they are.
extern "C" {

__attribute__((noinline)) const void* probe_vcrt(const void* opaque, std::int32_t rank) {
  return communicator(opaque).vcrt[rank]->endpoint;
}

__attribute__((noinline)) const void* probe_switch(const void* opaque, std::int32_t rank) {
  const ProbedCommunicator& c = communicator(opaque);
  switch (c.model) {
    case direct_model:
      return direct(rank);
    case offset_model:
      return offset(c, rank);
    case stride_model:
      return stride(c, rank);
    case lut_model:
      return lut(c, rank);
    case mlut_model:
      return mlut(c, rank);
  }
  return nullptr;
}

__attribute__((noinline)) const void* probe_hybrid(const void* opaque, std::int32_t rank) {
  const ProbedCommunicator& c = communicator(opaque);
  if (__builtin_expect(c.model == direct_model, 1)) return direct(rank);
  if (c.model == offset_model) return offset(c, rank);
  if (c.model == stride_model) return stride(c, rank);
  switch (c.model) {
    case lut_model:
      return lut(c, rank);
    case mlut_model:
      return mlut(c, rank);
    default:
      return nullptr;
  }
}

// Labels as values are an extension, which this variant is about.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
__attribute__((noinline)) const void* probe_goto(const void* opaque, std::int32_t rank) {
  static const void* const targets[] = {&&take_direct, &&take_offset, &&take_stride, &&take_lut, &&take_mlut};
  const ProbedCommunicator& c = communicator(opaque);
  goto* targets[c.model];
take_direct:
  return direct(rank);
take_offset:
  return offset(c, rank);
take_stride:
  return stride(c, rank);
take_lut:
  return lut(c, rank);
take_mlut:
  return mlut(c, rank);
}
#pragma GCC diagnostic pop

// The formula alone, up to the lpid.
__attribute__((noinline)) const void* probe_formula(const void* opaque, std::int32_t rank) {
  const auto lpid = static_cast<const RankMap*>(opaque)->index_formula()(rank);
  return reinterpret_cast<const void*>(static_cast<std::intptr_t>(lpid));
}

// A map as it is used: formula or table, then the address.
__attribute__((noinline)) const void* probe_map(const void* opaque, std::int32_t rank) {
  const Process p = static_cast<const RankMap*>(opaque)->process(rank);
  return group_addresses[static_cast<std::size_t>(p.group)][p.lpid].endpoint;
}
}

const std::vector<NamedProbe>& probes() {
  static const std::vector<NamedProbe> all = [] {
    std::vector<NamedProbe> list;
    for (const Model model : {direct_model, offset_model, stride_model, lut_model, mlut_model}) {
      list.push_back({"probe_vcrt", "VC-VCRT", model, probe_vcrt, false});
      list.push_back({"probe_switch", "switch", model, probe_switch, false});
      list.push_back({"probe_hybrid", "hybrid", model, probe_hybrid, false});
      list.push_back({"probe_goto", "goto", model, probe_goto, false});
      list.push_back({"probe_formula", "Marshal, formula", model, probe_formula, true});
      list.push_back({"probe_map", "Marshal, map", model, probe_map, true});
    }
    return list;
  }();
  return all;
}

ProbeInputs::ProbeInputs(std::int32_t processes)
    : size_(processes / 2), connections_(2 * static_cast<std::size_t>(processes)) {
  addresses.assign(connections_.size(), Address{});
  for (Address& address : addresses) address.endpoint = &address;
  world_addresses = addresses.data();
  group_addresses = {addresses.data(), addresses.data() + processes};
  for (VirtualConnection& connection : connections_) connection.endpoint = &connection;
  // As in the papers: lower half, upper half, even ranks, even ranks reversed, and half local, half spawned processes.
  std::vector<Process> reversed;
  std::vector<Process> merged;
  for (std::int32_t r = 0; r < size_; ++r) {
    lut_.push_back(2 * (size_ - 1 - r));
    reversed.push_back({0, lut_.back()});
    merged.push_back(r < size_ / 2 ? Process{0, r} : Process{1, r - size_ / 2});
    mlut_.push_back({merged.back().group, merged.back().lpid});
  }
  communicators_ = {ProbedCommunicator{direct_model, 1, 0, nullptr, nullptr, nullptr},
                    ProbedCommunicator{offset_model, 1, size_, nullptr, nullptr, nullptr},
                    ProbedCommunicator{stride_model, 2, 0, nullptr, nullptr, nullptr},
                    ProbedCommunicator{lut_model, 0, 0, lut_.data(), nullptr, nullptr},
                    ProbedCommunicator{mlut_model, 0, 0, nullptr, mlut_.data(), nullptr}};
  const RankMap world = RankMap::identity(0, processes, MapForm::blocks);
  maps_ = {world.derive(StridedBlocks::linear(0, 1, size_)), world.derive(StridedBlocks::linear(size_, 1, size_)),
           world.derive(StridedBlocks::linear(0, 2, size_)), RankMap::from_processes(reversed, MapForm::lut),
           RankMap::from_processes(merged, MapForm::rankmap)};
  for (std::size_t m = 0; m < 5; ++m) {
    for (std::int32_t r = 0; r < size_; ++r) {
      const Process p = maps_[m].process(r);
      vcrts_[m].push_back(&connections_[static_cast<std::size_t>(p.group) * static_cast<std::size_t>(processes) +
                                        static_cast<std::size_t>(p.lpid)]);
    }
    communicators_[m].vcrt = vcrts_[m].data();
  }
}

const void* ProbeInputs::of(const NamedProbe& probe) const {
  const auto m = static_cast<std::size_t>(probe.model);
  return probe.takes_map ? static_cast<const void*>(&maps_[m]) : &communicators_[m];
}

}  // namespace marshal::tools
