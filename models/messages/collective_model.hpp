#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/messages/curve.hpp"
#include "models/messages/rooted_model.hpp"

namespace loadshare::communication {

/// What whole collective calls cost, where that was measured: a network that several messages share at once
/// serves them in ways that no pair's times tell.
class CollectiveCosts {
 public:
  virtual ~CollectiveCosts() = default;

  /// From when the last of so many members begins a call (MPI's name in small letters, without MPI_) until
  /// all have ended it, in seconds; nothing where it is not known. `bytes` of allreduce are the vector's, of
  /// allgather each member's block's, of alltoall and alltoallv those of what each member sends to each other
  /// one.
  virtual std::optional<Estimate> time(const std::string& call, int members, double bytes) const = 0;

  /// Of calls whose members leave one by one (`bytes` of bcast and reduce are the vector's, of gather and
  /// scatter each member's block's), by member, counted from the root; nothing where it is not known.
  virtual std::optional<std::vector<MemberTime>> times_by_member(const std::string& /*call*/, int /*members*/,
                                                                 double /*bytes*/) const {
    return std::nullopt;
  }
};

/// One measured call; see CollectiveCosts for what is meant.
struct CollectiveSample {
  std::string call;
  int members = 0;
  double bytes = 0;
  double seconds = 0;
  std::size_t launch = 0;
};

/// Measured calls. Of those in which all leave together a curve over the bytes for each call and number of
/// members, by fit_interpolated(). Between two numbers that were measured times are interpolated, both as
/// logarithms; beyond them nothing is said. The others: see RootedModel.
class CollectiveModel final : public CollectiveCosts {
 public:
  /// Throws UsageError on negative bytes and on times that are not more than 0.
  explicit CollectiveModel(std::span<const CollectiveSample> samples,
                           std::span<const RootedSample> rooted = {});

  /// Calls without bytes take no more than the smallest.
  std::optional<Estimate> time(const std::string& call, int members, double bytes) const override;
  std::optional<std::vector<MemberTime>> times_by_member(const std::string& call, int members,
                                                         double bytes) const override;
  /// The sizes that were measured of it, where one of the two knows it.
  std::optional<SizeRange> measured_bytes(const std::string& call, int members) const;

 private:
  /// The curves of the nearest numbers of members that were measured, both the same where that one was, and
  /// how far from the first to the second `members` lies, in logarithms.
  struct Between {
    const Curve* below = nullptr;
    const Curve* above = nullptr;
    double share = 0;
  };
  std::optional<Between> curves_at(const std::string& call, int members) const;

  std::map<std::string, std::map<int, Curve>> curves_;  ///< by call, then by members
  RootedModel rooted_;
};

}  // namespace loadshare::communication
