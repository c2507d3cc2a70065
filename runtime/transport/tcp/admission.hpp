#pragma once

#include <asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "runtime/transport/network.hpp"
#include "runtime/transport/tcp/address.hpp"
#include "runtime/transport/tcp/bounded_notes.hpp"
#include "runtime/transport/tcp/connection.hpp"
#include "runtime/transport/tcp/listener.hpp"
#include "runtime/transport/tcp/messages.hpp"

namespace loadshare::tcp {

/// What this process says of itself: its program, that one's version and build, the processor, the host.
Hello own_hello(std::size_t workers, const NetworkOptions& network = {});

/// Why `own` cannot work with `other`, both named; nothing: it can. Data go from memory to memory, so
/// processors of different kinds are refused; of one kind the same build is to compute the same.
std::optional<Refusal> refusal_of(const Hello& own, const Hello& other);

/// The entrance for a master's workers: accepts connections, reads their introductions, and hands over those
/// that it can use. A connection that does not introduce itself within a few seconds is ended. While many
/// have not, no other is accepted, and each has one second. From one address only a few may be slow at a
/// time.
class Admission {
 public:
  static constexpr int most_unknown_s = 5;
  static constexpr std::size_t most_unknown = 64;
  /// Connections from one address that have not introduced themselves for half a second.
  static constexpr std::size_t most_unknown_of_address = 16;
  /// Each worker has its share of work, memory and messages: a mistyped number must not take all of them.
  static constexpr std::uint32_t most_workers_of_process = 1024;
  /// File descriptors that members do not use up: the process needs some for its own files, and for
  /// connections of those that it refuses.
  static constexpr int most_kept_descriptors = 16;

  using Wiring = std::function<std::unique_ptr<Wire>(int socket)>;
  using Admit = std::function<void(const Hello&, std::shared_ptr<Connection>)>;
  /// Says what there is to say, on the connection.
  using Answer = std::function<void(const Inquiry&, Connection&)>;
  using Note = std::function<void(const std::string&)>;

  /// Throws UsageError where nobody can listen at the first of `endpoints`, which are the address's. `admit`
  /// is to call Connection::start.
  Admission(
      Loop& loop, const Address& address, const Endpoints& endpoints, Hello own, Wiring wiring, Admit admit,
      Answer answer, Note note = [](const std::string&) {});
  ~Admission();

  std::string address() const;  ///< where it really listens
  /// Why a connection cannot stay: its descriptor is one of the last ones.
  std::optional<Refusal> objection_to_descriptor(const Connection& line) const;
  /// Who comes from now on is refused.
  void close(const Refusal& why) { closed_ = why; }
  /// A further reason to refuse a process, which came over that connection.
  using Objection = std::function<std::optional<Refusal>(const Hello&, const Connection&)>;
  void set_objection(Objection objection) { objection_ = std::move(objection); }

 private:
  struct Guest {
    std::shared_ptr<Connection> line;
    int looks = 0;            // it has been here for
    bool has_spoken = false;  // after its one frame nothing more may follow
  };
  using Guests = std::list<Guest>;

  bool has_room() const;
  bool has_last_descriptor(const Connection& line) const {
    return line.descriptor() >= most_descriptors_ - kept_;
  }
  void receive(Socket socket);
  void forget(Guests::iterator guest);
  void hear(Guests::iterator guest, const Frame& frame);
  void note_refused(const Connection& line, const std::string& why);
  std::optional<Refusal> objection_to(const Hello& who, const Connection& line) const;
  void refuse(BoundedNotes& notes, const std::string& who, const Refusal& refusal, Connection& line);
  void hear_inquiry(const Inquiry& inquiry, Connection& line);
  void put_out_silent();
  void put_out_crowds();
  void put_out(Connection& line, const Refusal& why);

  Loop& loop_;
  const int most_descriptors_, kept_;
  Listener listener_;
  asio::steady_timer timer_;
  Hello own_;
  Wiring wiring_;
  Admit admit_;
  Answer answer_;
  std::optional<Refusal> closed_;
  Objection objection_ = [](const Hello&, const Connection&) { return std::nullopt; };
  BoundedNotes strangers_;  // about connections without a valid introduction
  BoundedNotes refusals_;   // about other processes; many strangers must not suppress these notes
  Guests guests_;
};

}  // namespace loadshare::tcp
