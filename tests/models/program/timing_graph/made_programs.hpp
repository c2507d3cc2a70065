#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "models/messages/message_costs.hpp"
#include "models/program/timing_graph/evaluation.hpp"
#include "models/program/timing_graph/expansion.hpp"
#include "models/program/timing_graph/graph.hpp"
#include "models/program/timing_graph/program.hpp"

namespace loadshare::timing_graph {

/// Costs in whole seconds, to be followed by hand: a message of at least 100 bytes waits for its receive in
/// standard mode. Sender and receiver: 2 and 5 posted before; 3 and 1 posted after, not waiting; 4 and 7
/// posted after, waiting; ready and buffered as standard.
class WholeSeconds final : public communication::MessageCosts {
 public:
  explicit WholeSeconds(double port_s = 0) : port_s_(port_s) {}

  bool waits_for_receive(communication::SendMode mode, double bytes) const override;
  double sender_s(communication::SendMode mode, communication::ReceivePosted posted,
                  double bytes) const override;
  double receiver_s(communication::SendMode mode, communication::ReceivePosted posted,
                    double bytes) const override;
  double port_s(double) const override { return port_s_; }

 private:
  double port_s_;
};

Op compute(double seconds);
Op send(int to, double bytes, communication::SendMode mode = communication::SendMode::standard, int tag = 0);
Op receive(int from, int tag = any_tag);
/// The same, begun only.
Op begun(Op op, std::uint32_t request);
Op wait(std::uint32_t request);

/// One list for each process. The nth op of process p comes from a step `p.n` at line n of the file `p.yaml`.
Program program_of(std::initializer_list<std::vector<Op>> processes);

/// A graph with n = 1000 and p = 4 whose ranks all do `steps`, whose places are lines of `g.yaml`.
Graph graph_of(Steps steps);
Step step(Action action, int line = 1);
Expression formula(const std::string& text);

/// When each process ends, in seconds.
std::vector<double> finishes(const Evaluation& evaluation);
/// Returns the error of expanding; "none" if it succeeds.
std::string failure(const Graph& graph, const std::vector<Setting>& settings = {},
                    const ExpansionOptions& options = {});

}  // namespace loadshare::timing_graph
