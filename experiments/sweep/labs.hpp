#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// The name that a lab's file gives it; throws UsageError.
std::string lab_name(const std::string& lab_file);

/// The labs of a sweep: brings up those that are not, and takes those down again at its end, however it ends.
/// Works through the tool as a program.
class Labs {
 public:
  explicit Labs(std::string tool) : tool_(std::move(tool)) {}
  Labs(const Labs&) = delete;
  Labs& operator=(const Labs&) = delete;
  ~Labs();

  /// Has the lab of this file up. Throws Error (run_failed) with the tool's own words where it cannot be.
  void need(const std::string& lab_file);

 private:
  std::string tool_;
  std::vector<std::string> brought_up_;
};

}  // namespace loadshare::sweep
