#include "runtime/transport/tcp/remote_workers.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/io/process.hpp"
#include "base/io/text.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/tcp/lease.hpp"

namespace loadshare::tcp {
namespace {

bool are_times(const Stamps& stamps) {
  constexpr double rounding_s = 1e-3;  // of a chunk's part
  for (const double time_s : {stamps.received_s, stamps.begun_s, stamps.ended_s, stamps.cpu_s,
                              double{stamps.waited_s}, double{stamps.held_s}})
    if (!is_instant(time_s)) return false;
  return stamps.ended_s >= stamps.begun_s - rounding_s && stamps.cpu_s >= -rounding_s;
}

}  // namespace

RemoteWorkers::RemoteWorkers(Loop& loop, std::uint32_t run, std::uint32_t first_worker, DataLayout& layout,
                             SharedInput& shared, Activity& activity, double lease_s)
    : loop_(loop),
      run_(run),
      first_worker_(first_worker),
      lease_s_(lease_s),
      layout_(layout),
      shared_(run, SharedInput::count_pieces(layout), shared),
      activity_(activity) {}

// --- Who is there

void RemoteWorkers::ready(Member& member, const HeldAt& shared_input) {
  if (is_over_) return member.line->send(Stop{run_});
  if (Process* process = process_of(member)) return come_back(*process, member, shared_input);
  const auto first = static_cast<std::uint32_t>(first_worker_ + workers_.size());
  const auto place = static_cast<std::uint32_t>(processes_.size());
  processes_.push_back({&member,
                        {.rank = member.rank,
                         .host = member.who.host,
                         .address = member.host_address(),
                         .peer = member.line->peer_address(),
                         .first_worker = first,
                         .workers = member.who.workers},
                        {}});
  process_by_rank_[member.rank] = place;
  silence_.add(monotonic_s());
  shared_.add(member.line, member.host(), shared_input);
  member.is_silent = false;
  for (std::uint32_t local = 0; local < member.who.workers; ++local) {
    Worker& worker = workers_.emplace_back();
    worker.process = place;
    worker.local = local;
  }
  member.line->send(Begin{run_, first, lease_s_});
  joins(processes_.back());
}

/// Its connection was cut. It has nothing of what it had, but its workers' numbers.
void RemoteWorkers::come_back(Process& process, Member& member, const HeldAt& shared_input) {
  if (process.member != nullptr || process.has_left || member.who.workers != process.who.workers) return;
  process.member = &member;
  process.who.peer = member.line->peer_address();
  process.is_aside = false;
  for (std::uint32_t local = 0; local < process.who.workers; ++local) {
    Worker& worker = find(number(process, local));
    worker.progress.reset();
    worker.noted.reset();
  }
  const std::size_t place = place_of(process);
  silence_.back(place, monotonic_s());
  shared_.come_back(place, member.line, shared_input);
  member.is_silent = false;
  member.line->send(Begin{run_, process.who.first_worker, lease_s_});
  joins(process);
}

RemoteWorkers::Process* RemoteWorkers::process_of(const Member& member) {
  const auto found = process_by_rank_.find(member.rank);
  return found == process_by_rank_.end() ? nullptr : &processes_[found->second];
}

/// Nothing of one who comes again, until it is ready: what it was is lost.
RemoteWorkers::Process* RemoteWorkers::taking_part(const Member& member) {
  Process* process = process_of(member);
  return process != nullptr && process->member == &member ? process : nullptr;
}

void RemoteWorkers::joins(const Process& process) {
  const Participant& who = process.who;
  for (std::uint32_t local = 0; local < who.workers; ++local) {
    const WorkerName name{.rank = Index{who.rank} + local, .host = who.host, .address = who.peer};
    const Newcomer newcomer{name, who.host + " (" + who.address + ")", host_of(who), number(process, 0)};
    events_.push_back({.worker = number(process, local),
                       .kind = Event::Kind::joined,
                       .newcomer = std::make_shared<const Newcomer>(newcomer)});
  }
}

void RemoteWorkers::tell_of(const Process& process, Event::Kind kind, double deadline_s) {
  for (std::uint32_t local = 0; local < process.who.workers; ++local)
    events_.push_back({.worker = number(process, local), .kind = kind, .deadline_s = deadline_s});
}

void RemoteWorkers::heard(Member& member) {
  const Process* process = taking_part(member);
  if (process == nullptr) return;
  const std::size_t place = place_of(*process);
  if (!silence_.heard(place, loop_.turned_s())) return;
  member.is_silent = false;
  shared_.set_silent(place, false);
  tell_of(*process, Event::Kind::back);
}

void RemoteWorkers::lost(Member& member) {
  if (taking_part(member) == nullptr) return;
  Process& process = *taking_part(member);
  process.who.offset_s = member.offset_s;
  const double gone_at_s = lease_end_s(place_of(process));
  const bool may_compute = has_leases() && !is_idle(process);
  for (std::uint32_t local = 0; local < process.who.workers; ++local) {
    const WorkerId worker = number(process, local);
    note_progress(worker);  // only what it had begun is blamed
    find(worker).progress.reset();
    forget_given(find(worker));
  }
  process.member = nullptr;
  process.inputs.clear();
  silence_.gone(place_of(process));
  if (may_compute)
    tell_of(process, Event::Kind::cut_off, gone_at_s);
  else if (!process.has_left)
    tell_of(process, Event::Kind::lost);
  shared_.lose(place_of(process));
}

/// Nothing is begun while the shared input is on its way, but what is done by what has come of that.
std::optional<RemoteWorkers::Progress> RemoteWorkers::progress_of(const Worker& worker) const {
  const bool has_done_some = worker.progress && worker.progress->done > 0;
  if (has_done_some || processes_[worker.process].member == nullptr) return worker.progress;
  if (!shared_.is_at(worker.process)) return std::nullopt;
  return worker.progress ? worker.progress : surely_begun(worker);
}

void RemoteWorkers::note_progress(WorkerId worker) {
  Worker& its = find(worker);
  const std::optional<Progress> progress = progress_of(its);
  if (!progress || progress == its.noted) return;
  its.noted = progress;
  events_.push_back({.worker = worker,
                     .report = {.id = progress->id},
                     .kind = Event::Kind::progressed,
                     .done = progress->done});
}

/// Its oldest chunk, where nothing long had to come first.
std::optional<RemoteWorkers::Progress> RemoteWorkers::surely_begun(const Worker& worker) const {
  const auto oldest = std::ranges::find(worker.given, false, &Given::is_back);
  if (oldest == worker.given.end()) return std::nullopt;
  const ChunkId id = oldest->assignment.id;
  const bool is_going = std::ranges::any_of(processes_[worker.process].inputs, [&](const Transfer& input) {
    return input.task.worker == worker.local && input.task.id == id;
  });
  if (is_going || layout_.input_bytes(oldest->assignment.chunk) > short_input_bytes) return std::nullopt;
  return Progress{id, 0};
}

/// But for what came back and is yet to be handled.
void RemoteWorkers::forget_given(Worker& worker) {
  std::erase_if(worker.given, [](const Given& given) { return !given.is_back; });
  worker.spare.clear();
}

bool RemoteWorkers::is_idle(const Process& process) const {
  const auto own = workers_.begin() + static_cast<std::ptrdiff_t>(process.who.first_worker - first_worker_);
  return std::all_of(own, own + process.who.workers,
                     [](const Worker& worker) { return std::ranges::all_of(worker.given, &Given::is_back); });
}

/// How long it may be quiet.
double RemoteWorkers::expected_s(std::size_t which) const {
  const Process& process = processes_[which];
  if (is_idle(process)) return SilenceWatch::least_idle_s;
  double longest_s = 0;
  for (std::uint32_t local = 0; local < process.who.workers; ++local)
    longest_s = std::max(longest_s, activity_.expected_s(number(process, local)));
  return longest_s;
}

void RemoteWorkers::look() {
  constexpr double look_again_s = 0.05;
  const double now_s = loop_.turned_s();
  if (is_over_ || now_s < looks_at_s_) return;
  looks_at_s_ = now_s + look_again_s;
  silence_.look(
      now_s, [this](std::size_t process) { return expected_s(process); },
      [this](std::size_t process) {
        processes_[process].member->is_silent = true;
        shared_.set_silent(process, true);
        tell_of(processes_[process], Event::Kind::silent);
      });
  if (has_leases()) end_leases(now_s);
  for (std::uint32_t place = 0; place < workers_.size(); ++place)
    note_progress(WorkerId{first_worker_ + place});
}

/// When the lease of a process has surely run out at the process itself, on the master's clock.
double RemoteWorkers::lease_end_s(std::size_t process) const {
  return silence_.heard_s(process) + given_again_after_s(lease_s_);
}

/// Ends connections whose lease has run out. A process that holds nothing needs no lease.
void RemoteWorkers::end_leases(double now_s) {
  for (std::size_t i = 0; i < processes_.size(); ++i)
    if (processes_[i].member != nullptr && now_s >= lease_end_s(i) && !is_idle(processes_[i]))
      processes_[i].member->line->end("its lease has run out");
}

std::vector<RemoteWorkers::Participant> RemoteWorkers::participants() const {
  std::vector<Participant> all;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Process& process = processes_[i];
    Participant& who = all.emplace_back(process.who);
    who.is_there = process.member != nullptr && !process.has_left && !silence_.is_silent(i);
    if (process.member != nullptr) who.offset_s = process.member->offset_s;
    who.is_idle = is_idle(process);
  }
  return all;
}

