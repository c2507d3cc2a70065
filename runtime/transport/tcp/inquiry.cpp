#include "runtime/transport/tcp/inquiry.hpp"

#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/tcp/connection.hpp"
#include "runtime/transport/tcp/master_line.hpp"

namespace loadshare::tcp {
namespace {

struct Answered {
  std::vector<Listing> listings;
  std::optional<Refusal> refusal;
  bool is_all = false;
  std::optional<std::string> ended;  ///< why
  bool is_known = false;             ///< the master is the user's

  void take(const Frame& frame, const Connection& line) {
    if (!std::exchange(is_known, true)) refusal = line.objection();
    if (refusal) return;
    if (frame.kind == FrameKind::listing) take(decode<Listing>(frame));
    if (frame.kind == FrameKind::refusal) refusal = decode<Refusal>(frame);
    is_all = frame.kind == FrameKind::farewell;
  }
  bool is_over() const { return is_all || refusal || ended; }
  void take(Listing listing) {
    if (listing.state > Listing::State::set_aside) throw BadFrame("a worker is in an unknown state");
    for (std::string* text : {&listing.host, &listing.address}) *text = printable(*text);
    listings.push_back(std::move(listing));
  }
};

}  // namespace

std::vector<Listing> inquire(const NetworkOptions& network, Inquiry inquiry) {
  constexpr double patience_s = 5;
  Loop loop;
  const Dialled dialled = dial(loop, network, 0, "MASTER");
  Answered answered;
  dialled.line->start({.take = [&](const Frame& frame) { answered.take(frame, *dialled.line); },
                       .ended = [&answered](const std::string& why) { answered.ended = why; }});
  inquiry.version = LOADSHARE_VERSION;
  dialled.line->send(inquiry);
  for (const double end_s = monotonic_s() + patience_s; !answered.is_over() && monotonic_s() < end_s;)
    loop.wait(end_s - monotonic_s());
  dialled.line->close();
  if (answered.refusal)
    throw UsageError(answered.refusal->problem, answered.refusal->why, answered.refusal->suggestion);
  if (answered.ended && dialled.line->has_other_secret()) throw_not_let_in(network, *answered.ended);
  if (answered.ended && !answered.is_all && !answered.ended->empty())
    throw Error(ExitCode::run_failed, no_master_at + network.join,
                "another program seems to use that port: " + *answered.ended, "check the master's address");
  if (answered.ended && !answered.is_all)
    throw Error(ExitCode::run_failed, "the master at " + network.join + " ended the connection",
                "its program is ending, or it requires a secret",
                "try again, with its --secret-file if it has one");
  if (!answered.is_all)
    throw Error(ExitCode::run_failed, "the master at " + network.join + " does not answer",
                "no reply within 5 s: it may be between two loops, or stopped", "try again later");
  return answered.listings;
}

}  // namespace loadshare::tcp
