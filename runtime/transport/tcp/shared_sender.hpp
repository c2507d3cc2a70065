#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/transport/shared_input.hpp"
#include "runtime/transport/tcp/connection.hpp"
#include "runtime/transport/tcp/shared_copies.hpp"

namespace loadshare::tcp {

/// The shared input's way to the members in one run, at the master: each is offered piece after piece by its
/// hash, and sent what it has not. A host gets each piece once: while one of its processes gets it, the
/// others wait, and then are told where it lies. Who is lost or silent is waited for by nobody.
class SharedSender {
 public:
  SharedSender(std::uint32_t run, std::size_t pieces, SharedInput& shared);

  /// One more process, of this host, with its shared input there; its number counts from 0.
  void add(std::shared_ptr<Connection> line, const std::string& host, const HeldAt& memory);
  /// It is there again, after it was lost, with nothing of what it had.
  void come_back(std::size_t process, std::shared_ptr<Connection> line, const HeldAt& memory);
  /// It is not there any more, or not heard of.
  void lose(std::size_t process);
  void set_silent(std::size_t process, bool is_silent);

  /// Sends a little; false: there is nothing to send to it now.
  bool send_more(std::size_t process);
  /// It has the piece, or wants it. Throws BadFrame where it was not asked.
  void take(std::size_t process, const SharedAnswer& answer);
  /// Those for whom a piece was not prepared try again.
  void look_again();

  /// Whether the process has all of it, as far as it said.
  bool is_at(std::size_t process) const { return processes_[process].here == pieces_; }
  bool awaits_piece() const { return awaits_piece_; }
  /// Seconds (monotonic_s) when the last who has all of it had it, who may have come late; nothing where
  /// nobody has.
  std::optional<double> done_s() const { return done_s_; }

 private:
  struct Process {
    std::shared_ptr<Connection> line;  ///< null: it is gone
    std::vector<std::size_t>* host;    ///< the processes of its host
    HeldAt memory;
    std::vector<bool> has;              ///< each piece
    std::size_t offered = 0, here = 0;  ///< so many pieces
    std::deque<std::size_t> wanted = {};
    std::size_t gone = 0;  ///< bytes of the first of them
    bool is_silent = false;
  };

  bool offer_next(Process& process);
  bool send_part(Process& process);
  /// Where the host has it; nothing: it is on its way there.
  std::optional<HeldAt> whereabouts(const Process& process, std::size_t piece) const;
  const ContentHash& hash_of(std::size_t piece);
  void wake(const std::vector<std::size_t>& processes);

  std::uint32_t run_;
  SharedInput& shared_;
  std::size_t pieces_;
  std::vector<std::optional<ContentHash>> hashes_;
  std::deque<Process> processes_;
  std::map<std::string, std::vector<std::size_t>> hosts_;
  std::optional<double> done_s_;
  bool awaits_piece_ = false;
};

}  // namespace loadshare::tcp
