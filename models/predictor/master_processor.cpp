#include "models/predictor/master_processor.hpp"

#include <algorithm>

namespace loadshare::predictor {

double MasterProcessor::do_serve_s(double start_s, double work_s) {
  if (is_computing_ && start_s > own_from_s_)
    own_left_s_ = std::max(0.0, own_left_s_ - processor_.run_s(own_from_s_, start_s));
  free_at_s_ = processor_.finish_s(start_s, work_s);
  own_from_s_ = std::max(own_from_s_, free_at_s_);
  busy_s_ += work_s;
  return free_at_s_;
}

void MasterProcessor::begin_own(double at_s, double work_s) {
  is_computing_ = true;
  own_from_s_ = std::max(at_s, free_at_s_);
  own_left_s_ = work_s;
}

void MasterProcessor::end_own() {
  is_computing_ = false;
  processor_.finish_s(own_from_s_, own_left_s_);
}

}  // namespace loadshare::predictor
