#pragma once

#include <cstdint>

#include "models/efficiency/waiting/calls.hpp"
#include "models/program/reconstruction/traces.hpp"
#include "profiler/profile.hpp"

namespace loadshare::reconstruction {

/// What of a rank's time counts, as its program says by MPI_Pcontrol, and how much of that lies between
/// calls.
class CountedTime final {
 public:
  explicit CountedTime(const profile::RankProfile& rank);

  static bool is_control(const profile::Event& event);
  void take_control(const profile::Event& event);
  bool counts() const { return counts_; }

  /// A call that counts. Those that found out nothing are made again until they do: a nap between two such is
  /// no computing.
  void take_call(const profile::Event& event, bool is_in_vain);
  /// A rank that exchanges with itself copies, which is computing: no message takes that time.
  void take_copying(const profile::Event& event);
  /// The seconds of computing since this was asked last.
  double take_computing_s();
  /// The share of the time inside MPI that nobody stole.
  double granted_inside() const { return waiting::granted_inside(counted_); }

  /// To be called behind the last call: tells `trace` when it began and ended, what of it does not count, and
  /// what was computed at the end. Throws UsageError where nothing counts.
  void finish(Trace& trace);

 private:
  bool counts_from_begin() const;
  double since_last_s(std::int64_t now_ns) const;
  void begin(std::int64_t now_ns);
  void end(std::int64_t now_ns);

  const profile::RankProfile& rank_;
  profile::Portion counted_;
  std::int64_t last_end_ns_;
  bool last_was_in_vain_ = false;
  bool counts_ = false;
  bool has_begun_ = false;
  double computing_s_ = 0;
  double copying_s_ = 0;
  double begin_s_ = 0;
  double end_s_ = 0;
  double left_out_s_ = 0;
};

}  // namespace loadshare::reconstruction
