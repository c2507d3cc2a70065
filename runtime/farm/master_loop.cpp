#include "runtime/farm/master_loop.hpp"

#include <algorithm>
#include <utility>

#include "base/chunk_text.hpp"
#include "base/error.hpp"
#include "base/io/text.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare {

namespace {
constexpr double tick_s = 0.1;
constexpr double status_s = 1;

/// Returns advice on an iteration that throws; not the option that is already given.
std::string way_on(const DispatchRules& rules) {
  const std::string retry =
      rules.on_failure == OnFailure::retry ? "" : "--on-failure retry:3 tries it again, ";
  return retry + "--on-failure skip:1 leaves it out";
}

std::string retries_text(const DispatchRules& rules) {
  if (rules.on_failure != OnFailure::retry) return {};
  return " after " + count_text(rules.retries, "retry", "retries");
}

}  // namespace

MasterLoop::MasterLoop(MasterEnd& end, Dispatcher& dispatcher, std::size_t prefetch,
                       const RunControls& controls, std::string iteration_name, KnownWorkers known,
                       LoopJournal* journal, MeasuredChunks::WorkOf work)
    : end_(end),
      dispatcher_(dispatcher),
      controls_(controls),
      iteration_name_(std::move(iteration_name)),
      window_(static_cast<std::uint32_t>(prefetch + 1)),
      known_(std::move(known)),
      journal_(journal),
      chunks_(std::move(work)) {}

void MasterLoop::joined(WorkerId worker, std::shared_ptr<const Newcomer> newcomer) {
  if (to_number(worker) >= workers_.size()) workers_.resize(to_number(worker) + 1);
  workers_[to_number(worker)] = std::move(newcomer);
  const Newcomer& who = *workers_[to_number(worker)];
  aside_.erase(who.process);
  members_.happened(MemberEvent::What::joined, worker, now_s_);
  chunks_.joined(worker);
  const double weight = to_number(worker) < known_.shares.size() ? known_.shares[to_number(worker)] : 1;
  const WorkerFacts facts{.window = window_, .weight = weight, .host = who.host, .process = who.process};
  dispatcher_.joined(worker, facts, now_s_, decisions_);
}

WorkerName MasterLoop::name_of(WorkerId worker) const {
  const std::uint32_t number = to_number(worker);
  if (number < known_.names.size()) return known_.names[number];
  const bool has_joined = number < workers_.size() && workers_[number];  // a loop may end before
  return has_joined ? workers_[number]->name : WorkerName{.rank = Index{number} + 1};
}

void MasterLoop::run() {
  const double cpu_before_s = thread_cpu_s();
  start_s_ = now_s_ = monotonic_s();
  try {
    serve();
    finish_s_ = now_s_;
    if (controls_.on_status) controls_.on_status(status());  // the time after the loop is watched as well
  } catch (...) {
    end_.stop();
    throw;
  }
  end_.stop();
  account_.start_s = start_s_;
  account_.end_s = finish_s_;
  account_.communicating_s = finish_s_ - start_s_ - account_.idle_s;
  account_.waiting_cpu_s = thread_cpu_s() - cpu_before_s;
}

void MasterLoop::serve() {
  drain_if_asked();  // before anything is given
  while (!dispatcher_.is_over()) {
    const std::size_t count = collect();
    for (std::size_t i = 0; i < count; ++i) handle(events_[i]);
    if (now_s_ >= next_tick_s_) tick();
  }
}

std::size_t MasterLoop::collect() {
  // The time is taken after the reports, which may come in while they are looked for: none returns before it
  // has ended.
  std::size_t count = end_.poll(events_);
  now_s_ = monotonic_s();
  if (count > 0) return count;
  const double wait_begun_s = now_s_;
  end_.wait(tick_s);
  count = end_.poll(events_);
  now_s_ = monotonic_s();
  account_.idle_s += now_s_ - wait_begun_s;
  return count;
}

