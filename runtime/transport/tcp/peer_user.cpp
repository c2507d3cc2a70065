#include "runtime/transport/tcp/peer_user.hpp"

#include <fmt/format.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <locale>
#include <sstream>
#include <string>
#include <utility>

#include "base/io/descriptor.hpp"
#include "base/io/files.hpp"

namespace loadshare::tcp {
namespace {

bool is_mapped(const in6_addr& address) {
  return IN6_IS_ADDR_V4MAPPED(&address);
}

std::optional<TcpEnd> end_of(const sockaddr_storage& place) {
  TcpEnd end;
  if (place.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(place);
    return TcpEnd{six.sin6_addr, six.sin6_port};
  }
  if (place.ss_family != AF_INET) return std::nullopt;
  const auto& four = reinterpret_cast<const sockaddr_in&>(place);
  end.address.s6_addr32[2] = htonl(0xffff);
  end.address.s6_addr32[3] = four.sin_addr.s_addr;
  end.port = four.sin_port;
  return end;
}

std::optional<PeerEnds> ends_of(int socket) {
  sockaddr_storage peer{}, own{};
  socklen_t peer_bytes = sizeof(peer), own_bytes = sizeof(own);
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &peer_bytes) != 0 ||
      getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_bytes) != 0)
    return std::nullopt;
  const auto theirs = end_of(peer), ours = end_of(own);
  if (!theirs || !ours) return std::nullopt;
  return PeerEnds{*theirs, *ours};
}

/// A socket's row in the system's table.
struct SocketRow {
  uid_t user = 0;
  std::uint64_t inode = 0;  ///< 0: no process holds it
};

std::optional<uid_t> holder_of(const SocketRow& row) {
  return row.inode != 0 ? std::optional(row.user) : std::nullopt;
}

