#pragma once

#include <asio/steady_timer.hpp>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "runtime/transport/network.hpp"
#include "runtime/transport/tcp/address.hpp"
#include "runtime/transport/tcp/connection.hpp"
#include "runtime/transport/tcp/listener.hpp"
#include "runtime/transport/tcp/messages.hpp"

namespace loadshare::tcp {

/// What this process says of itself: its program, that one's version and build, the processor, the host.
Hello own_hello(std::size_t workers, const NetworkOptions& network = {});

/// Why `own` cannot work with `other`, both named; nothing: it can. Data go from memory to memory, so
/// processors of different kinds are refused; of one kind the same build is to compute the same.
std::optional<Refusal> refusal_of(const Hello& own, const Hello& other);

/// Where a master waits for workers: takes connections, hears who they are, and hands over whom it can use.
/// Who does not say so within a few seconds is put out; while many have not, nobody else is taken, and one
/// second is all that they have.
class Admission {
 public:
  static constexpr int most_unknown_s = 5;
  static constexpr std::size_t most_unknown = 64;

  using Wiring = std::function<std::unique_ptr<Wire>(int socket)>;
  using Admit = std::function<void(const Hello&, std::shared_ptr<Connection>)>;
  /// Says what there is to say, on the connection.
  using Answer = std::function<void(const Inquiry&, Connection&)>;

  /// Throws UsageError where nobody can listen at the first of `endpoints`, which are the address's. `admit`
  /// is to call Connection::start.
  Admission(Loop& loop, const Address& address, const Endpoints& endpoints, Hello own, Wiring wiring,
            Admit admit, Answer answer);
  ~Admission();

  std::string address() const;  ///< where it really listens
  /// Who comes from now on is refused.
  void close(const Refusal& why) { closed_ = why; }
  /// What else there may be against who comes.
  using Objection = std::function<std::optional<Refusal>(const Hello&)>;
  void set_objection(Objection objection) { objection_ = std::move(objection); }

 private:
  struct Guest {
    std::shared_ptr<Connection> line;
    int looks = 0;  // it has been here for
  };
  using Guests = std::list<Guest>;

  void receive(Socket socket);
  void forget(Guests::iterator guest);
  void hear(Guests::iterator guest, const Frame& frame);
  std::optional<Refusal> objection_to(const Hello& who) const;
  void hear_inquiry(const Inquiry& inquiry, Connection& line);
  void put_out_silent();

  Loop& loop_;
  Listener listener_;
  asio::steady_timer timer_;
  Hello own_;
  Wiring wiring_;
  Admit admit_;
  Answer answer_;
  std::optional<Refusal> closed_;
  Objection objection_ = [](const Hello&) { return std::nullopt; };
  Guests guests_;
};

}  // namespace loadshare::tcp
