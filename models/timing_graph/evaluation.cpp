#include "models/timing_graph/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/timing_graph/critical_path.hpp"
#include "models/timing_graph/simulation.hpp"
#include "models/timing_graph/stuck.hpp"

namespace loadshare::timing_graph {
namespace {

std::vector<std::string> notes_on(const Simulation& simulation) {
  std::vector<std::string> notes;
  for (const std::uint32_t number : simulation.unready_origins()) {
    const Origin& origin = simulation.program().origins[number];
    const std::string place = text_of(origin.place);
    notes.push_back(
        fmt::format("{}a ready send begins before its receive is posted ('{}'; MPI forbids it) it is "
                    "taken as a standard send",
                    place.empty() ? place : place + ": ", origin.name));
  }
  return notes;
}

}  // namespace

Evaluation evaluate(const Program& program, const communication::MessageCosts& costs) {
  return evaluate(program, Placement{&costs});
}

Evaluation evaluate(const Program& program, const Placement& placement) {
  Simulation simulation(program, placement);
  simulation.run();
  require_finished(simulation);
  Evaluation result;
  for (const ProcessState& process : simulation.processes()) {
    result.processes.push_back(process.times);
    result.processes.back().finish_s = process.clock_s;
    result.makespan_s = std::max(result.makespan_s, process.clock_s);
  }
  result.messages.reserve(simulation.transits().size());
  for (const Transit& transit : simulation.transits()) result.messages.push_back(transit.message);
  result.critical_path = critical_path(simulation);
  result.notes = notes_on(simulation);
  return result;
}

}  // namespace loadshare::timing_graph
