#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/messages/message_costs.hpp"
#include "models/program/timing_graph/program.hpp"

namespace loadshare::timing_graph {

/// Where processes run, and what messages cost there. Processes of one host share its way out and its way in
/// to the others, and need neither among themselves.
struct Placement {
  const communication::MessageCosts* between_hosts = nullptr;
  std::vector<std::uint32_t> hosts{};  ///< by rank, from 0; empty: one for each process
  const communication::MessageCosts* inside_hosts = nullptr;  ///< none: as between them, without the ways

  std::size_t host_of(std::int32_t rank) const {
    const auto at = static_cast<std::size_t>(rank);
    return hosts.empty() ? at : hosts[at];
  }
  std::size_t host_count(std::size_t processes) const {
    return hosts.empty() ? processes : std::size_t{*std::ranges::max_element(hosts)} + 1;
  }
  bool is_inside(std::int32_t from, std::int32_t to) const { return host_of(from) == host_of(to); }
  const communication::MessageCosts& costs(std::int32_t from, std::int32_t to) const {
    return inside_hosts != nullptr && is_inside(from, to) ? *inside_hosts : *between_hosts;
  }
  /// For how long a message takes the ways.
  double port_s(std::int32_t from, std::int32_t to, double bytes) const {
    return is_inside(from, to) ? 0 : between_hosts->port_s(bytes);
  }
};

/// One message of a program: who sent it to whom, by which ops (indices into Program::ops).
struct MatchedMessage {
  double bytes = 0;
  std::uint32_t send = 0;
  std::uint32_t receive = 0;
  std::int32_t source = 0;
  std::int32_t destination = 0;
  communication::SendMode mode = communication::SendMode::standard;
};

/// Where a process's time goes; computing, communicating and idle make up its finish.
struct ProcessTimes {
  double computing_s = 0;
  double communicating_s = 0;  ///< with the time that messages wait for others on their way
  double idle_s = 0;           ///< waiting for the other process of a message, or the last one of a call
  double finish_s = 0;
};

/// A stretch of the critical path: nothing that makes it shorter leaves the makespan as it is.
struct PathPart {
  std::int32_t process = 0;
  std::uint32_t origin = 0;
  double begin_s = 0;
  double end_s = 0;
};

/// A program with its messages matched: a receive waits for its send, as MessageCosts says it.
struct Evaluation {
  double makespan_s = 0;
  std::vector<ProcessTimes> processes;
  std::vector<PathPart> critical_path;  ///< in the order of time, from 0 to the makespan
  std::vector<MatchedMessage> messages;
  std::vector<std::string> notes;
};

/// Throws UsageError, with the processes, their steps and the places of those, on processes that wait for one
/// another in a circle, and on sends and receives without their other half.
Evaluation evaluate(const Program& program, const Placement& placement);
/// Every process on a host of its own.
Evaluation evaluate(const Program& program, const communication::MessageCosts& costs);

/// The paper's T_exec = max over processes of the sum of their partial times: computing, and a process's own
/// side of each of its messages, the receive posted before. Nobody waits for anybody.
struct SumOfParts {
  double t_exec_s = 0;
  std::vector<ProcessTimes> processes;  ///< idle never
};

SumOfParts sum_of_parts(const Program& program, const std::vector<MatchedMessage>& messages,
                        const Placement& placement);
SumOfParts sum_of_parts(const Program& program, const std::vector<MatchedMessage>& messages,
                        const communication::MessageCosts& costs);

}  // namespace loadshare::timing_graph
