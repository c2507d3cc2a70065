#include "apps/loadshare/mpi/pair_link.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <span>

#include "apps/loadshare/mpi/collective_group.hpp"
#include "base/error.hpp"
#include "base/statistics.hpp"
#include "experiments/sweep/plan.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare::tool {
namespace {

using communication::ReceivePosted;
using communication::SendMode;
using mpi::check;

/// Whole large pages, however little is asked for.
PageMemory<std::byte> touched_pages(Index bytes, std::byte content) {
  constexpr Index page_bytes = 2 << 20;
  PageMemory<std::byte> memory((bytes / page_bytes + 1) * page_bytes);
  std::fill_n(memory.data(), memory.size(), content);
  return memory;
}

struct SendCall {
  SendMode mode;
  const char* name;
  int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
};

constexpr std::array send_calls{SendCall{SendMode::standard, "MPI_Send", MPI_Send},
                                SendCall{SendMode::buffered, "MPI_Bsend", MPI_Bsend},
                                SendCall{SendMode::synchronous, "MPI_Ssend", MPI_Ssend},
                                SendCall{SendMode::ready, "MPI_Rsend", MPI_Rsend}};

constexpr std::ptrdiff_t recent_round_trips = 31;

/// A buffered message may lie there until its sender is in MPI again, which the next one is not to wait for.
std::size_t buffer_bytes(Index most_bytes) {
  return 2 * (static_cast<std::size_t>(most_bytes) + MPI_BSEND_OVERHEAD);
}

}  // namespace

long times_interrupted() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

PairLink::PairLink(const calibration::Pair& pair, Index most_bytes)
    : comm_(communicator_of({pair.sender, pair.receiver})),
      partner_(1 - comm_.rank()),
      memory_(touched_pages(most_bytes, content_of(comm_.rank()))) {}

void PairLink::send_empty() {
  send_bytes(nullptr, 0);
}

void PairLink::receive_empty() {
  receive_bytes(nullptr, 0);
}

void PairLink::send_bytes(const void* data, std::size_t bytes) {
  check(MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, partner_, control_tag, comm_.get()), "MPI_Send");
}

void PairLink::receive_bytes(void* data, std::size_t bytes) {
  check(MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, partner_, control_tag, comm_.get(),
                 MPI_STATUS_IGNORE),
        "MPI_Recv");
}

MessageReceiver::MessageReceiver(const calibration::Pair& pair, Index most_bytes)
    : link_(std::make_unique<PairLink>(pair, most_bytes)) {}
MessageReceiver::~MessageReceiver() = default;

void MessageReceiver::serve() {
  const double clock_s = measure_clock_s();
  link_->send_bytes(&clock_s, sizeof(clock_s));
  for (VisitRequest request;;) {
    link_->receive_bytes(&request, sizeof(request));
    if (request.is_last) return;
    if (request.burst_messages > 0) {
      receive_burst(request.visit.bytes, request.burst_messages);
      continue;
    }
    const long interrupted = times_interrupted();
    answer_round_trips();
    receive_all(request.visit);
    const long again = times_interrupted() - interrupted;
    link_->send_bytes(&again, sizeof(again));
  }
}

void MessageReceiver::answer_round_trips() {
  for (int i = 0; i < round_trips_a_visit; ++i) {
    link_->receive_empty();
    link_->send_empty();
  }
}

void MessageReceiver::receive_burst(Index bytes, Index messages) {
  std::vector<MPI_Request> requests(static_cast<std::size_t>(messages), MPI_REQUEST_NULL);
  std::byte* to = link_->memory();
  for (MPI_Request& request : requests) {
    check(MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, link_->partner(), PairLink::message_tag,
                    link_->comm(), &request),
          "MPI_Irecv");
    to += bytes;
  }
  link_->send_empty();
  check(MPI_Wait(requests.data(), MPI_STATUS_IGNORE), "MPI_Wait");
  const double first_s = monotonic_s();
  check(MPI_Waitall(static_cast<int>(messages), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  const double took_s = std::max(least_time_s, monotonic_s() - first_s);
  link_->send_bytes(&took_s, sizeof(took_s));
}

void MessageReceiver::receive_all(const Visit& visit) {
  std::vector<ReceivedStamps> received(static_cast<std::size_t>(visit.warm_ups + visit.repetitions));
  const bool is_before = visit.posted == communication::ReceivePosted::before;
  for (ReceivedStamps& stamps : received) {
    stamps = is_before ? receive_posted_before(visit) : receive_posted_after(visit);
    link_->send_empty();
  }
  link_->send_bytes(received.data(), received.size() * sizeof(ReceivedStamps));
}

/// All of it, and it is the partner's.
void MessageReceiver::require_message(const MPI_Status& status, const Visit& visit) {
  int bytes = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  const bool is_partners = bytes == 0 || link_->memory()[bytes - 1] == PairLink::content_of(link_->partner());
  if (bytes != visit.bytes || !is_partners)
    throw Error(ExitCode::run_failed, fmt::format("a message of {} bytes came damaged", visit.bytes),
                fmt::format("{} bytes arrived", bytes), "check MPI and the network");
}

ReceivedStamps MessageReceiver::receive_posted_before(const Visit& visit) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(link_->memory(), static_cast<int>(visit.bytes), MPI_BYTE, link_->partner(),
                  PairLink::message_tag, link_->comm(), &request),
        "MPI_Irecv");
  const double told_s = monotonic_s();
  link_->send_empty();
  MPI_Status status;
  check(MPI_Wait(&request, &status), "MPI_Wait");
  const double received_s = monotonic_s();
  require_message(status, visit);
  return {0, received_s - told_s};
}