// --- Who is asked to leave, and who asks

bool RemoteWorkers::leaves(Member& member, double deadline_s) {
  const Process* process = taking_part(member);
  if (process == nullptr || is_over_) return false;
  tell_of(*process, Event::Kind::drained, deadline_s);
  return true;
}

void RemoteWorkers::dismiss(Process& process) {
  if (++process.dismissed < process.who.workers || process.member == nullptr || process.has_left) return;
  hand_back_all(process);
  process.inputs.clear();
  process.member->dismiss();
}

// Numbered by who came first from there.
std::uint32_t RemoteWorkers::host_of(const Participant& who) const {
  const auto first = std::ranges::find_if(processes_, [&who](const Process& other) {
    return other.who.host == who.host && other.who.address == who.address;
  });
  return 1 + static_cast<std::uint32_t>(first - processes_.begin());
}

Listing::State RemoteWorkers::state_of(std::size_t process) const {
  if (silence_.is_silent(process)) return Listing::State::silent;
  if (processes_[process].member->is_leaving) return Listing::State::leaving;
  return processes_[process].is_aside ? Listing::State::set_aside : Listing::State::here;
}

Listing RemoteWorkers::listing(WorkerId worker, const std::string& host) const {
  const Activity::Now now = activity_.now(worker);
  return {.process = 0,
          .host = host,
          .address = {},
          .rank = to_number(worker) + 1,
          .worker = to_number(worker),
          .state = Listing::State::here,
          .computes = now.computes,
          .for_s = now.computes.size > 0 ? monotonic_s() - now.since_s : 0,
          .done = now.done,
          .per_s = now.per_s.value_or(0)};
}

