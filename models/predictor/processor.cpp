#include "models/predictor/processor.hpp"

#include <limits>

namespace loadshare::predictor {

double Processor::finish_limited_s(double ready_s, double work_s) {
  limit_->idle_until(ready_s);
  limit_->run(work_s, std::numeric_limits<double>::infinity());
  return limit_->now_s();
}

double Processor::finish_beyond_s(double ready_s, double work_s) {
  const double end_s = availability_.finish_s(ready_s, work_s);
  stretch_ = availability_.stretch_at(end_s);
  return end_s;
}

double Processor::projected_finish_s(double ready_s, double work_s) const {
  if (!limit_) return availability_.finish_s(ready_s, work_s);
  return Processor(*limit_).finish_s(ready_s, work_s);
}

double Processor::run_s(double from_s, double to_s) {
  if (!limit_) return availability_.work_s(from_s, to_s);
  limit_->idle_until(from_s);
  return limit_->run(std::numeric_limits<double>::infinity(), to_s);
}

}  // namespace loadshare::predictor
