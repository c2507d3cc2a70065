#include "apps/loadshare/calibrate/mpi/message_receiver.hpp"

#include <fmt/format.h>

#include <vector>

#include "apps/loadshare/calibrate/mpi/pair_link.hpp"
#include "runtime/timing/clock.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {

using mpi::check;

MessageReceiver::MessageReceiver(const calibration::Pair& pair, Index most_bytes)
    : link_(std::make_unique<PairLink>(pair, most_bytes)) {}
MessageReceiver::~MessageReceiver() = default;

void MessageReceiver::serve() {
  const double clock_s = measure_clock_s();
  link_->send_bytes(&clock_s, sizeof(clock_s));
  for (Order order;;) {
    link_->receive_bytes(&order, sizeof(order));
    if (order.is_last) return;
    const long interrupted = times_interrupted();
    answer_round_trips();
    receive_all(order.visit);
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

}  // namespace loadshare::tool