std::vector<Listing> RemoteWorkers::workers_now() const {
  std::vector<Listing> all;
  for (std::uint32_t own = 0; own < first_worker_; ++own) all.push_back(listing(WorkerId{own}, host_name()));
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Process& process = processes_[i];
    if (process.member == nullptr) continue;
    for (std::uint32_t local = 0; local < process.who.workers; ++local) {
      all.push_back(listing(number(process, local), process.who.host));
      all.back().process = process.who.rank;
      all.back().rank = process.who.rank + local;
      all.back().state = state_of(i);
    }
  }
  return all;
}

// --- What the master says

void RemoteWorkers::give(WorkerId worker, const Assignment& assignment) {
  Worker& its = find(worker);
  Process& process = processes_[its.process];
  if (process.member == nullptr) return;  // that it is lost will be heard in a moment
  process.is_aside = false;
  if (is_idle(process)) silence_.given(its.process, loop_.turned_s());
  Given& given = its.given.emplace_back();
  given.assignment = assignment;
  given.result_bytes = layout_.output_bytes(assignment.chunk);
  const TaskName task{run_, its.local, assignment.id};
  process.member->line->send(OrderMessage{task, assignment.chunk});
  if (layout_.input_bytes(assignment.chunk) == 0) return;
  process.inputs.push_back({task, layout_.input(assignment.chunk)});
  process.member->line->wants_to_send();
}