void MasterLoop::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::reported:
      return handle_report(event);
    case Event::Kind::progressed:
      return dispatcher_.progressed(event.worker, event.report.id, event.done);
    case Event::Kind::joined:
      joined(event.worker, event.newcomer);
      break;
    case Event::Kind::silent:
      members_.happened(MemberEvent::What::silent, event.worker, now_s_, dispatcher_.held(event.worker));
      dispatcher_.silent(event.worker, now_s_, decisions_);
      break;
    case Event::Kind::back:
      members_.happened(MemberEvent::What::back, event.worker, now_s_);
      dispatcher_.heard(event.worker, now_s_, decisions_);
      break;
    case Event::Kind::leaves:
      members_.happened(MemberEvent::What::left, event.worker, now_s_, dispatcher_.held(event.worker));
      dispatcher_.leaving(event.worker, now_s_, now_s_, decisions_);
      break;
    case Event::Kind::drained:
      members_.happened(MemberEvent::What::drained, event.worker, now_s_);
      dispatcher_.leaving(event.worker, event.deadline_s, now_s_, decisions_);
      drained_.push_back(event.worker);
      break;
    case Event::Kind::lost:
      std::erase(drained_, event.worker);
      members_.happened(MemberEvent::What::lost, event.worker, now_s_, dispatcher_.held(event.worker));
      dispatcher_.lost(event.worker, now_s_, decisions_);
      break;
    case Event::Kind::cut_off:
      std::erase(drained_, event.worker);
      say_that_a_lease_runs(event);
      members_.happened(MemberEvent::What::lost, event.worker, now_s_, dispatcher_.held(event.worker));
      dispatcher_.cut_off(event.worker, event.deadline_s, now_s_, decisions_);
      break;
  }
  carry_out();
}

void MasterLoop::handle_report(const Event& event) {
  const ChunkId id = event.report.id;
  const std::optional<Dispatcher::Holding> holding = dispatcher_.holding(event.worker, id);
  if (event.report.kind == Report::Kind::done) return returned(event, holding);
  end_.release(event.worker, id);
  const bool is_held = holding && !dispatcher_.is_over();
  if (event.report.kind == Report::Kind::failed) {
    failure_ = *event.failure;
    if (is_failure(failure_.text.data())) throw_if_failed(failure_.text.data());
    failure_ = Failure::of(printable(failure_.text.data()), failure_.iteration());
    if (is_held) members_.failed();
    dispatcher_.failed(event.worker, id, failure_.iteration(), now_s_, decisions_);
  } else if (is_held) {
    members_.handed_back();
    dispatcher_.handed_back(event.worker, id, holding->chunk, now_s_, decisions_);
  }
  carry_out();
}

void MasterLoop::returned(const Event& event, const std::optional<Dispatcher::Holding>& holding) {
  const Stamps& stamps = event.report.stamps;
  const bool is_timed = event.report.is_timed != 0;
  ChunkTimes times;
  if (is_timed) {
    times.waiting_s = stamps.waited_s;
    times.compute_s = stamps.ended_s - stamps.begun_s - *times.waiting_s;
    times.held_s = stamps.held_s;
  }
  const bool is_held = holding && !dispatcher_.is_over();  // else it is left over
  dispatcher_.returned(event.worker, event.report.id, times, now_s_, decisions_);
  const Index counted = publish(event.worker, event.report.id);
  const bool is_first = counted > 0;
  chunks_total_ += is_first ? 1 : 0;
  if (is_held) members_.returned(is_first, holding->chunk.size - counted);
  carry_out();
  if (!is_timed || !holding) return;
  const double received_s = stamps.received_s > 0 ? stamps.received_s : holding->assigned_s;
  chunks_.add({holding->chunk, event.worker, holding->assigned_s, received_s, stamps.begun_s, stamps.ended_s,
               now_s_, stamps.cpu_s, !is_first, stamps.waited_s});
}

/// Moves the part of the result that counts to its place, before the memory where it landed is given away
/// again. Returns the number of its iterations.
Index MasterLoop::publish(WorkerId worker, ChunkId id) {
  Index counted = 0;
  for (const Decision& decision : decisions_) {
    if (decision.kind != Decision::Kind::publish) break;
    counted += decision.chunk.size;
    if (decision.landing == Landing::aside) {
      end_.publish(worker, id, decision.chunk);
      now_s_ = monotonic_s();  // only now is it at its place
    }
    if (journal_ != nullptr) journal_->finished(decision.chunk);
  }
  end_.release(worker, id);
  return counted;
}

