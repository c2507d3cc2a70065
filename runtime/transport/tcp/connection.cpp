#include "runtime/transport/tcp/connection.hpp"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

namespace loadshare::tcp {
namespace {

/// So much is queued before the socket is asked to take it: enough to keep it busy, little for others to wait
/// behind.
constexpr std::size_t enough_queued_bytes = std::size_t{1} << 20;
/// What one connection sends or reads before others have their turn.
constexpr std::size_t turn_bytes = std::size_t{1} << 22;
/// A host that is cut off is given up after so long.
constexpr int lost_after_s = 15;

Wire::Moved moved(ssize_t result) {
  if (result > 0) return {Wire::Outcome::moved, static_cast<std::size_t>(result)};
  const bool would_block = result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  return {would_block ? Wire::Outcome::would_block : Wire::Outcome::ended};
}

class PlainWire final : public Wire {
 public:
  explicit PlainWire(int socket) : socket_(socket) {}

  Moved read(std::span<std::byte> room) override {
    return moved(recv(socket_, room.data(), room.size(), MSG_DONTWAIT));
  }
  Moved write(std::span<const iovec> parts) override {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts.data());
    message.msg_iovlen = parts.size();
    return moved(sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT));
  }

 private:
  int socket_;
};

void set_option(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof(value));
}

// Of a connection over which nothing goes the kernel asks whether it is there. TCP_USER_TIMEOUT would do the
// same for one with something queued, but takes a host without room to be lost though it answers.
void set_up(int socket) {
  fcntl(socket, F_SETFD, FD_CLOEXEC);  // a process that a body starts would keep the connection open
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, lost_after_s / 3);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, lost_after_s / 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

Answering answering(int socket) {
  tcp_info said{};
  socklen_t bytes = sizeof(said);
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &said, &bytes) != 0) return {};
  return {.quiet_s = 1e-3 * std::min(said.tcpi_last_ack_recv, said.tcpi_last_data_recv),
          .asks_again_s = 1e-6 * said.tcpi_rto,
          .unanswered = said.tcpi_unacked,
          .probes = said.tcpi_probes};
}

std::string address_of(const Socket& socket) {
  std::error_code error;
  const auto end = socket.remote_endpoint(error);
  return error ? "?" : end.address().to_string() + ":" + std::to_string(end.port());
}

}  // namespace

// What was sent this moment has no answer yet; and a host without room is asked at last every two minutes.
bool is_cut_off(const Answering& host) {
  const bool answers_late = host.unanswered > 0 && host.quiet_s > 1.25 * host.asks_again_s;
  return host.quiet_s > lost_after_s && (answers_late || host.probes > 1);
}

std::unique_ptr<Wire> make_plain_wire(int socket) {
  return std::make_unique<PlainWire>(socket);
}

Loop::Loop()
    : ready_(checked(epoll_create1(EPOLL_CLOEXEC), "cannot create an epoll instance")),
      alarm_(checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "cannot create an event")) {
  control(EPOLL_CTL_ADD, alarm_.number(), EPOLLIN);
}

void Loop::control(int operation, int number, std::uint32_t what) {
  epoll_event event{};
  event.events = what;
  event.data.fd = number;
  checked(epoll_ctl(ready_.number(), operation, number, &event), "cannot watch a socket");
}

void Loop::watch(int socket, std::shared_ptr<Connection> connection) {
  const auto place = static_cast<std::size_t>(socket);
  if (watched_.size() <= place) watched_.resize(place + 1);
  control(EPOLL_CTL_ADD, socket, EPOLLIN);
  watched_[place] = std::move(connection);
  find_only_one();
}

void Loop::find_only_one() noexcept {
  const auto is_watched = [](const auto& connection) { return connection != nullptr; };
  only_ = std::ranges::count_if(watched_, is_watched) == 1 ? *std::ranges::find_if(watched_, is_watched)
                                                           : nullptr;
}

