#pragma once

#include <string>
#include <vector>

#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// Returns the name of the lab that an experiment runs in. Throws UsageError if its file is not a lab file,
/// or if the lab has fewer hosts than the experiment starts ranks.
std::string lab_of(const Experiment& experiment);

/// The labs of a sweep. Starts the labs that are not up and takes these down when the sweep ends, also after
/// an error. Each lab records its users, so a sweep that was killed and is resumed still takes down its own
/// labs. Runs the tool as a program.
class Labs {
 public:
  /// `user` is the name that the labs record for the sweep: its folder.
  Labs(std::string tool, std::string user) : tool_(std::move(tool)), user_(std::move(user)) {}
  Labs(const Labs&) = delete;
  Labs& operator=(const Labs&) = delete;
  ~Labs();

  /// Starts the lab of this file if it is not up. Throws Error (run_failed) with the tool's own message if
  /// that fails.
  void require(const std::string& lab_file);
  /// Starts nothing, but takes the lab down at the end if an earlier sweep of this folder left it up.
  void adopt(const std::string& lab_file);

 private:
  std::string tool_;
  std::string user_;
  std::vector<std::string> names_;
};

}  // namespace loadshare::sweep
