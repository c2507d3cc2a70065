#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "runtime/transport/mpi/check.hpp"

namespace loadshare::mpi {

/// Many requests of which any may complete next, each with a key to know it by. One call looks at all of
/// them, since each look moves all of MPI on, which costs a guest's processor more than the looking.
class RequestSet {
 public:
  /// Where MPI writes a new request, to be used at once.
  MPI_Request* add(std::size_t key) {
    keys_.push_back(key);
    ++pending_;
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }
  bool is_empty() const { return pending_ == 0; }

  /// Calls `on_complete(key, source)` for each that has completed; it may add others. Returns whether any
  /// had.
  template <class OnComplete>
  bool take_completed(OnComplete&& on_complete) {
    if (pending_ == 0) return false;
    int count = 0;
    places_.resize(requests_.size());
    statuses_.resize(requests_.size());
    check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, places_.data(),
                       statuses_.data()),
          "MPI_Testsome");
    if (count <= 0) return false;
    pending_ -= static_cast<std::size_t>(count);
    completed_.clear();
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      completed_.push_back({keys_[static_cast<std::size_t>(places_[at])], statuses_[at].MPI_SOURCE});
    }
    forget_completed();
    for (const Completed& one : completed_) on_complete(one.key, one.source);
    return true;
  }

  /// Gives up receives that nobody will answer.
  void cancel() {
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      check(MPI_Cancel(&request), "MPI_Cancel");
      check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
    requests_.clear();
    keys_.clear();
    pending_ = 0;
  }

 private:
  struct Completed {
    std::size_t key;
    int source;
  };

  void forget_completed() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      keys_[kept++] = keys_[i];
    }
    requests_.resize(kept);
    keys_.resize(kept);
  }

  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> keys_;
  std::size_t pending_ = 0;
  std::vector<int> places_;
  std::vector<MPI_Status> statuses_;
  std::vector<Completed> completed_;
};

}  // namespace loadshare::mpi