void Loop::watch_writing(int socket, bool is_wanted) {
  control(EPOLL_CTL_MOD, socket, is_wanted ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

// The number may be another's while events of this turn are still to be served; who is asked to read for
// nothing finds nothing.
void Loop::forget(int socket) noexcept {
  const auto place = static_cast<std::size_t>(socket);
  if (place >= watched_.size() || !std::exchange(watched_[place], nullptr)) return;
  (void)epoll_ctl(ready_.number(), EPOLL_CTL_DEL, socket,
                  nullptr);  // the kernel forgets it when it is closed
  find_only_one();
}

// By its edge: where Asio cannot take what is there, it tries again later.
void Loop::watch_for_asio(int socket) {
  control(EPOLL_CTL_ADD, socket, EPOLLIN | EPOLLET);
}

void Loop::send() {
  if (sending_.empty()) return;
  for (const auto& connection : std::exchange(sending_, {})) connection->flush();
}

void Loop::poll() {
  send();
  look();
  send();
}

void Loop::sleep(double limit_s) {
  constexpr double soon_s = 100e-6;  // a sleeper of another core is woken, and answers: up to 70
  send();
  const double begun_s = monotonic_s();
  turn(sending_.empty() && reading_.empty() ? limit_s : 0);
  comes_soon_ = turned_s_ - begun_s < soon_s;
  send();
}

// Returns whether something has come. Where all that may come does so over one socket, to read is enough.
bool Loop::turn(double limit_s) {
  constexpr double asio_look_s = 0.02;  // what it waits for by the clock takes longer
  for (const auto& connection : std::exchange(reading_, {})) connection->read();
  const auto only = limit_s <= 0 ? only_ : nullptr;
  const bool has_come = only && !only->awaits_writable() ? only->read() : serve_all(limit_s);
  if (turned_s_ >= asks_asio_at_s_) {
    asks_asio_at_s_ = turned_s_ + asio_look_s;
    io_.poll();
    give_up_cut_off();
  }
  return has_come;
}

void Loop::give_up_cut_off() {
  constexpr double kernel_look_s = 1;
  if (turned_s_ < asks_kernel_at_s_) return;
  asks_kernel_at_s_ = turned_s_ + kernel_look_s;
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (const std::shared_ptr<Connection> connection = watched_[i]) connection->give_up_if_cut_off();
}

bool Loop::serve_all(double limit_s) {
  std::array<epoll_event, 64> events;
  const int limit_ms = static_cast<int>(std::ceil(std::max(limit_s, 0.0) * 1e3));
  const int count = epoll_wait(ready_.number(), events.data(), events.size(), limit_ms);
  turned_s_ = monotonic_s();
  for (int i = 0; i < count; ++i)
    serve(events[static_cast<std::size_t>(i)].data.fd, events[static_cast<std::size_t>(i)].events);
  return count > 0;
}

void Loop::serve(int number, std::uint32_t what) {
  if (number == alarm_.number()) {
    std::uint64_t rung = 0;
    (void)!::read(number, &rung, sizeof(rung));
    return;
  }
  const auto place = static_cast<std::size_t>(number);
  const std::shared_ptr<Connection> connection = place < watched_.size() ? watched_[place] : nullptr;
  if (connection == nullptr) {
    io_.poll();
    return;
  }
  if ((what & EPOLLOUT) != 0) connection->can_write();
  if ((what & ~std::uint32_t{EPOLLOUT}) != 0) connection->read();
}

Connection::Connection(Loop& loop, Socket socket, std::unique_ptr<Wire> wire)
    : loop_(loop), peer_address_(address_of(socket)), wire_(std::move(wire)) {
  socket.native_non_blocking(true);
  socket_ = Descriptor(socket.release());
  set_up(socket_.number());
}

void Connection::start(Owner owner) {
  const bool is_first = owner_ == nullptr;
  owner_ = std::make_shared<const Owner>(std::move(owner));
  if (is_first) loop_.watch(socket_.number(), shared_from_this());
}

Connection::Segment& Connection::owned_tail() {
  constexpr std::size_t most_together = std::size_t{1} << 16;
  const bool fits =
      !segments_.empty() && segments_.back().view.empty() && segments_.back().owned.size() < most_together;
  if (!fits) segments_.emplace_back().owned = std::exchange(spare_, {});
  return segments_.back();
}

void Connection::queued(std::size_t bytes) {
  queued_bytes_ += bytes;
  wants_to_send();
}

void Connection::wants_to_send() {
  if (is_open_ && !std::exchange(has_to_send_, true)) loop_.has_to_send(shared_from_this());
}

void Connection::fill() {
  while (is_open_ && !is_finished_ && queued_bytes_ - gone_bytes_ < enough_queued_bytes &&
         owner_->send_more()) {
  }
}

void Connection::flush() {
  has_to_send_ = false;
  if (!is_open_ || awaits_writable_ || is_broken_) return;
  for (std::size_t sent = 0; is_open_;) {
    fill();
    const std::size_t bytes = segments_.empty() ? 0 : write_some();
    if (bytes == 0) return is_last_ && segments_.empty() ? finish() : void();
    sent += bytes;
    if (sent > turn_bytes) return wants_to_send();
  }
}

// Returns how many bytes went; none: no more can go now.
std::size_t Connection::write_some() {
  std::array<iovec, 32> parts;
  std::size_t count = 0;
  const auto add = [&](ByteView bytes, std::size_t& skip) {
    const ByteView rest = bytes.subspan(std::min(skip, bytes.size()));
    skip -= bytes.size() - rest.size();
    if (!rest.empty()) parts[count++] = {const_cast<std::byte*>(rest.data()), rest.size()};
  };
  for (std::size_t i = 0; i < segments_.size() && count + 2 <= parts.size(); ++i) {
    std::size_t skip = segments_[i].gone;
    add(segments_[i].owned, skip);
    add(segments_[i].view, skip);
  }
  const Wire::Moved result = wire_->write(std::span(parts).first(count));
  if (result.outcome == Wire::Outcome::would_block) await_writable();
  if (result.outcome == Wire::Outcome::ended) read_to_the_end();
  if (result.outcome == Wire::Outcome::moved) forget_sent(result.bytes);
  return result.bytes;
}

// Who has gone may have said before what it left: that is here, and ends the connection when it is read.
void Connection::read_to_the_end() {
  is_broken_ = true;
  loop_.has_to_read(shared_from_this());
}

void Connection::forget_sent(std::size_t bytes) {
  gone_bytes_ += bytes;
  while (bytes > 0) {
    Segment& first = segments_.front();
    const std::size_t part = std::min(bytes, first.size() - first.gone);
    first.gone += part;
    bytes -= part;
    if (first.gone < first.size()) break;
    spare_ = std::move(first.owned);
    spare_.clear();
    segments_.pop_front();
  }
  while (!tokens_.empty() && tokens_.front().at_bytes <= gone_bytes_) {
    const std::uint64_t token = tokens_.front().token;
    tokens_.pop_front();
    owner_->sent(token);
  }
}

std::size_t Connection::left_bytes() const {
  int on_the_way = 0;
  ioctl(socket_.number(), SIOCOUTQ, &on_the_way);
  return queued_bytes_ - gone_bytes_ + static_cast<std::size_t>(on_the_way);
}

void Connection::own_all() {
  for (Segment& segment : segments_) {
    segment.owned.insert(segment.owned.end(), segment.view.begin(), segment.view.end());
    segment.view = {};
  }
  tokens_.clear();
}

void Connection::await_writable() {
  if (!std::exchange(awaits_writable_, true)) loop_.watch_writing(socket_.number(), true);
}

void Connection::can_write() {
  if (!std::exchange(awaits_writable_, false)) return;
  loop_.watch_writing(socket_.number(), false);
  flush();
}

bool Connection::read() {
  if (!is_open_) return false;
  std::size_t taken = 0;
  while (taken < turn_bytes) {
    const Wire::Moved result = wire_->read(loop_.room());
    loop_.has_read();
    if (result.bytes > 0) note_that_some_came();
    const bool is_end = result.outcome == Wire::Outcome::would_block && is_broken_;
    if (result.outcome == Wire::Outcome::would_block && !is_end) break;
    if (result.outcome == Wire::Outcome::ended || is_end) return fail(wire_->complaint()), true;
    if (!take_all(ByteView(loop_.room()).first(result.bytes))) return true;
    taken += result.bytes;
    const bool was_all = result.bytes < loop_.room().size() && !wire_->holds_more();  // most likely
    if (was_all) break;
  }
  if (!segments_.empty()) wants_to_send();  // a cipher may have waited for what was read
  if (wire_->holds_more() || is_broken_) loop_.has_to_read(shared_from_this());
  return taken > 0;
}

void Connection::note_that_some_came() {
  const auto owner = owner_;
  owner->came();
}

bool Connection::take_all(ByteView bytes) {
  try {
    frames_.feed(bytes, [this](const Frame& frame) {
      const auto owner = owner_;  // who may be another when it returns
      if (!is_finished_) owner->take(frame);
      return is_open_;
    });
  } catch (const BadFrame& bad) {
    fail(bad.what());
  } catch (const std::bad_alloc&) {
    fail("no memory is available for its message");
  }
  return is_open_;
}

void Connection::fail(const std::string& why) {
  if (!is_open_) return;
  const auto self = shared_from_this();  // the loop's may have been the last
  close();
  const auto owner = owner_;
  owner->ended(why);
}

void Connection::give_up_if_cut_off() {
  if (is_open_ && is_cut_off(answering(socket_.number()))) fail("its host does not answer");
}

void Connection::close() noexcept {
  if (!std::exchange(is_open_, false)) return;
  segments_.clear();
  tokens_.clear();
  gone_bytes_ = queued_bytes_;
  loop_.forget(socket_.number());
  socket_.close();
}

void Connection::send_last() {
  is_last_ = true;
  wants_to_send();
}

void Connection::finish() {
  if (!is_open_ || std::exchange(is_finished_, true)) return;
  shutdown(socket_.number(), SHUT_WR);
}

}  // namespace loadshare::tcp