void RemoteWorkers::recall(WorkerId worker, ChunkId id, Recall recall) {
  Worker& its = find(worker);
  if (id == every_chunk) {
    Process& process = processes_[its.process];
    return recall == Recall::unwanted ? dismiss(process) : void(process.is_aside = true);
  }
  Given* given = find(its, id);
  Member* member = processes_[its.process].member;
  if (given == nullptr || member == nullptr) return;
  given->is_unwanted = given->is_unwanted || recall == Recall::unwanted;
  member->line->send(RecallMessage{{run_, its.local, id}, recall});
}

void RemoteWorkers::publish(WorkerId worker, ChunkId id, Chunk part) {
  Given* given = find(find(worker), id);
  if (given == nullptr || given->received_bytes < given->result_bytes)
    throw std::logic_error("a result counts that was not sent");
  bring_to_place(layout_, given->assignment.chunk, part, given->result.fit(given->result_bytes));
}

void RemoteWorkers::release(WorkerId worker, ChunkId id) {
  Worker& its = find(worker);
  const auto given = its.place_of(id);
  if (given == its.given.end()) return;
  const Process& process = processes_[its.process];
  const bool gets_more = process.member != nullptr && !process.has_left;
  if (gets_more && given->received_bytes > 0) its.spare.push_back(std::move(given->result));
  its.given.erase(given);
}

void RemoteWorkers::stop(const std::list<Member>& members) {
  is_over_ = true;
  for (Process& process : processes_) process.inputs.clear();
  for (const Member& member : members) {
    if (process_by_rank_.contains(member.rank)) member.line->send(Stop{run_});
    member.line->own_all();
  }
  loop_.poll();
}

bool RemoteWorkers::send_more(Member& member) {
  Process* process = taking_part(member);
  if (process == nullptr || is_over_) return false;
  return send_input(*process) || shared_.send_more(place_of(*process));
}

bool RemoteWorkers::send_input(Process& process) {
  if (process.inputs.empty()) return false;
  Transfer& input = process.inputs.front();
  const std::size_t bytes = std::min(most_payload_bytes, input.bytes.size() - input.gone);
  process.member->line->send_in_place(InputPart{input.task, input.gone},
                                      input.bytes.subspan(input.gone, bytes));
  input.gone += bytes;
  if (input.gone == input.bytes.size()) process.inputs.pop_front();
  return true;
}

// --- What they say

std::size_t RemoteWorkers::poll(std::span<Event> events) {
  shared_.look_again();
  if (events_.empty()) {  // else what is given for them leaves together
    const bool waits_here_alone = first_worker_ == 0;
    waits_here_alone ? loop_.send() : loop_.poll();  // the wait that follows looks, too
  }
  std::size_t count = 0;
  for (; count < events.size() && !events_.empty(); events_.pop_front())
    events[count++] = std::move(events_.front());
  return count;
}

RemoteWorkers::Worker* RemoteWorkers::find(Process& process, const TaskName& task) {
  if (task.run != run_ || is_over_) return nullptr;
  if (task.worker >= process.who.workers) throw BadFrame("it has no such worker");
  return &find(number(process, task.worker));
}

std::deque<RemoteWorkers::Given>::iterator RemoteWorkers::Worker::place_of(ChunkId id) {
  return std::ranges::find(given, id, [](const Given& one) { return one.assignment.id; });
}

RemoteWorkers::Given* RemoteWorkers::find(Worker& worker, ChunkId id) {
  const auto found = worker.place_of(id);
  return found == worker.given.end() ? nullptr : &*found;
}

