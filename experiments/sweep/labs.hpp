#pragma once

#include <string>
#include <vector>

#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// The name of the lab that an experiment runs in. Throws UsageError where its file is no lab's, or has fewer
/// hosts than the experiment asks for ranks.
std::string lab_of(const Experiment& experiment);

/// The labs of a sweep: brings up those that are not, and takes those down again at its end, however it ends.
/// The lab itself keeps for whom it is up, so that this holds for a sweep that is killed and goes on later,
/// too. Works through the tool as a program.
class Labs {
 public:
  /// `user` is the name under which the labs know the sweep: its folder.
  Labs(std::string tool, std::string user) : tool_(std::move(tool)), user_(std::move(user)) {}
  Labs(const Labs&) = delete;
  Labs& operator=(const Labs&) = delete;
  ~Labs();

  /// Has the lab of this file up. Throws Error (run_failed) with the tool's own words where it cannot be.
  void need(const std::string& lab_file);
  /// Brings nothing up, but takes it down at the end where an earlier sweep of this folder left it up.
  void leave(const std::string& lab_file);

 private:
  std::string tool_;
  std::string user_;
  std::vector<std::string> names_;
};

}  // namespace loadshare::sweep
