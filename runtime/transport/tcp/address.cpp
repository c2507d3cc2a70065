#include "runtime/transport/tcp/address.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/process.hpp"
#include "base/quantities.hpp"

namespace loadshare::tcp {

Address Address::parse(const std::string& option, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const auto bad = [&](const std::string& why) {
    return UsageError(option + " is '" + text + "'", why, "give it as HOST:PORT: 127.0.0.1:4711");
  };
  if (colon == std::string::npos || colon == 0) throw bad("a host and a port are needed");
  Address address{text.substr(0, colon), text.substr(colon + 1)};
  const auto port = parse_integer<int>(address.port);
  if (!port || *port < 0 || *port > 65535) throw bad("a port is a number from 0 to 65535");
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  else if (address.host.find(':') != std::string::npos)
    throw bad("an address with colons needs brackets: [::1]:4711");
  return address;
}

std::string Address::text() const {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
}

Address Address::for_others() const {
  return host == "0.0.0.0" || host == "::" ? Address{host_name(), port} : *this;
}

Endpoints resolve(asio::io_context& io, const std::string& option, const Address& address) {
  std::error_code error;
  asio::ip::tcp::resolver resolver(io);
  Endpoints endpoints;
  for (const auto& found : resolver.resolve(address.host, address.port, error)) endpoints.push_back(found);
  if (error || endpoints.empty())
    throw UsageError(option + " is " + address.text(),
                     "there is no host " + address.host + ": " + error_text(error));
  return endpoints;
}

bool is_loopback(const Endpoints& endpoints) {
  return std::ranges::all_of(endpoints, [](const auto& end) { return end.address().is_loopback(); });
}

std::string own_host_note(const Address& address, const Endpoints& endpoints) {
  const std::vector<std::string> plain{"localhost", "127.0.0.1", "::1"};
  if (!is_loopback(endpoints) || std::ranges::find(plain, address.host) != plain.end()) return {};
  const std::string number = endpoints.front().address().to_string();
  return (number == address.host ? number + " is an address"
                                 : address.host + " is " + number + " here, an address") +
         " that only this host can reach";
}

}  // namespace loadshare::tcp
