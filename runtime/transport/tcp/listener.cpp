#include "runtime/transport/tcp/listener.hpp"

#include <chrono>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace loadshare::tcp {
namespace {

asio::ip::tcp::acceptor listen_at(asio::io_context& io, const std::string& cannot, const Address& address,
                                  const Endpoints& endpoints) {
  try {
    return {io, endpoints.front()};
  } catch (const std::system_error& error) {
    throw UsageError("cannot " + cannot + " at " + address.text(), error.code().message(),
                     error.code() == asio::error::address_in_use
                         ? "another master may be there: take another port"
                         : "take an address of this host");
  }
}

}  // namespace

Listener::Listener(asio::io_context& io, const std::string& cannot, const Address& address,
                   const Endpoints& endpoints, std::function<bool()> has_room,
                   std::function<void(Socket)> take)
    : acceptor_(listen_at(io, cannot, address, endpoints)),
      pause_(io),
      has_room_(std::move(has_room)),
      take_(std::move(take)) {}

void Listener::accept() {
  if (is_accepting_ || !has_room_()) return;
  is_accepting_ = true;
  acceptor_.async_accept([this](std::error_code error, Socket socket) {
    if (error == asio::error::operation_aborted) return;  // this is gone
    is_accepting_ = false;
    if (error) return pause();
    try {
      take_(std::move(socket));
    } catch (...) {  // a new connection for which nothing is left does not end the run
    }
    accept();
  });
}

// Tried at once, it would fail again for ever.
void Listener::pause() {
  pause_.expires_after(std::chrono::milliseconds(100));
  pause_.async_wait([this](std::error_code cancelled) {
    if (!cancelled) accept();
  });
}

}  // namespace loadshare::tcp
