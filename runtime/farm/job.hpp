#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "runtime/farm/options.hpp"
#include "runtime/farm/workload.hpp"
#include "runtime/records/records.hpp"

namespace loadshare {

class Farm;

/// What a rank must know to take part in a job, whenever it comes: whose it is, and all that its part of the
/// loop is made of, so that it needs neither a file nor an option of its own. Can be sent.
class JobDescription {
 public:
  explicit JobDescription(std::string application) : application_(std::move(application)) {}

  const std::string& application() const { return application_; }
  void set(const std::string& name, const std::string& value) { parameters_[name] = value; }
  void set(const std::string& name, Index value) { parameters_[name] = std::to_string(value); }
  void set(const std::string& name, std::optional<Index> value) {
    if (value) set(name, *value);
  }

  /// What every run measures anew: it does not tell which job it is.
  void set_measured(const std::string& name, Index value) {
    set(name, value);
    measured_.insert(name);
  }

  /// Throw std::out_of_range where the description has no such parameter.
  const std::string& text(const std::string& name) const { return parameters_.at(name); }
  Index whole(const std::string& name) const { return std::stoll(text(name)); }
  std::optional<Index> whole_if_set(const std::string& name) const {
    return parameters_.contains(name) ? std::optional(whole(name)) : std::nullopt;
  }

  std::string encode() const;
  /// The same without what was measured: jobs with the same text are the same. On the master, who described
  /// it.
  std::string identity() const;
  /// Takes what `encode` made.
  static JobDescription decode(const std::string& text);

 private:
  std::string application_;
  std::map<std::string, std::string> parameters_;
  std::set<std::string> measured_;  // of these; is not sent
};

/// A loop from its data to its result, as Farm::run takes each rank through it. The master alone opens,
/// fills and looks at data; what it throws there, an Error or not, every rank throws.
class Job {
 public:
  virtual ~Job() = default;

  virtual std::string application() const = 0;
  /// On the master: finds out whatever can be wrong, and says what the others must know.
  virtual void describe(JobDescription& description) = 0;
  /// On every rank: takes memory of the farm's and makes the workload, of what the description says alone.
  /// The workload must live until the job is over.
  virtual Workload& make(const JobDescription& description, Farm& farm) = 0;
  /// On the master, once every rank has its workload: writes the inputs.
  virtual void fill() {}
  /// On every rank, before the run: how it is to go.
  virtual RunControls controls(Workload&) { return {}; }
  /// On the master, after the run.
  virtual void finish(RunRecord&) {}
};

}  // namespace loadshare