void MasterLoop::carry_out() {
  for (const Decision& decision : decisions_) switch (decision.kind) {
      case Decision::Kind::give:
        members_.given(decision.worker, decision.assignment(), now_s_);
        if (!aside_.empty()) aside_.erase(workers_[to_number(decision.worker)]->process);
        end_.give(decision.worker, decision.assignment());
        break;
      case Decision::Kind::recall:
        end_.recall(decision.worker, decision.id, Recall::not_begun);
        break;
      case Decision::Kind::cancel:
        if (!decision.is_copy) ++saved_[decision.worker];
        end_.recall(decision.worker, decision.id, Recall::unwanted);
        break;
      case Decision::Kind::skip:
        skipped_.push_back({decision.chunk.first, decision.worker,
                            decision.ending == Ending::culprit ? "every process that began it was lost"
                                                               : failure_.text.data()});
        break;
      case Decision::Kind::end:
        end(decision);
        break;
      case Decision::Kind::set_aside:
        set_aside(decision.worker);
        break;
      case Decision::Kind::wait:
        say_that_nobody_is_there();
        break;
      case Decision::Kind::publish:  // done before
      case Decision::Kind::discard:  // the memory where it landed is never read
        break;
    }
  decisions_.clear();
}

// Where nobody can come, the end has been decided, too.
void MasterLoop::say_that_nobody_is_there() const {
  if (controls_.on_note && !dispatcher_.is_over())
    controls_.on_note("no worker is connected: waiting for one (" + done_text() + ")");
}

void MasterLoop::say_that_a_lease_runs(const Event& event) const {
  const std::vector<Assignment> held = dispatcher_.held(event.worker);
  if (!controls_.on_note || held.empty() || event.deadline_s <= now_s_) return;
  controls_.on_note(text_of(name_of(event.worker)) + " was lost, but may still compute " +
                    chunk_text(held.front().chunk) +
                    (held.size() > 1 ? " and " + std::to_string(held.size() - 1) + " more" : "") +
                    ": other workers get that in " + duration_text(event.deadline_s - now_s_) +
                    ", when its lease has run out");
}

void MasterLoop::set_aside(WorkerId worker) {
  members_.happened(MemberEvent::What::set_aside, worker, now_s_, dispatcher_.held(worker));
  end_.recall(worker, every_chunk, Recall::not_begun);
  const Newcomer& who = *workers_[to_number(worker)];
  const bool is_first = aside_.insert(who.process).second;
  const std::string_view why = failure_.text.data();
  if (controls_.on_note && is_first)
    controls_.on_note(who.process_name + " gets no more work: everything fails there" +
                      (why.empty() ? "" : " (latest error: " + std::string(why) + ")"));
}

MembershipRecord MasterLoop::membership() const {
  Index left = 0;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) left += dispatcher_.held_count(WorkerId{i});
  return members_.record(start_s_, left);
}

ReissueRecord MasterLoop::reissue() const {
  ReissueRecord record = members_.reissue();
  record.saved = saved_;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    record.copies += dispatcher_.contribution(WorkerId{i}).copies;
    record.first += dispatcher_.contribution(WorkerId{i}).copies_first;
  }
  return record;
}

std::string MasterLoop::chunk_text(Chunk chunk) const {
  return loadshare::chunk_text(iteration_name_, chunk);
}

std::string MasterLoop::done_text() const {
  return std::to_string(dispatcher_.committed()) + " of " + std::to_string(dispatcher_.iterations()) + " " +
         iteration_name_ + " were in finished chunks";
}

void MasterLoop::end(const Decision& decision) {
  if (decision.ending == Ending::failed)
    throw Error(ExitCode::run_failed,
                text_of(name_of(decision.worker)) + " failed on " + chunk_text(decision.chunk) +
                    retries_text(dispatcher_.rules()),
                std::string(failure_.text.data()) + "; " + done_text(), way_on(dispatcher_.rules()));
  if (decision.ending == Ending::culprit)
    throw Error(ExitCode::workers_lost, "workers were lost with " + chunk_text(decision.chunk),
                "every process that began it was lost; " + done_text(),
                "compute it alone to see why; --on-failure skip leaves it out, --crash-limit 0 keeps trying");
  if (decision.ending == Ending::stranded)
    throw Error(ExitCode::workers_lost, "no worker is left", done_text());
  if (decision.ending == Ending::drained)
    throw Error(ExitCode::drained, "drained, as requested",
                done_text() + (journal_ != nullptr ? ", and are in the journal" : ""),
                journal_ != nullptr ? "start the run again with --resume to compute the rest" : "");
}

