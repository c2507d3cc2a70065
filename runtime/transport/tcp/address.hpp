#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <string>
#include <vector>

namespace loadshare::tcp {

/// HOST:PORT as a person writes it: 192.168.1.5:4711, node1:4711, [::1]:4711.
struct Address {
  std::string host;
  std::string port;

  /// Throws UsageError, which names `option`, where the text is none.
  static Address parse(const std::string& option, const std::string& text);
  std::string text() const;
  /// Where it is any of this host, one that others find.
  Address for_others() const;
};

using Endpoints = std::vector<asio::ip::tcp::endpoint>;

/// Throws UsageError where the host is not known.
Endpoints resolve(asio::io_context& io, const std::string& option, const Address& address);

/// Whether nobody but this host can come there.
bool is_loopback(const Endpoints& endpoints);

/// Says that the host stands for an address that only this host can reach, as Debian's /etc/hosts has one for
/// the machine's own name (127.0.1.1). Empty: it does not, or its text shows that (localhost, 127.0.0.1).
std::string own_host_note(const Address& address, const Endpoints& endpoints);

}  // namespace loadshare::tcp
