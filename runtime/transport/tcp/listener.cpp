#include "runtime/transport/tcp/listener.hpp"

#include <chrono>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/io/error_text.hpp"

namespace loadshare::tcp {
namespace {

asio::ip::tcp::acceptor listen_at(asio::io_context& io, const std::string& cannot, const Address& address,
                                  const Endpoints& endpoints) {
  try {
    return {io, endpoints.front()};
  } catch (const std::system_error& error) {
    const std::string problem = "cannot " + cannot + " at " + address.text();
    if (is_out_of_files(error.code())) throw UsageError(problem, error_text(error.code()));
    throw UsageError(problem, error_text(error.code()),
                     error.code() == asio::error::address_in_use
                         ? "another master may use it: choose another port"
                         : "use an address of this host");
  }
}

}  // namespace

Listener::Listener(asio::io_context& io, const std::string& cannot, const Address& address,
                   const Endpoints& endpoints, std::function<bool()> has_room,
                   std::function<void(Socket)> take, std::function<void(const std::string&)> note)
    : acceptor_(listen_at(io, cannot, address, endpoints)),
      pause_(io),
      has_room_(std::move(has_room)),
      take_(std::move(take)),
      note_(std::move(note)) {}

void Listener::accept() {
  if (is_accepting_ || !has_room_()) return;
  is_accepting_ = true;
  acceptor_.async_accept([this](std::error_code error, Socket socket) {
    if (error == asio::error::operation_aborted) return;  // this is gone
    is_accepting_ = false;
    if (error) return pause(error);
    try {
      take_(std::move(socket));
    } catch (...) {  // a new connection for which nothing is left does not end the run
    }
    accept();
  });
}

// Without a pause it would fail again and again. A connection that has ended meanwhile is not reported.
void Listener::pause(const std::error_code& error) {
  if (error != asio::error::connection_aborted && !std::exchange(has_said_so_, true))
    note_("cannot accept a connection (" + error_text(error) + "); new connections wait until that succeeds");
  pause_.expires_after(std::chrono::milliseconds(100));
  pause_.async_wait([this](std::error_code cancelled) {
    if (!cancelled) accept();
  });
}

}  // namespace loadshare::tcp