// A body may not notice the interruption before its chunk ends. The error reports the progress within chunks,
// or, if bodies report none, the iterations of chunks that had begun.
void MasterLoop::end_interrupted() const {
  if (controls_.on_note)
    controls_.on_note(
        "interrupted: iterations being computed finish first; a second Ctrl-C or signal ends the run "
        "immediately");
  const Index not_ended = dispatcher_.done() - dispatcher_.committed();
  const Index begun = progress().iterations_in_work();
  std::string text = done_text();
  if (not_ended > 0)
    text += ", and " + std::to_string(not_ended) + " more in chunks that had not ended";
  else if (begun > 0)
    text += "; unfinished chunks contain " + std::to_string(begun) + " more";
  throw Error(ExitCode::interrupted, "interrupted", text);
}

void MasterLoop::drain_if_asked() {
  if (is_draining_ || controls_.draining == nullptr || !controls_.draining->load()) return;
  is_draining_ = true;
  if (controls_.on_note)
    controls_.on_note("draining: no more chunks are given out, and those being computed finish first");
  dispatcher_.drain(decisions_);
  carry_out();
}

void MasterLoop::dismiss_who_may_go() {
  std::erase_if(drained_, [this](WorkerId worker) {
    if (!dispatcher_.may_go(worker)) return false;
    members_.happened(MemberEvent::What::left, worker, now_s_, dispatcher_.held(worker));
    end_.recall(worker, every_chunk, Recall::unwanted);
    return true;
  });
}

void MasterLoop::tick() {
  next_tick_s_ = now_s_ + tick_s;
  if (controls_.interrupted != nullptr && controls_.interrupted->load()) end_interrupted();
  drain_if_asked();
  dispatcher_.tick(now_s_, decisions_);
  dismiss_who_may_go();  // before what it held is given to others, so that this counts as given again
  carry_out();
  tell_of_journal();
  if (controls_.on_progress) controls_.on_progress(progress());
  if (controls_.on_status && now_s_ >= next_status_s_) {
    next_status_s_ = now_s_ + status_s;
    controls_.on_status(status());
  }
}

void MasterLoop::tell_of_journal() const {
  if (journal_ != nullptr && controls_.on_note)
    if (const auto note = journal_->take_note()) controls_.on_note(*note);
}

LoopProgress MasterLoop::progress() const {
  LoopProgress progress{.now_s = now_s_ - start_s_,
                        .done = dispatcher_.done(),
                        .committed = dispatcher_.committed(),
                        .iterations = dispatcher_.iterations(),
                        .in_work = {}};
  for (std::uint32_t i = 0; i < workers_.size(); ++i)
    if (const auto one = dispatcher_.in_work(WorkerId{i}))
      progress.in_work.push_back(
          {WorkerId{i}, one->chunk, std::max(0.0, one->since_s - start_s_), one->done, one->queued});
  return progress;
}

LoopStatus MasterLoop::status() const {
  const MembershipRecord members = membership();
  LoopStatus status{.iteration_name = iteration_name_,
                    .now_s = now_s_ - start_s_,
                    .done = dispatcher_.done(),
                    .iterations = dispatcher_.iterations(),
                    .recovered = journal_ != nullptr ? journal_->recovered() : 0,
                    .given_again = static_cast<Index>(members.given_again.size()),
                    .workers = std::vector<WorkerStatus>(workers_.size())};
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    WorkerStatus& worker = status.workers[i];
    worker.name = name_of(WorkerId{i});
    worker.iterations = dispatcher_.contribution(WorkerId{i}).iterations;
    for (const Assignment& assignment : dispatcher_.held(WorkerId{i}))
      worker.held.push_back(assignment.chunk);
  }
  std::vector<double> came_s(workers_.size());
  for (const MemberEvent& event : members.events) {
    const bool is_first = !std::exchange(status.workers[to_number(event.worker)].event, event.what);
    if (is_first && event.what == MemberEvent::What::joined) came_s[to_number(event.worker)] = event.at_s;
  }
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    WorkerStatus& worker = status.workers[i];
    const double there_s = status.now_s - came_s[i];
    if (worker.is_there() && there_s > 0) worker.per_s = static_cast<double>(worker.iterations) / there_s;
  }
  return status;
}

}  // namespace loadshare