ReceivedStamps MessageReceiver::receive_posted_after(const Visit& visit) {
  link_->receive_empty();
  const double announced_s = monotonic_s();
  double begun_s = announced_s;
  while (begun_s - announced_s < visit.stay_s) begun_s = monotonic_s();
  MPI_Status status;
  check(MPI_Recv(link_->memory(), static_cast<int>(visit.bytes), MPI_BYTE, link_->partner(),
                 PairLink::message_tag, link_->comm(), &status),
        "MPI_Recv");
  const double received_s = monotonic_s();
  require_message(status, visit);
  return {begun_s - announced_s, received_s - begun_s};
}

MessageSender::MessageSender(const calibration::Pair& pair, Index most_bytes, double clock_s)
    : link_(std::make_unique<PairLink>(pair, most_bytes)),
      buffer_(std::make_unique<AttachedBuffer>(buffer_bytes(most_bytes))),
      own_clock_s_(clock_s) {
  link_->receive_bytes(&receiver_clock_s_, sizeof(receiver_clock_s_));
}
MessageSender::~MessageSender() = default;

double MessageSender::now_s() const {
  return monotonic_s();
}

/// A visit in whose midst one of the two lost its processor tells of other processes, not of messages. Where
/// that is the rule (a host that is shared, or has a quota) it is what messages cost there.
std::vector<calibration::MessageTiming> MessageSender::visit(const Visit& asked) {
  ++visits_;
  for (Visit visit = asked;;) {
    Attempt made = attempt(visit);
    const bool is_bad = made.is_disturbed && 2 * discarded_.visits < visits_;
    if (!made.timings.empty() && !is_bad) return std::move(made.timings);
    if (is_bad) ++discarded_.visits;
    if (made.timings.empty()) visit.stay_s *= 2;
  }
}

MessageSender::Attempt MessageSender::attempt(const Visit& visit) {
  const long before = times_interrupted();
  const VisitRequest request{visit, 0, false};
  link_->send_bytes(&request, sizeof(request));
  make_round_trips();
  std::vector<SentStamps> sent(static_cast<std::size_t>(visit.warm_ups + visit.repetitions));
  for (SentStamps& stamps : sent) stamps = send(visit);
  Attempt made{timings_of(visit, sent)};
  long receiver_interrupted = 0;
  link_->receive_bytes(&receiver_interrupted, sizeof(receiver_interrupted));
  made.is_disturbed = receiver_interrupted > 0 || times_interrupted() > before;
  return made;
}

std::vector<calibration::MessageTiming> MessageSender::timings_of(const Visit& visit,
                                                                  const std::vector<SentStamps>& sent) {
  std::vector<ReceivedStamps> received(sent.size());
  link_->receive_bytes(received.data(), received.size() * sizeof(ReceivedStamps));
  const Distance between = distance();
  std::vector<calibration::MessageTiming> timings;
  for (auto i = static_cast<std::size_t>(visit.warm_ups); i < sent.size(); ++i)
    if (is_as_asked(visit, sent[i], received[i], between))
      timings.push_back(timing_of(visit, sent[i], received[i], between));
    else
      ++discarded_.messages;
  return timings;
}

double MessageSender::burst_s(const Burst& burst) {
  const VisitRequest request{{.bytes = burst.bytes}, burst.messages, false};
  link_->send_bytes(&request, sizeof(request));
  link_->receive_empty();
  for (Index i = 0; i < burst.messages; ++i)
    check(MPI_Send(link_->memory(), static_cast<int>(burst.bytes), MPI_BYTE, link_->partner(),
                   PairLink::message_tag, link_->comm()),
          "MPI_Send");
  double took_s = 0;
  link_->receive_bytes(&took_s, sizeof(took_s));
  return took_s;
}

void MessageSender::end() {
  const VisitRequest request{{}, 0, true};
  link_->send_bytes(&request, sizeof(request));
}

void MessageSender::make_round_trips() {
  for (int i = 0; i < round_trips_a_visit; ++i) {
    const double begun_s = monotonic_s();
    link_->send_empty();
    link_->receive_empty();
    const double trip_s = monotonic_s() - begun_s;
    if (i > 0) round_trips_s_.push_back(trip_s);  // before the first one both did something else
  }
}

Distance MessageSender::distance() const {
  const std::ptrdiff_t count = std::min(std::ssize(round_trips_s_), recent_round_trips);
  return {median_of(std::span(round_trips_s_).last(static_cast<std::size_t>(count))), own_clock_s_,
          receiver_clock_s_};
}

SentStamps MessageSender::send(const Visit& visit) {
  const SendCall& call = *std::ranges::find(send_calls, visit.mode, &SendCall::mode);
  const double announced_s = monotonic_s();
  if (visit.posted == ReceivePosted::before)
    link_->receive_empty();
  else
    link_->send_empty();
  const double begun_s = monotonic_s();
  const int code = call.send(link_->memory(), static_cast<int>(visit.bytes), MPI_BYTE, link_->partner(),
                             PairLink::message_tag, link_->comm());
  const double returned_s = monotonic_s();
  mpi::check(code, call.name);
  link_->receive_empty();
  return {begun_s - announced_s, returned_s - begun_s};
}

}  // namespace loadshare::tool
