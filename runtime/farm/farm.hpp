#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "runtime/farm/job.hpp"
#include "runtime/farm/loop_checks.hpp"
#include "runtime/farm/loops.hpp"
#include "runtime/farm/options.hpp"
#include "runtime/farm/workload.hpp"
#include "runtime/records/records.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// Who watches every loop of a farm; this one, where nobody else does.
class FarmObserver {
 public:
  virtual ~FarmObserver() = default;
  /// On the master, before anything is done for a loop; what this throws, every rank throws.
  virtual void begins(const Job&) {}
  /// On the master, then: what the loop is of; ditto.
  virtual void described(const JobDescription&) {}
  /// On every rank, before a loop runs: how it is to go, where its caller gave these.
  virtual RunControls controls(Workload&, const RunControls& given) { return given; }
  /// On the master, after it did: has the job look at its result, tell of it and store it. Ditto.
  virtual void ended(RunRecord& record, Job& job);
};

/// A master and its workers: threads of this process, or, under mpirun or srun, MPI ranks. The one entry
/// point of the runtime. Every rank makes one, with the same options, and has it run the same jobs; on the
/// master that does the work, elsewhere it takes part in it.
///
/// A loop is run by `map`, `reduce` or `for_chunks`; `run` is for who wants all. No code is sent: every rank
/// runs the same program and comes to the same loops in the same order, one after the other: a call from
/// within a loop's body throws UsageError, which ends the loop whatever becomes of failures.
class Farm {
 public:
  /// Throws UsageError on options that make no sense (an unknown scheduler, a master rank that is not there).
  explicit Farm(FarmOptions options, SchedulerTable schedulers = built_in_schedulers());
  ~Farm();
  Farm(Farm&&) noexcept;
  Farm& operator=(Farm&&) = delete;

  /// From now on its loops go as the observer says.
  void set_observer(std::shared_ptr<FarmObserver> observer);

  bool is_master() const;
  Index workers() const;
  const FarmOptions& options() const;

  /// Zeroed memory for `count` values on the master's host, seen by all ranks there: for inputs and results
  /// that workers of that host should use in place. Empty on other hosts. Lives as long as the farm. Every
  /// rank takes the same, in the same order: in Job::make, or before it runs a workload of its own making.
  template <class T>
  std::span<T> resident(std::size_t count) {
    return typed<T>(resident_bytes(count * sizeof(T)));
  }
  /// Zeroed memory for `count` values, one copy on every host: for the shared input.
  template <class T>
  std::span<T> replicated(std::size_t count) {
    return typed<T>(replicated_bytes(count * sizeof(T)));
  }

  /// What the results of the loops from now on follow from besides what they are given and the program's
  /// options, as a file that their bodies read: it decides, on the master, whether a journal is of this job.
  void depends_on(std::span<const std::byte> bytes);
  void depends_on(std::string_view text) { depends_on(std::as_bytes(std::span(text))); }

  /// Copies::never is for bodies with effects that two must not have at the same time. From now on a chunk is
  /// given to another worker only when its holder has returned it, has surely ended, or its lease has run out
  /// (NetworkOptions::lease_s). Otherwise a body may run more than once, also twice at the same time. With
  /// --reissue this holds for unfinished chunks at the tail; over TCP for chunks of a worker that is silent,
  /// cut off, or late to leave. Under either rule a chunk is computed again if its worker was lost with it.
  /// To be called on every rank, between loops; with --reissue the next loop throws UsageError.
  void set_copies(Copies copies);

  /// f(0), f(1), ... f(iterations - 1) as a std::vector<T>, on every rank; how many is what the master says.
  /// `f` may be called by several threads at the same time, and again for an iteration that was computed
  /// before (set_copies). Throws as `run` does.
  template <class T, class F>
  loops::Results<T> map(Index iterations, F&& f);
  /// The same, on the master alone.
  template <class T, class F>
  OnMaster<loops::Results<T>> map(Index iterations, F&& f, Keep keep_on_master);

  /// combine(... combine(combine(init, f(0)), f(1)) ...), on every rank, where `combine` is associative. The
  /// iterations are combined in at most 65,536 blocks, which are the same however many workers there are: so
  /// is the result, bit by bit. How many iterations is what the master says. Of a
  /// block that is left out (FarmOptions::on_failure) nothing is combined.
  template <class T, class F, class Combine>
  T reduce(Index iterations, T init, F&& f, Combine&& combine);

  /// Computes chunks of a loop with data: for_chunks(rows, in(a), shared(x), out(y), body) calls
  /// body(chunk, a's part, all of x, y's part), with spans, in the order in which they were given. Each of
  /// the three may be left out, none be there twice, and what the master says is how many iterations and
  /// values there are. `body` may take a Work& in place of the Chunk, to say how far it is. Throws UsageError
  /// where there are not as many values for each iteration.
  template <class... PartsAndBody>
  RunRecord for_chunks(Index iterations, PartsAndBody&&... parts_and_body);

  /// What these three are made of.
  RunRecord run(const DataLoop& loop);

