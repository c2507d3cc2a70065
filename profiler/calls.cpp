#include "profiler/calls.hpp"

#include <array>

namespace loadshare::profile {
namespace {

#define LOADSHARE_CALL_ROW(name, kind, mode) CallFacts{"MPI_" #name, CallKind::kind, SendMode::mode},
constexpr std::array<CallFacts, call_count> rows{LOADSHARE_CALLS(LOADSHARE_CALL_ROW)};
#undef LOADSHARE_CALL_ROW

}  // namespace

std::span<const CallFacts> call_table() {
  return rows;
}

const CallFacts& facts(const Event& event) {
  return rows.at(event.call);
}

}  // namespace loadshare::profile
