#include "runtime/transport/master_router.hpp"

#include <algorithm>
#include <utility>

namespace loadshare {

std::size_t PresentWorkers::poll(std::span<Event> events) {
  std::size_t count = 0;
  for (; count < events.size() && has_next(); ++next_) {
    const WorkerId worker{static_cast<std::uint32_t>(next_)};
    Newcomer who = all_.value_or(Newcomer{.name = {}, .process = worker});
    who.name.rank = static_cast<Index>(next_) + 1;
    events[count++] = {.worker = worker,
                       .kind = Event::Kind::joined,
                       .newcomer = std::make_shared<const Newcomer>(std::move(who))};
  }
  return count;
}

MasterRouter::MasterRouter(PresentWorkers present, ChannelMaster channels, std::vector<WorkerId> by_channel,
                           Remote* remote)
    : present_(std::move(present)),
      channels_(std::move(channels)),
      by_channel_(std::move(by_channel)),
      remote_(remote) {
  for (std::size_t channel = 0; channel < by_channel_.size(); ++channel) {
    const std::uint32_t worker = to_number(by_channel_[channel]);
    if (worker >= channel_of_.size()) channel_of_.resize(worker + 1, no_channel);
    channel_of_[worker] = channel;
  }
}

// Neither the local workers nor the others take all the room.
std::size_t MasterRouter::poll(std::span<Event> events) {
  constexpr std::size_t rounds_per_look = 64;  // a busy master does not wait
  if (present_.has_next()) return present_.poll(events);
  if (++rounds_ % rounds_per_look == 0) channels_.look();
  if (remote_ == nullptr) return channels_.poll(events, by_channel_);
  const std::size_t count = channels_.poll(events.first((events.size() + 1) / 2), by_channel_);
  return count + remote_->poll(events, count);
}

void MasterRouter::wait(double limit_s) {
  remote_ == nullptr ? channels_.hub().wait(limit_s) : remote_->wait(channels_.hub(), limit_s);
  constexpr std::size_t waits_per_look = 4;  // the clock costs as much as some decisions
  if (++waits_ % waits_per_look == 0 || !channels_.hub().has_report()) channels_.look();
}

void MasterRouter::give(WorkerId worker, const Assignment& assignment) {
  const std::size_t channel = channel_of(worker);
  channel == no_channel ? remote_->give(worker, assignment) : channels_.give(channel, assignment);
}

// A local worker leaves with the master, and is listed nowhere else.
void MasterRouter::recall(WorkerId worker, ChunkId id, Recall recall) {
  const std::size_t channel = channel_of(worker);
  if (channel == no_channel) return remote_->recall(worker, id, recall);
  if (id != every_chunk) channels_.recall(channel, id, recall);
}

void MasterRouter::publish(WorkerId worker, ChunkId id, Chunk part) {
  const std::size_t channel = channel_of(worker);
  channel == no_channel ? remote_->publish(worker, id, part) : channels_.publish(channel, id, part);
}

void MasterRouter::release(WorkerId worker, ChunkId id) {
  const std::size_t channel = channel_of(worker);
  channel == no_channel ? remote_->release(worker, id) : channels_.release(channel, id);
}

void MasterRouter::stop() {
  channels_.hub().stop();
  if (remote_ != nullptr) remote_->stop();
}

std::optional<double> MasterRouter::shared_input_done_s() const {
  return remote_ == nullptr ? std::nullopt : remote_->shared_input_done_s();
}

std::vector<WorkerId> first_workers(std::size_t count) {
  std::vector<WorkerId> workers;
  for (std::uint32_t number = 0; number < count; ++number) workers.push_back(WorkerId{number});
  return workers;
}

}  // namespace loadshare
