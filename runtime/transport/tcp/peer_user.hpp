#pragma once

#include <netinet/in.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string_view>

#include "runtime/transport/tcp/connection.hpp"
#include "runtime/transport/tcp/tls.hpp"

namespace loadshare::tcp {

// Any user of a host can connect to its loopback addresses and listen there. Without a secret, the two ends
// of such a connection recognise each other by the users who own the two sockets.

/// An end of a TCP connection: the address (of IPv4: mapped) and the port, in network order.
struct TcpEnd {
  in6_addr address = {};
  in_port_t port = 0;
};

/// Both ends of a connection, named from the peer's point of view.
struct PeerEnds {
  TcpEnd own;    ///< the peer's
  TcpEnd other;  ///< this process's
};

/// Returns the user who owns the socket with these ends, by a text as /proc/net/tcp (`family` AF_INET) or
/// /proc/net/tcp6 (AF_INET6) contains it. Nothing: no row has both ends, or no process holds the socket,
/// because it was closed or has not been accepted yet (the system then shows the user 0).
std::optional<uid_t> user_in_table(std::string_view table, int family, const PeerEnds& ends);

/// Returns the user who owns the socket at the other end of this one, if the peer is a process of this host.
/// Nothing: the system does not know, or it shows several users as one.
std::optional<uid_t> user_of_peer(int socket);

/// Whether that user is known and is the one of this process.
bool has_own_user_at_peer(int socket);

/// Makes wires that carry bytes as they are, and object to peers of other users. The socket must outlive the
/// wire.
std::unique_ptr<Wire> make_own_user_wire(Side side, int socket);

}  // namespace loadshare::tcp