  /// Takes every rank through a job: the master describes it, all make their workload from that and run it,
  /// and the master verifies and stores what came out. Returns and throws as below; besides, Error(usage)
  /// where ranks run different programs.
  RunRecord run(Job& job);
  /// Computes all iterations of the workload, each exactly once, and returns what there is to tell of it
  /// (on the master; elsewhere an empty record); `app`, `verified`, `operations` and `seed` of the record are
  /// for the caller to fill in. Where the same kind of workload, with as many iterations and bytes, has run
  /// in this farm before, the scheduler begins with what it learned then. Throws Error when a worker failed
  /// (run_failed), the run was interrupted, or no worker is left; on every rank. With re-issue, a rank that
  /// was stopped may read its chunk's input when it wakes: that lies in the farm's memory or outlives the
  /// farm; and the next run waits for that rank. Error(usage) ends all ranks
  /// where one of them has another loop than the master.
  RunRecord run(Workload& workload, const RunControls& controls = {});

  /// Where a program has come by all its loops: waits until every rank has. Throws Error(usage) where one has
  /// more of them than another, on every rank where all are waited for. Each loop begins with the same.
  void end();

 private:
  template <class T>
  static std::span<T> typed(std::span<std::byte> bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  std::span<std::byte> resident_bytes(std::size_t bytes);
  std::span<std::byte> replicated_bytes(std::size_t bytes);

  template <class T, class F>
  std::vector<T> map_into(std::vector<T> values, Index iterations, F&& f, Keep keep);
  template <class T, class F, class Combine>
  void reduce_into(T& init, Index iterations, F& f, Combine& combine);
  template <class... PartsAndBody>
  RunRecord chunks_of(Index iterations, PartsAndBody&&... parts_and_body);

  friend class Lending;  // of program/loadshare.cpp, which alone knows when it is over
  void close();

  class Impl;
  /// Throws UsageError where the farm has been moved away. Where it is closed, the program is told and ended.
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
  bool is_closed_ = false;
};

template <class T, class F>
std::vector<T> Farm::map_into(std::vector<T> values, Index iterations, F&& f, Keep keep) {
  DataLoop loop(iterations);
  loops::add(loop, out(values));
  loop.keep = keep;
  loop.body = [&f](Work& work, std::span<const std::byte>) { loops::fill<T>(work, f); };
  run(loop);
  return values;
}

template <class T, class F>
loops::Results<T> Farm::map(Index iterations, F&& f) {
  if constexpr (loops::require_map<T, F>())
    return map_into(loops::room<T>(is_master() ? iterations : 0), iterations, f, Keep::everywhere);
  else
    return {};
}

template <class T, class F>
OnMaster<loops::Results<T>> Farm::map(Index iterations, F&& f, Keep keep_on_master) {
  if constexpr (loops::require_map<T, F>()) {
    auto values = map_into(loops::room<T>(is_master() ? iterations : 0), iterations, f, keep_on_master);
    if (is_master() || keep_on_master != Keep::on_master) return OnMaster(std::move(values));
  }
  return {};
}

template <class T, class F, class Combine>
T Farm::reduce(Index iterations, T init, F&& f, Combine&& combine) {
  if constexpr (loops::require_reduce<T, F, Combine>()) reduce_into(init, iterations, f, combine);
  return init;
}

template <class T, class F, class Combine>
void Farm::reduce_into(T& init, Index iterations, F& f, Combine& combine) {
  DataLoop loop(loops::blocks_of(iterations));
  loop.combined = &iterations;
  if (loop.iterations < iterations) loop.iteration_name = "blocks";
  using Part = loops::Part<T>;
  auto parts = loops::room<Part>(is_master() ? loop.iterations : 0);
  loops::add(loop, out(parts));
  loop.body = [&](Work& work, std::span<const std::byte>) {
    loops::fill<Part>(work, [&](Index number) {
      const Chunk block = loops::block(number, loops::blocks_of(iterations), iterations);
      return Part{loops::combined<T>(block, f, combine, work), true};
    });
  };
  run(loop);
  for (const Part& part : parts)
    if (part.is_there) init = combine(std::move(init), part.value);
}

template <class... PartsAndBody>
RunRecord Farm::for_chunks(Index iterations, PartsAndBody&&... parts_and_body) {
  if constexpr (loops::require_chunks<PartsAndBody...>())
    return chunks_of(iterations, std::forward<PartsAndBody>(parts_and_body)...);
  else
    return {};
}

template <class... PartsAndBody>
RunRecord Farm::chunks_of(Index iterations, PartsAndBody&&... parts_and_body) {
  auto all = std::forward_as_tuple(parts_and_body...);
  constexpr std::size_t parts = sizeof...(PartsAndBody) - 1;
  return [&]<std::size_t... at>(std::index_sequence<at...>) {
    DataLoop loop(iterations);
    if (!is_master()) (loops::leave_to_master(std::get<at>(all)), ...);
    (loops::add(loop, std::get<at>(all)), ...);
    auto& body = std::get<parts>(all);
    loop.body = [&](Work& work, std::span<const std::byte> shared) {
      if constexpr (loops::takes<decltype(body), Chunk, decltype(std::get<at>(all))...>)
        body(work.chunk(), loops::chunk_of(std::get<at>(all), work, shared)...);
      else
        body(work, loops::chunk_of(std::get<at>(all), work, shared)...);
    };
    return run(loop);
  }
  (std::make_index_sequence<parts>());
}

}  // namespace loadshare
