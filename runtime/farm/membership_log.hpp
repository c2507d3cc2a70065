#pragma once

#include <vector>

#include "runtime/dispatch/decision.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

/// Keeps account of who came and went during a run, and of what became of every chunk that was given. Pure:
/// told by the master's loop, in the order in which things happen.
class MembershipLog {
 public:
  /// `held`: what the worker had just before.
  void happened(MemberEvent::What what, WorkerId worker, double now_s,
                const std::vector<Assignment>& held = {});

  void given(WorkerId worker, const Assignment& assignment, double now_s);
  /// `twice`: how many of its iterations did not count, because another's had counted before.
  void returned(bool counts, Index twice) {
    ++(counts ? record_.counted : record_.second);
    reissue_.twice += twice;
  }
  void failed() { ++record_.failed; }
  void handed_back() { ++record_.handed_back; }

  /// Of a run that began at `start_s`; `left`: chunks that are still out.
  MembershipRecord record(double start_s, Index left) const;
  /// Its counts of iterations, `again` and `twice`.
  const ReissueRecord& reissue() const { return reissue_; }

 private:
  MembershipRecord record_;
  ReissueRecord reissue_;
  std::vector<Chunk> missing_;  // with whom they are cannot be relied on, and nobody else has them yet
};

}  // namespace loadshare
