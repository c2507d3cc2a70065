#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/efficiency/waiting/matching.hpp"
#include "models/efficiency/waiting/wait_states.hpp"

namespace loadshare::waiting {

/// What others took of the ranks' processors, on the network of no cost.
enum class Theft : std::uint8_t {
  left_out,  ///< each rank computes for as long as it had a processor
  kept,      ///< ... and for as long as it wanted one; in its calls, too
};

/// A run evaluated on a network of no cost: each rank computes between its calls for as long as it did, and a
/// call ends when the last of those has come that it needs. What lies between its length with all theft and
/// that of the run is transfer in the words of the POP project, what lies between the longest computing and
/// it without theft is serialisation (Rosas, Gimenez and Labarta, "Scalability prediction for fundamental
/// performance factors", Supercomputing Frontiers and Innovations 1 (2), 2014; there Dimemas does it).
///
/// A receive needs its send, a send that waits its receive (surely held ones, and those that were seen to), a
/// wait what it completed, and a collective whom its kind waits for; the root of a broadcast needs nobody.
/// Locks are had in the time that they took, and files in theirs: neither is the network's. Calls of which
/// the profile does not tell whom they need, need nobody, so what they took counts as transfer. Linear in the
/// events, but for what collectives of neighbours look up.
class IdealNetwork {
 public:
  explicit IdealNetwork(const Matching& matching, Theft theft = Theft::left_out);

  /// When that instant of a rank's run would have been, in the same unit and from the same begin.
  double instant_ns(std::uint32_t rank, std::int64_t real_ns) const;

  /// Calls that had to be taken for ended since those that they need would never come: the profile lacks
  /// some.
  std::uint64_t forced() const { return forced_; }

 private:
  struct Progress {
    std::uint32_t next = 0;    ///< event
    double now_ns = 0;         ///< on the ideal network: as it came, or behind the call before
    std::int64_t real_ns = 0;  ///< in the run, behind the call before
    bool is_in_call = false;
  };
  /// Whom a call needs to have begun; which collective operations all must have come to; what it takes then.
  struct Needs {
    std::vector<EventId> begun;
    std::vector<std::uint32_t> operations;
    double own_ns = 0;
  };
  struct Meeting {
    std::size_t came = 0;
    double latest_ns = 0;
  };

  void go_on(std::uint32_t rank);
  void go_on_all();
  void arrive(std::uint32_t rank, const Call& call);
  bool pass(std::uint32_t rank, const Call& call);
  void leave(std::uint32_t rank, const Call& call, const Needs& needs);
  void wake(std::uint64_t key);
  bool force_one();
  double computing_ns(std::uint32_t rank, std::int64_t real_ns) const;
  double stolen_ns(std::uint32_t rank, const Call& call) const;
  Needs needs_of(std::uint32_t rank, const Call& call) const;
  void add_send(EventId send, const profile::Event& in, Company company, Needs& needs) const;
  void add_receive(EventId receive, Needs& needs) const;
  void add_member(EventId call, Needs& needs) const;
  void add_requests(std::uint32_t rank, const Call& call, Needs& needs) const;
  /// What to wait for next; nothing where all are there.
  std::optional<std::uint64_t> missing_of(const Needs& needs) const;
  bool is_complete(std::uint32_t operation) const;

  const Matching& matching_;
  Theft theft_;
  std::vector<double> granted_;                 ///< the share of a rank's time outside MPI that it has here
  std::vector<double> granted_in_calls_;        ///< the same of what is no waiting in a call
  std::vector<Progress> progress_;              ///< by rank
  std::vector<std::vector<double>> begins_ns_;  ///< by rank and event, on the ideal network; below 0: not yet
  std::vector<std::vector<double>> ends_ns_;
  std::vector<Meeting> meetings_;                                          ///< by collective operation
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> waiting_;  ///< ranks, by what they need
  std::vector<std::uint32_t> ready_;
  std::uint64_t forced_ = 0;
};

}  // namespace loadshare::waiting
