#include "runtime/transport/tcp/connection.hpp"

#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/io/descriptor.hpp"

namespace loadshare::tcp {
namespace {

/// So much is queued before the socket is asked to take it: enough to keep it busy, little for others to wait
/// behind.
constexpr std::size_t enough_queued_bytes = std::size_t{1} << 20;
/// What one connection sends or reads before others have their turn.
constexpr std::size_t turn_bytes = std::size_t{1} << 22;
/// A host that is cut off is given up after so long, by the kernel.
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

void set_up(int socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, lost_after_s / 3);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, lost_after_s / 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, lost_after_s * 1000);
}

std::string address_of(const Socket& socket) {
  std::error_code error;
  const auto end = socket.remote_endpoint(error);
  return error ? "?" : end.address().to_string() + ":" + std::to_string(end.port());
}

}  // namespace

std::unique_ptr<Wire> make_plain_wire(int socket) {
  return std::make_unique<PlainWire>(socket);
}

Loop::Loop() : alarm_(io_, checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "no event to wait for")) {
  await_alarm();
}

void Loop::await_alarm() {
  alarm_.async_read_some(asio::buffer(&rung_, sizeof(rung_)), [this](std::error_code error, std::size_t) {
    if (!error) await_alarm();
  });
}

void Loop::flush() {
  for (const auto& connection : std::exchange(sending_, {})) connection->flush();
}

void Loop::poll() {
  flush();
  if (io_.poll() > 0) flush();
}

void Loop::wait(double limit_s) {
  flush();
  if (!sending_.empty()) limit_s = 0;
  if (io_.run_one_for(std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(std::max(limit_s, 0.0)))) > 0)
    io_.poll();
  flush();
}

Connection::Connection(Loop& loop, Socket socket, std::unique_ptr<Wire> wire)
    : loop_(loop), socket_(std::move(socket)), peer_address_(address_of(socket_)), wire_(std::move(wire)) {
  socket_.native_non_blocking(true);
  set_up(socket_.native_handle());
}

void Connection::start(Owner owner) {
  const bool is_first = owner_ == nullptr;
  owner_ = std::make_shared<const Owner>(std::move(owner));
  if (is_first) await_readable();
}

Connection::Segment& Connection::owned_tail() {
  constexpr std::size_t most_together = std::size_t{1} << 16;
  const bool fits = !segments_.empty() && segments_.back().view.empty() &&
                    segments_.back().token == no_token && segments_.back().owned.size() < most_together;
  return fits ? segments_.back() : segments_.emplace_back();
}

void Connection::queued(std::size_t bytes) {
  queued_bytes_ += bytes;
  wants_to_send();
}

void Connection::wants_to_send() {
  if (is_open_ && !std::exchange(has_to_send_, true)) loop_.has_to_send(shared_from_this());
}

void Connection::fill() {
  while (is_open_ && !is_finished_ && queued_bytes_ < enough_queued_bytes && owner_->send_more()) {
  }
}

void Connection::flush() {
  has_to_send_ = false;
  if (!is_open_ || awaits_writable_) return;
  for (std::size_t sent = 0; is_open_;) {
    fill();
    const std::size_t bytes = segments_.empty() ? 0 : write_some();
    if (bytes == 0) return;
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
  if (result.outcome == Wire::Outcome::ended) fail(wire_->complaint());
  if (result.outcome == Wire::Outcome::moved) forget_sent(result.bytes);
  return result.bytes;
}

void Connection::forget_sent(std::size_t bytes) {
  queued_bytes_ -= bytes;
  while (bytes > 0) {
    Segment& first = segments_.front();
    const std::size_t part = std::min(bytes, first.size() - first.gone);
    first.gone += part;
    bytes -= part;
    if (first.gone < first.size()) return;
    const std::uint64_t token = first.token;
    segments_.pop_front();
    if (token != no_token) owner_->sent(token);
  }
  if (is_last_ && segments_.empty()) finish();
}

void Connection::own_all() {
  for (Segment& segment : segments_) {
    segment.owned.insert(segment.owned.end(), segment.view.begin(), segment.view.end());
    segment.view = {};
    segment.token = no_token;
  }
}

void Connection::await_readable() {
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](std::error_code error) {
    if (!error && self->is_open_) self->read();
  });
}

void Connection::await_writable() {
  if (std::exchange(awaits_writable_, true)) return;
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](std::error_code error) {
    self->awaits_writable_ = false;
    if (!error) self->flush();
  });
}

void Connection::read() {
  for (std::size_t taken = 0; is_open_ && taken < turn_bytes;) {
    const Wire::Moved result = wire_->read(loop_.room());
    if (result.outcome == Wire::Outcome::would_block) break;
    if (result.outcome == Wire::Outcome::ended) return fail(wire_->complaint());
    if (!take_all(ByteView(loop_.room()).first(result.bytes))) return;
    taken += result.bytes;
    const bool was_all = result.bytes < loop_.room().size() && !wire_->holds_more();  // most likely
    if (was_all) break;
  }
  if (!is_open_) return;
  if (!segments_.empty()) wants_to_send();  // a cipher may have waited for what was read
  if (!wire_->holds_more()) return await_readable();
  asio::post(loop_.io(), [self = shared_from_this()] {
    if (self->is_open_) self->read();
  });
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
  }
  return is_open_;
}

void Connection::fail(const std::string& why) {
  if (!is_open_) return;
  close();
  const auto owner = owner_;
  owner->ended(why);
}

void Connection::close() {
  is_open_ = false;
  segments_.clear();
  queued_bytes_ = 0;
  std::error_code ignored;
  socket_.close(ignored);
}

void Connection::send_last() {
  is_last_ = true;
  flush();
  if (segments_.empty()) finish();
}

void Connection::finish() {
  if (!is_open_ || std::exchange(is_finished_, true)) return;
  std::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

}  // namespace loadshare::tcp
