#include "runtime/transport/tcp/page_server.hpp"

#include <openssl/crypto.h>
#include <sys/random.h>

#include <array>
#include <asio/buffer.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/io/descriptor.hpp"
#include "runtime/host/threads.hpp"
#include "runtime/transport/tcp/address.hpp"
#include "runtime/transport/tcp/listener.hpp"
#include "runtime/transport/tcp/peer_user.hpp"
#include "runtime/transport/tcp/tls.hpp"

namespace loadshare::tcp {
namespace {

constexpr std::size_t most_request_bytes = 8192;
constexpr std::chrono::seconds most_time{5};  // of a visit
constexpr std::size_t most_visits = 64;       // at once

std::string hex(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes)
    for (const unsigned digit : {byte / 16u, byte % 16u}) text += "0123456789abcdef"[digit];
  return text;
}

/// The key travels in the clear, so it must not be derived from the secret.
std::string random_key() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw_errno("cannot make a random key for --status");
  return hex(bytes);
}

constexpr const char* not_own_user =
    "this page is only for the user who runs the master (your user is another one, or unknown): start the "
    "master with --secret-file, and use the address with its key\n";

std::string answer_with(const std::string& status, const std::string& content) {
  return "HTTP/1.1 " + status +
         "\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " + std::to_string(content.size()) +
         "\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff"
         "\r\nContent-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\nConnection: "
         "close\r\n\r\n" +
         content;
}

/// HOST:PORT of a person, who may leave out the host: this one.
Address own_address(const std::string& text) {
  return Address::parse("--status", text.find(':') == std::string::npos ? "127.0.0.1:" + text : text);
}

std::string key_for(const NetworkOptions& network, const Address& address, const Endpoints& endpoints) {
  if (!network.secret_file.empty()) {
    Secret::bytes_of(network.secret_file);  // throws if the file is no valid secret
    return random_key();
  }
  if (!is_loopback(endpoints) && !network.without_secret)
    throw UsageError(
        "--status " + address.text() + " can be reached from other hosts, and there is no secret",
        "anyone in the network could see the run",
        "give --secret-file FILE, or --without-secret, or only a port: --status 4712");
  return {};
}

}  // namespace

class PageServer::Impl final {
 public:
  enum class Visitors { any, own_user };

  Impl(const Address& address, const Endpoints& endpoints, const std::string& key, Visitors visitors,
       std::function<std::string()> make_page)
      : make_page_(std::move(make_page)),
        visitors_(visitors),
        listener_(
            io_, "serve --status", address, endpoints, [] { return true; },
            [this](Listener::Socket socket) { receive(std::make_shared<Visit>(std::move(socket))); }) {
    target_ = key.empty() ? "/" : "/?key=" + key;
    listener_.accept();
    thread_.start("for --status", [this] { serve(); });
  }
  ~Impl() {
    io_.stop();
    thread_.wait();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string port() const { return std::to_string(listener_.end().port()); }
  const std::string& target() const { return target_; }

 private:
  /// One request and its answer.
  struct Visit {
    explicit Visit(Listener::Socket from) : socket(std::move(from)) {}
    void close() {
      std::error_code ignored;
      socket.close(ignored);
    }

    Listener::Socket socket;
    asio::steady_timer patience{socket.get_executor()};
    std::string request, answer;
  };

  /// An exception costs one visit: a run is worth more than its page.
  void serve() {
    while (!io_.stopped()) try {
        io_.run();
      } catch (...) {
        listener_.accept();
      }
  }

  /// Those who only hold a connection are not to keep the page from others: the eldest goes.
  void make_room() {
    std::erase_if(visits_, [](const auto& visit) { return visit.expired(); });
    if (visits_.size() < most_visits) return;
    if (const auto eldest = visits_.front().lock()) eldest->close();
    visits_.pop_front();
  }

  void receive(const std::shared_ptr<Visit>& visit) {
    make_room();
    visits_.push_back(visit);
    visit->patience.expires_after(most_time);
    visit->patience.async_wait([visit](const std::error_code& ended) {
      if (!ended) visit->close();
    });
    asio::async_read_until(visit->socket, asio::dynamic_buffer(visit->request, most_request_bytes),
                           "\r\n\r\n", [this, visit](const std::error_code& error, std::size_t) {
                             if (!error) return send(visit);
                             visit->patience.cancel();
                           });
  }

  void send(const std::shared_ptr<Visit>& visit) {
    try {
      const bool is_stranger =
          visitors_ == Visitors::own_user && !has_own_user_at_peer(visit->socket.native_handle());
      visit->answer = is_stranger ? answer_with("403 Forbidden", not_own_user)
                                  : answer_to(visit->request.substr(0, visit->request.find("\r\n")));
    } catch (...) {  // without memory for a page the run goes on
      return visit->close();
    }
    asio::async_write(visit->socket, asio::buffer(visit->answer),
                      [visit](const std::error_code&, std::size_t) {
                        std::error_code ignored;
                        visit->socket.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
                        visit->patience.cancel();
                      });
  }

  std::string answer_to(const std::string& line) const {
    const std::size_t begin = line.find(' ') + 1, end = line.find(' ', begin);
    if (begin == 0 || end == std::string::npos) return answer_with("400 Bad Request", "not HTTP\n");
    if (line.substr(0, begin) != "GET ")
      return answer_with("405 Method Not Allowed", "only GET is allowed\n");
    const std::string asked = line.substr(begin, end - begin);
    if (is_target(asked)) return answer_with("200 OK", make_page_());
    const bool is_page = asked == "/" || asked.starts_with("/?");
    return is_page ? answer_with("403 Forbidden",
                                 "the address lacks its key: use the one that the master has printed\n")
                   : answer_with("404 Not Found", "there is one page: /\n");
  }

  /// In a time that tells nothing of the key.
  bool is_target(const std::string& asked) const {
    return asked.size() == target_.size() && CRYPTO_memcmp(asked.data(), target_.data(), asked.size()) == 0;
  }

  std::function<std::string()> make_page_;
  Visitors visitors_;
  std::string target_;
  asio::io_context io_;
  std::deque<std::weak_ptr<Visit>> visits_;
  Listener listener_;
  CheckedThread thread_;  // last: it uses the others
};

PageServer::PageServer(const std::string& address, const NetworkOptions& network,
                       std::function<std::string()> make_page) {
  Address place = own_address(address);
  asio::io_context io;
  const Endpoints endpoints = resolve(io, "--status", place);
  const std::string key = key_for(network, place, endpoints);
  const bool is_for_any = !network.secret_file.empty() || network.without_secret;
  impl_ = std::make_unique<Impl>(place, endpoints, key,
                                 is_for_any ? Impl::Visitors::any : Impl::Visitors::own_user,
                                 std::move(make_page));
  if (const std::string note = own_host_note(place, endpoints); !note.empty())
    hint_ = note + ": for a browser on another host use ssh -L, or give --status an address of its network";
  place.port = impl_->port();
  url_ = "http://" + place.for_others().text() + impl_->target();
}

PageServer::~PageServer() = default;

}  // namespace loadshare::tcp
