#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/quantities.hpp"
#include "program/farm_command_line.hpp"
#include "program/run_report.hpp"
#include "runtime/farm/farm.hpp"

namespace loadshare {

/// Throws UsageError if a farm's data, `bytes` on the master's host, do not fit: "`what` needs 3 TiB of
/// memory (22.9 GiB are available on this host) `suggestion`". Call it before anything is allocated.
void require_farm_memory(Bytes bytes, const std::string& what, std::string_view suggestion);

/// The part of all iterations' `values` that is a chunk's, where each iteration has `each` of them; empty
/// where all are (away from the master's host).
template <class T>
std::span<T> part_of_chunk(std::span<T> values, std::size_t each, Chunk chunk) {
  if (values.empty()) return {};
  return values.subspan(static_cast<std::size_t>(chunk.first) * each,
                        static_cast<std::size_t>(chunk.size) * each);
}

/// What a check of a loop's results found.
struct LoopCheck {
  const char* one = "iteration";  ///< what an iteration is called
  Index iterations = 0;
  Index wrong = 0;        ///< how many of them
  Index first_wrong = 0;  ///< if any is

  bool is_right() const { return wrong == 0; }
  void add_wrong(Index iteration) {
    if (wrong++ == 0) first_wrong = iteration;
  }
};

/// "row 17 (1 of 60)", "3 of 60 rows, the first of them 17".
std::string describe_wrong(const LoopCheck& check);

/// A farm's program: a job, and what becomes of its result. All but `make` is called on the master alone.
class Application : public Job {
 public:
  virtual std::string iteration_name() const = 0;
  virtual std::string result_name() const = 0;            ///< "the product"
  virtual std::string result_file() const { return {}; }  ///< where it is stored; empty: nowhere
  virtual std::string judge() const { return {}; }  ///< who says that it is wrong: ", says the full check"
  virtual Verdict verify() = 0;                     ///< tells where it is wrong: "row 17 (1 of 60)"
  virtual void tell(RunRecord& record) const = 0;   ///< what was computed, and how
  virtual void store() {}                           ///< where it is not wrong
};

/// One run of an application on one rank: makes the farm, runs the job in it, and on the master verifies,
/// stores and tells. It is shown while it goes on, and ended in good order by Ctrl-C. Throws Error,
/// everywhere: UsageError where the options ask for what cannot be had; Error(run_failed), after the record
/// was told, where the result is wrong.
void run_application(const RunOptions& options, Application& application);

}  // namespace loadshare
