#include "models/predictor/processor.hpp"

#include <limits>

namespace loadshare::predictor {

double Processor::finish_limited_s(double ready_s, double work_s) {
  limit_->idle_until(ready_s);
  limit_->run(work_s, std::numeric_limits<double>::infinity());
  return limit_->now_s();
}

double Processor::run_s(double from_s, double to_s) {
  if (!limit_) return availability_.work_s(from_s, to_s);
  limit_->idle_until(from_s);
  return limit_->run(std::numeric_limits<double>::infinity(), to_s);
}

}  // namespace loadshare::predictor
