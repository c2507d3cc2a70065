#pragma once

#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <string>

#include "runtime/transport/tcp/address.hpp"

namespace loadshare::tcp {

/// Takes connections at an address while there is room for them; who comes meanwhile waits in the system's
/// backlog. If the system has no descriptor or no memory for one, a note says so once, and it is tried again
/// a little later.
class Listener {
 public:
  using Socket = asio::ip::tcp::socket;

  /// Throws UsageError, which says that the master `cannot` do it "at" the address, where nobody can listen
  /// at the first of `endpoints`. Whatever `take` throws ends that connection alone.
  Listener(
      asio::io_context& io, const std::string& cannot, const Address& address, const Endpoints& endpoints,
      std::function<bool()> has_room, std::function<void(Socket)> take,
      std::function<void(const std::string&)> note = [](const std::string&) {});

  /// To be called at the beginning, and when there is room again.
  void accept();
  asio::ip::tcp::endpoint end() const { return acceptor_.local_endpoint(); }
  int number() { return acceptor_.native_handle(); }

 private:
  void pause(const std::error_code& error);

  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::function<bool()> has_room_;
  std::function<void(Socket)> take_;
  std::function<void(const std::string&)> note_;
  bool is_accepting_ = false;
  bool has_said_so_ = false;  // a note has reported that the system refuses connections
};

}  // namespace loadshare::tcp