/// Asks the kernel for this one socket, which takes the same time however many there are: to read
/// /proc/net/tcp for each of 2,000 workers that join would be quadratic. Nothing: the kernel does not answer
/// such questions, or has no such socket.
std::optional<SocketRow> ask_kernel(const PeerEnds& ends) {
  struct {
    nlmsghdr head;
    inet_diag_req_v2 body;
  } question{};
  struct {
    nlmsghdr head;
    inet_diag_msg body;
    std::array<char, 1024> more;
  } answer{};
  const bool is_four = is_mapped(ends.own.address);
  question.head.nlmsg_len = sizeof(question);
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.body.sdiag_family = is_four ? AF_INET : AF_INET6;
  question.body.sdiag_protocol = IPPROTO_TCP;
  question.body.idiag_states = ~0U;
  inet_diag_sockid& id = question.body.id;
  const std::size_t skipped = is_four ? 12 : 0;
  std::memcpy(id.idiag_src, ends.own.address.s6_addr + skipped, 16 - skipped);
  std::memcpy(id.idiag_dst, ends.other.address.s6_addr + skipped, 16 - skipped);
  id.idiag_sport = ends.own.port;
  id.idiag_dport = ends.other.port;
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;

  const Descriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (netlink.number() < 0 || send(netlink.number(), &question, sizeof(question), 0) < 0) return std::nullopt;
  const ssize_t bytes = recv(netlink.number(), &answer, sizeof(answer), MSG_DONTWAIT);
  constexpr auto least_bytes = static_cast<ssize_t>(sizeof(nlmsghdr) + sizeof(inet_diag_msg));
  if (bytes < least_bytes || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  // If no connection has these ends, the kernel may answer with a socket that listens at one of them.
  const inet_diag_sockid& found = answer.body.id;
  if (found.idiag_sport != id.idiag_sport || found.idiag_dport != id.idiag_dport) return std::nullopt;
  return SocketRow{answer.body.idiag_uid, answer.body.idiag_inode};
}

/// An end as the tables show it: its address as numbers of the processor's byte order.
std::string text_in_table(const TcpEnd& end, int family) {
  std::string text;
  for (std::size_t word = family == AF_INET ? 3 : 0; word < 4; ++word)
    text += fmt::format("{:08X}", end.address.s6_addr32[word]);
  return text + fmt::format(":{:04X}", ntohs(end.port));
}

/// The numbers that the kernel writes have no separators, whatever the program's locale expects.
std::istringstream kernels_words(const std::string& text) {
  std::istringstream words(text);
  words.imbue(std::locale::classic());
  return words;
}

std::optional<SocketRow> row_in_table(std::string_view table, int family, const PeerEnds& ends) {
  if (family == AF_INET && !is_mapped(ends.own.address)) return std::nullopt;
  const std::string both =
      " " + text_in_table(ends.own, family) + " " + text_in_table(ends.other, family) + " ";
  const std::size_t at = table.find(both);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = table.substr(at + both.size());
  std::istringstream columns = kernels_words(std::string(rest.substr(0, rest.find('\n'))));
  std::string state, queues, timer, repeats, timeout;
  SocketRow row;
  if (!(columns >> state >> queues >> timer >> repeats >> row.user >> timeout >> row.inode))
    return std::nullopt;
  return row;
}

/// The tables are those of the calling thread's network namespace.
std::optional<SocketRow> look_in_tables(const PeerEnds& ends) {
  for (const auto& [file, family] :
       {std::pair{"/proc/thread-self/net/tcp", AF_INET}, {"/proc/thread-self/net/tcp6", AF_INET6}})
    if (const auto row = row_in_table(content_of(file), family, ends)) return row;
  return std::nullopt;
}

/// Returns the number by which the system shows all users who have none in this process's user namespace.
/// Nothing: every user has one.
std::optional<uid_t> number_of_unmapped_users() {
  constexpr std::uint64_t all = 0xffffffff;
  std::istringstream map = kernels_words(content_of("/proc/self/uid_map"));
  std::uint64_t inside = 0, outside = 0, count = 0;
  if (map >> inside >> outside >> count && count == all) return std::nullopt;
  std::istringstream overflow = kernels_words(content_of("/proc/sys/kernel/overflowuid"));
  uid_t number = 0;
  return overflow >> number ? number : uid_t{65534};
}

class OwnUserWire final : public Wire {
 public:
  OwnUserWire(Side side, int socket) : side_(side), socket_(socket), bytes_(make_plain_wire(socket)) {}

  Moved read(std::span<std::byte> room) override { return bytes_->read(room); }
  Moved write(std::span<const iovec> parts) override { return bytes_->write(parts); }
  std::optional<Refusal> objection() const override;

 private:
  Side side_;
  int socket_;
  std::unique_ptr<Wire> bytes_;
};

std::optional<Refusal> OwnUserWire::objection() const {
  const std::optional<uid_t> user = user_of_peer(socket_);
  if (user == geteuid()) return std::nullopt;
  const std::string whose = user ? fmt::format("user {}", *user) : "an unknown user";
  const std::string suggestion =
      "give both sides the same --secret-file, or --without-secret to admit every user";
  constexpr const char* rule = "without a secret, only processes of one user work together over loopback";
  if (side_ == Side::worker)
    return Refusal{fmt::format("the master belongs to {}, and this process to user {}", whose, geteuid()),
                   rule, suggestion};
  return Refusal{fmt::format("a process of {} cannot join a master of user {}", whose, geteuid()), rule,
                 suggestion};
}

}  // namespace

std::optional<uid_t> user_in_table(std::string_view table, int family, const PeerEnds& ends) {
  const std::optional<SocketRow> row = row_in_table(table, family, ends);
  return row ? holder_of(*row) : std::nullopt;
}

std::optional<uid_t> user_of_peer(int socket) {
  static const std::optional<uid_t> unmapped = number_of_unmapped_users();
  const std::optional<PeerEnds> ends = ends_of(socket);
  if (!ends) return std::nullopt;
  std::optional<SocketRow> row = ask_kernel(*ends);
  if (!row) row = look_in_tables(*ends);
  const std::optional<uid_t> user = row ? holder_of(*row) : std::nullopt;
  return user == unmapped ? std::nullopt : user;
}

bool has_own_user_at_peer(int socket) {
  return user_of_peer(socket) == geteuid();
}

std::unique_ptr<Wire> make_own_user_wire(Side side, int socket) {
  return std::make_unique<OwnUserWire>(side, socket);
}

}  // namespace loadshare::tcp