void RemoteWorkers::take(Member& member, const Frame& frame) {
  Process* process = taking_part(member);
  if (process == nullptr) return;
  switch (frame.kind) {
    case FrameKind::result:
      return take_part(*process, decode<ResultPart>(frame), frame.payload);
    case FrameKind::wanted:
      return take_answer(*process, decode<SharedAnswer>(frame));
    case FrameKind::report:
      return take_report(*process, decode<ReportMessage>(frame), frame.payload);
    case FrameKind::progress: {
      const auto said = decode<ProgressMessage>(frame);
      if (Worker* worker = find(*process, said.task)) take_progress(*worker, said);
      return;
    }
    case FrameKind::farewell:
      return let_go(*process);
    default:
      throw BadFrame("it sent a message that only a master sends");
  }
}

// Nobody is to blame for what it does not compute any more.
void RemoteWorkers::let_go(Process& process) {
  if (process.has_left) return;
  tell_of(process, Event::Kind::leaves);
  hand_back_all(process);
}

// Under a lease a process may still compute its chunks until it ends, which the master does not learn.
void RemoteWorkers::hand_back_all(Process& process) {
  process.has_left = true;
  if (has_leases()) return;
  for (std::uint32_t local = 0; local < process.who.workers; ++local) {
    find(number(process, local)).spare.clear();
    for (Given& given : find(number(process, local)).given) {
      if (std::exchange(given.is_back, true)) continue;
      Report report{.id = given.assignment.id};
      report.kind = Report::Kind::handed_back;
      events_.push_back({number(process, local), report});
    }
  }
}

/// Progress of a chunk that was taken from the worker is ignored.
void RemoteWorkers::take_progress(Worker& worker, const ProgressMessage& said) {
  const Given* given = find(worker, said.task.id);
  if (given == nullptr) return;
  if (said.done < 0 || said.done > given->assignment.chunk.size)
    throw BadFrame("it reports progress beyond the end of a chunk");
  worker.progress = Progress{said.task.id, said.done};
}

void RemoteWorkers::take_part(Process& process, const ResultPart& part, ByteView payload) {
  Worker* worker = find(process, part.task);
  if (worker == nullptr) return;
  Given* given = find(*worker, part.task.id);
  if (given == nullptr || part.offset != given->received_bytes ||
      payload.size() > given->result_bytes - given->received_bytes)
    throw BadFrame("a result arrived that was not requested");
  if (part.offset == 0 && !worker->spare.empty()) {
    given->result = std::move(worker->spare.back());
    worker->spare.pop_back();
  }
  const std::span<std::byte> place = given->result.fit(given->result_bytes);
  std::memcpy(place.data() + part.offset, payload.data(), payload.size());
  given->received_bytes += payload.size();
}

void RemoteWorkers::take_answer(Process& process, const SharedAnswer& answer) {
  if (answer.run == run_ && !is_over_) shared_.take(place_of(process), answer);
}

void RemoteWorkers::take_report(Process& process, const ReportMessage& report, ByteView payload) {
  Worker* worker = find(process, report.task);
  if (worker == nullptr) return;
  Given* given = find(*worker, report.task.id);
  const bool is_done = report.what == Report::Kind::done;
  const bool may_lack_result = given != nullptr && given->is_unwanted;
  if (given == nullptr || given->is_back ||
      (is_done && given->received_bytes < given->result_bytes && !may_lack_result) ||
      (!is_done && report.what != Report::Kind::failed && report.what != Report::Kind::handed_back))
    throw BadFrame("a report arrived that was not expected");
  if (!are_times(report.stamps)) throw BadFrame("a report contains invalid times");
  given->is_back = true;
  if (worker->progress && worker->progress->id == report.task.id) worker->progress.reset();
  std::shared_ptr<const Failure> failure;
  if (report.what == Report::Kind::failed) {
    const std::string_view why{reinterpret_cast<const char*>(payload.data()), payload.size()};
    const Chunk chunk = given->assignment.chunk;
    const bool is_known = report.failed_at >= chunk.first && report.failed_at < chunk.end();
    failure = std::make_shared<const Failure>(
        Failure::of(why, is_known ? std::optional(report.failed_at) : std::nullopt));
  }
  events_.push_back({.worker = number(process, report.task.worker),
                     .report = {.id = report.task.id,
                                .kind = report.what,
                                .is_timed = report.is_timed,
                                .stamps = report.stamps},
                     .failure = std::move(failure)});
}

}  // namespace loadshare::tcp
