#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/messages/message_costs.hpp"
#include "models/program/timing_graph/expression.hpp"

namespace loadshare::timing_graph {

/// The timing graph of a message-passing program (Li's DP*Graph): every process is a sequence of computing
/// segments, messages, waits, collective calls, loops and branches, whose times and sizes are expressions. It
/// says what a program does at any n and p; expand() makes the program of one n and p of it.

struct Step;
using Steps = std::vector<Step>;

/// A segment of the program between two calls of MPI.
struct Compute {
  Expression seconds;
  /// How the segment scatters from run to run where nobody sets other parameters: the standard deviation of
  /// the logarithm of its time, whose mean is `seconds`. One run is expanded with the mean; who draws runs
  /// scatters its ops.
  double spread = 0;
};

/// MPI_Send and its relatives; with a request MPI_Isend and its.
struct Send {
  Expression to;
  Expression bytes;
  Expression tag{"0", {}};
  communication::SendMode mode = communication::SendMode::standard;
  /// Non-blocking: the name a Wait calls it by. Sends and receives under one name are waited for together.
  std::optional<std::string> request{};
};

/// MPI_Recv, with a request MPI_Irecv. Without `from` from any process, without `tag` with any tag.
struct Receive {
  std::optional<Expression> from{};
  std::optional<Expression> tag{};
  std::optional<std::string> request{};
};

/// MPI_Sendrecv: the receive is posted, the send is made, then both are waited for. Neither has a request.
struct Exchange {
  Send send;
  Receive receive;
};

/// MPI_Wait and MPI_Waitall: for everything begun under these names and not yet waited for; no names: for
/// everything begun.
struct Wait {
  std::vector<std::string> requests{};
};

/// Ranks first, first + stride ... up to last: a row or a column of a grid of processes.
struct Group {
  Expression first;
  Expression last;
  Expression stride{"1", {}};
};

/// A collective call; every process of its group makes it, in the same order. What `bytes` means is the row
/// of the call in collective_table(): the whole message, what this rank gives or gets, or what this rank
/// sends to the rank `peer` (alltoallv, the only call whose expression may use that name).
struct Collective {
  std::string call;  ///< as in MPI, in lower case: `allreduce`
  Expression bytes{"0", {}};
  Expression root{"0", {}};      ///< a rank of the whole program, for calls that have one
  std::optional<Group> group{};  ///< none: all processes
};

struct Loop {
  Expression times;
  std::string variable;  ///< counts 0 to times - 1 inside; empty: nobody asks
  Steps steps;
};

struct Branch {
  Expression condition;  ///< other than 0: taken
  Steps then;
  Steps otherwise;
};

using Action = std::variant<Compute, Send, Receive, Exchange, Wait, Collective, Loop, Branch>;

struct Step {
  std::string label;  ///< how a table or a picture calls it; empty: by what it does
  Place place;
  Action action;
};

/// What the ranks from first to last do, both included; no ranks: all of them. Every rank belongs to exactly
/// one.
struct RankRange {
  Expression first;
  Expression last;
};

struct Process {
  std::optional<RankRange> ranks;
  Steps steps;
  Place place;
};

/// A name that expressions use, and its value where nobody sets another: an expression in the parameters
/// before it.
struct Parameter {
  std::string name;
  Expression value;
};

/// A parameter named `p` is the number of processes; every graph has it. One named `reduction_s_per_byte` is
/// what the operation of a reduction costs on top of its messages (0 without it).
struct Graph {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Process> processes;
};

/// What `step` is called in tables: its label, or else what it does (`send`, `allreduce`, `loop`).
std::string name_of(const Step& step);

}  // namespace loadshare::timing_graph
