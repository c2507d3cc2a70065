#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/error.hpp"
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
  Index whole(const std::string& name) const;
  std::optional<Index> whole_if_set(const std::string& name) const {
    return parameters_.contains(name) ? std::optional(whole(name)) : std::nullopt;
  }

  std::string encode() const;
  /// The same without what was measured: jobs with the same text are the same. On the master, who described
  /// it.
  std::string identity() const;
  /// Its parameters without what was measured.
  std::map<std::string, std::string> lasting() const;
  /// Reads a text that `encode` made. Throws Error if it is another text.
  static JobDescription decode(const std::string& text);

 private:
  static Error unreadable(const std::string& why);

  std::string application_;
  std::map<std::string, std::string> parameters_;
  std::set<std::string> measured_;  // of these; is not sent
};

/// What came of looking at a run's result; `is_right` is nothing where nobody looked.
struct Verdict {
  std::optional<bool> is_right;
  std::string wrong = {};  ///< what or where, if something is: "row 17 (1 of 60)"
  std::string judge = {};  ///< who says so: ", says the full check"
};
/// What somebody found who looked; empty: nothing.
inline Verdict verdict_of(const std::string& wrong) {
  return {wrong.empty(), wrong};
}

/// A loop from its data to its result, as Farm::run takes each rank through it. The master alone opens,
/// fills and looks at data; what it throws there, an Error or not, every rank throws.
class Job {
 public:
  virtual ~Job() = default;

  virtual std::string application() const = 0;
  virtual std::string_view iteration_name() const { return "iterations"; }
  virtual std::string result_name() const { return "the result"; }
  virtual std::string result_file() const { return {}; }  ///< where it is stored; empty: nowhere
  /// On the master: finds out whatever can be wrong, and says what the others must know.
  virtual void describe(JobDescription& description) = 0;
  /// On every rank: takes memory of the farm's and makes the workload, of what the description says alone.
  /// The workload must live until the job is over.
  virtual Workload& make(const JobDescription& description, Farm& farm) = 0;
  /// On the master, once every rank has its workload: writes the inputs.
  virtual void fill() {}

  /// On the master, after the run, in this order.
  virtual Verdict verify() { return {}; }
  virtual void tell(RunRecord&) const {}  ///< what was computed, and how
  virtual void store() {}                 ///< where it is not wrong
};

}  // namespace loadshare
