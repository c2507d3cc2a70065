#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "models/messages/curve.hpp"
#include "models/messages/message_costs.hpp"
#include "models/messages/rooted_model.hpp"
#include "models/program/timing_graph/expression.hpp"

namespace loadshare::timing_graph {

/// The ranks first, first + stride ... last.
struct RankGroup {
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int32_t stride = 1;

  auto operator<=>(const RankGroup&) const = default;
  int size() const { return (last - first) / stride + 1; }
  bool contains(std::int32_t rank) const {
    return rank >= first && rank <= last && (rank - first) % stride == 0;
  }
  std::int32_t rank_of(int member) const { return first + member * stride; }
  int member_of(std::int32_t rank) const { return (rank - first) / stride; }
};

enum class OpKind : std::uint8_t { compute, send, receive, wait, collective };

inline constexpr std::int32_t any_source = -1;
/// Matches every tag of a program's own messages; those of collective calls are below 0.
inline constexpr std::int32_t any_tag = std::numeric_limits<std::int32_t>::min();
inline constexpr std::uint32_t no_request = std::numeric_limits<std::uint32_t>::max();

/// One thing a process does. A million of them are evaluated in a fraction of a second, hence the small
/// form.
struct Op {
  double amount = 0;  ///< seconds of a compute, bytes of a send
  /// The destination of a send, the source of a receive, the place of a collective call in Program::calls.
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  /// Of a non-blocking send or receive, and of the wait for it: its number among those of its process.
  std::uint32_t request = no_request;
  std::uint32_t origin = 0;  ///< index into Program::origins
  OpKind kind = OpKind::compute;
  communication::SendMode mode = communication::SendMode::standard;
};

/// The step that ops come from.
struct Origin {
  std::string name;
  Place place;
};

/// A collective call whose time is known as a whole: its members leave together, so long after the last
/// came, or each when it and those it waits for have.
struct CollectiveCall {
  std::string name;
  RankGroup members;
  double bytes = 0;              ///< as communication::CollectiveCosts has them
  communication::Estimate time;  ///< where members leave one by one, the longest of theirs
  std::vector<communication::MemberTime> by_member{};  ///< counted from the root; empty: all leave together
  int root = 0;                                        ///< its place among the members

  int place_from_root(int member) const { return (member - root + members.size()) % members.size(); }
  int member_at(int place) const { return (place + root) % members.size(); }
};

/// A collective call that is written as messages, of which there may be many in a program.
struct CallAsMessages {
  std::string name;
  int members = 0;

  auto operator<=>(const CallAsMessages&) const = default;
};

/// A graph at one n and p: what each process does, one op after the other.
struct Program {
  std::vector<Op> ops;                  ///< of process 0, then of process 1 ...
  std::vector<std::size_t> first_ops;   ///< where each process begins, and a last one: where all end
  std::vector<std::uint32_t> requests;  ///< how many non-blocking calls each process begins
  std::vector<Origin> origins;
  std::vector<CollectiveCall> calls;
  std::set<CallAsMessages> calls_as_messages;

  std::size_t process_count() const { return requests.size(); }
  std::span<const Op> ops_of(std::size_t process) const {
    return std::span(ops).subspan(first_ops[process], first_ops[process + 1] - first_ops[process]);
  }
};

/// A graph makes sense, but who meets whom is not known: it becomes too large, or calls do not meet. Exit
/// code 2.
class UnknownMeetings final : public Error {
 public:
  explicit UnknownMeetings(const UsageError& error) : Error(error.code(), error.text()) {}
};

/// How many ops a program may still get; shared by its processes.
class OpBudget final {
 public:
  explicit OpBudget(std::size_t most) : most_(most) {}
  /// Throws UnknownMeetings, naming `origin`, beyond the most.
  void spend(const Origin& origin, std::size_t count = 1) {
    spent_ += count;
    if (spent_ > most_) refuse(origin);
  }

 private:
  [[noreturn]] void refuse(const Origin& origin) const;

  std::size_t most_;
  std::size_t spent_ = 0;
};

/// The ops of one process while they are written.
class OpList final {
 public:
  OpList(OpBudget& budget, const std::vector<Origin>& origins) : budget_(&budget), origins_(&origins) {}

  void add(const Op& op) {
    budget_->spend((*origins_)[op.origin]);
    ops_.push_back(op);
  }
  /// The same, begun only; the number of its request.
  std::uint32_t begin(Op op) {
    op.request = requests_++;
    add(op);
    return op.request;
  }
  void wait(std::uint32_t request, std::uint32_t origin) {
    add({.request = request, .origin = origin, .kind = OpKind::wait});
  }

  const std::vector<Op>& ops() const { return ops_; }
  std::vector<Op> take_ops() { return std::exchange(ops_, {}); }
  std::uint32_t requests() const { return requests_; }

 private:
  OpBudget* budget_;
  const std::vector<Origin>* origins_;
  std::vector<Op> ops_;
  std::uint32_t requests_ = 0;
};

}  // namespace loadshare::timing_graph
