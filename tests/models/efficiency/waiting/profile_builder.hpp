#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/efficiency/waiting/calls.hpp"
#include "models/efficiency/waiting/wait_states.hpp"
#include "profiler/calls.hpp"
#include "profiler/profile.hpp"

namespace loadshare::waiting {

constexpr std::int64_t s = 1'000'000'000;  // in nanoseconds

struct Interval {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// The ranks and data that a call or a part names.
struct Envelope {
  int peer = -1;
  int tag = -1;
  std::uint16_t communicator = 0;
  std::uint64_t bytes = 0;
};

/// Builds artificial profiles call by call. A rank's time outside MPI is the rest of [0, end] besides its
/// calls.
class ProfileBuilder {
 public:
  explicit ProfileBuilder(int ranks);

  /// Another communicator; members empty: not known.
  std::uint16_t communicator(std::vector<int> members);

  EventId call(int rank, profile::CallId call, Interval when, Envelope envelope = {});

  /// A call that makes a request, of the number that is left in `last_request`.
  EventId start(int rank, profile::CallId call, Interval when, Envelope envelope = {});
  /// A call that does something to that request, or goes on with that message.
  EventId same_request(int rank, profile::CallId call, Interval when, Envelope envelope = {});
  std::uint32_t last_request() const { return last_request_; }

  /// Adds unsuccessful tests from begin to end, with `inside_ns` of that inside MPI.
  EventId in_vain(int rank, profile::CallId call, Interval when, std::int64_t inside_ns);

  /// Sets the place of the rank's last call, which is otherwise unknown. Call before adding its parts.
  void place(int rank, std::uint32_t place);

  /// Parts of the rank's last call.
  void received(int rank, Envelope envelope, std::uint32_t request = 0);
  void completed(int rank, std::uint32_t request);
  void member(int rank, int peer);

  profile::RankProfile& rank(int rank) { return profile_.ranks.at(static_cast<std::size_t>(rank)); }

  /// The profile so far, each rank's from 0 to `end_ns` and the sums those of its calls.
  profile::Profile built(std::int64_t end_ns);

 private:
  void part(int rank, profile::Part part, Envelope envelope, std::uint32_t request);

  profile::Profile profile_;
  std::uint32_t last_request_ = 0;
};

/// Returns how long a rank waited for this reason.
std::int64_t waited_ns(const profile::Profile& profile, std::uint32_t rank, WaitState state);

/// Returns how long all ranks were in calls whose waiting is unknown.
double all_untold_s(const profile::Profile& profile);

}  // namespace loadshare::waiting
