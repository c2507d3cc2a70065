#include "models/program/timing_graph/graph.hpp"

namespace loadshare::timing_graph {
namespace {

struct NameOfAction {
  std::string operator()(const Compute&) const { return "compute"; }
  std::string operator()(const Send&) const { return "send"; }
  std::string operator()(const Receive&) const { return "receive"; }
  std::string operator()(const Exchange&) const { return "exchange"; }
  std::string operator()(const Wait&) const { return "wait"; }
  std::string operator()(const Collective& collective) const { return collective.call; }
  std::string operator()(const Loop&) const { return "loop"; }
  std::string operator()(const Branch&) const { return "branch"; }
};

}  // namespace

std::string name_of(const Step& step) {
  return step.label.empty() ? std::visit(NameOfAction{}, step.action) : step.label;
}

}  // namespace loadshare::timing_graph
