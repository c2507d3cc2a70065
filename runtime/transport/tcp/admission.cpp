#include "runtime/transport/tcp/admission.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "base/io/process.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare::tcp {
namespace {

std::string own_processor() {
  utsname names{};
  uname(&names);
  return std::string(names.machine) + (std::endian::native == std::endian::little ? "" : ", big endian");
}

std::string program_text(const Hello& who) {
  return who.program + " " + who.version;
}

/// Each connection is a descriptor, of which many systems grant a thousand unless asked.
void want_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

asio::ip::tcp::acceptor listen_at(asio::io_context& io, const Address& address, const Endpoints& endpoints) {
  try {
    return {io, endpoints.front()};
  } catch (const std::system_error& error) {
    throw UsageError("cannot listen at " + address.text(), error.code().message(),
                     error.code() == asio::error::address_in_use
                         ? "another master may be there: take another port"
                         : "take an address of this host");
  }
}

}  // namespace

Hello own_hello(std::size_t workers, const NetworkOptions& network) {
  return {.program = program_invocation_short_name,
          .version = LOADSHARE_VERSION,
          .processor = own_processor(),
          .host = host_name(),
          .workers = static_cast<std::uint32_t>(workers),
          .known_as = network.known_as,
          .started_as = network.started_as};
}

std::optional<Refusal> refusal_of(const Hello& own, const Hello& other) {
  const auto refuse_for = [](const std::string& theirs, const std::string& ours) {
    return Refusal{theirs + " cannot join", "the master is " + ours, "start the same program on both sides"};
  };
  if (own.program != other.program || own.version != other.version)
    return refuse_for(program_text(other), program_text(own));
  if (own.processor != other.processor)
    return refuse_for("a host with " + other.processor, "on " + own.processor);
  constexpr std::uint32_t most_workers = 4096;
  if (other.workers < 1 || other.workers > most_workers)
    return Refusal{std::to_string(other.workers) + " workers cannot join",
                   "from 1 to " + std::to_string(most_workers) + " can", ""};
  return std::nullopt;
}

Admission::Admission(Loop& loop, const Address& address, const Endpoints& endpoints, Hello own, Wiring wiring,
                     Admit admit, Answer answer)
    : loop_(loop),
      acceptor_(listen_at(loop.io(), address, endpoints)),
      timer_(loop.io()),
      retry_(loop.io()),
      own_(std::move(own)),
      wiring_(std::move(wiring)),
      admit_(std::move(admit)),
      answer_(std::move(answer)) {
  want_many_descriptors();
  loop_.watch_for_asio(acceptor_.native_handle());
  accept();
  put_out_silent();
}

Admission::~Admission() {
  for (Guest& guest : guests_) guest.line->close();
}

std::string Admission::address() const {
  const auto end = acceptor_.local_endpoint();
  return Address{end.address().to_string(), std::to_string(end.port())}.text();
}

void Admission::accept() {
  acceptor_.async_accept([this](std::error_code error, Socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) receive(std::move(socket));
    if (error != asio::error::no_descriptors) return accept();
    retry_.expires_after(std::chrono::seconds(1));  // somebody may have left by then
    retry_.async_wait([this](std::error_code cancelled) {
      if (!cancelled) accept();
    });
  });
}

void Admission::receive(Socket socket) {
  if (guests_.size() >= most_unknown) {
    guests_.front().line->close();
    guests_.pop_front();
  }
  const int number = socket.native_handle();
  const auto line = std::make_shared<Connection>(loop_, std::move(socket), wiring_(number));
  const auto guest = guests_.insert(guests_.end(), {line, monotonic_s() + most_unknown_s});
  line->start({.take = [this, guest](const Frame& frame) { hear(guest, frame); },
               .ended = [this, guest](const std::string&) { guests_.erase(guest); }});
}

void Admission::hear(Guests::iterator guest, const Frame& frame) {
  if (frame.kind == FrameKind::inquiry) return hear_inquiry(decode<Inquiry>(frame), *guest->line);
  if (frame.kind != FrameKind::hello) throw BadFrame("it did not say who it is");
  const auto who = decode<Hello>(frame);
  const std::shared_ptr<Connection> line = guest->line;
  if (const auto refusal = objection_to(who)) {  // it stays a guest until it leaves
    line->send(*refusal);
    return line->send_last();
  }
  guests_.erase(guest);
  admit_(who, line);
}

std::optional<Refusal> Admission::objection_to(const Hello& who) const {
  if (closed_) return closed_;
  const std::optional<Refusal> refusal = refusal_of(own_, who);
  return refusal ? refusal : objection_(who);
}

// Who asks stays a guest, too.
void Admission::hear_inquiry(const Inquiry& inquiry, Connection& line) {
  if (inquiry.version == own_.version)
    answer_(inquiry, line);
  else
    line.send(Refusal{"loadshare " + inquiry.version + " cannot ask", "the master is " + program_text(own_),
                      "take the loadshare that came with it"});
  line.send_last();
}

void Admission::put_out_silent() {
  while (!guests_.empty() && guests_.front().leaves_at_s < monotonic_s()) {
    guests_.front().line->close();
    guests_.pop_front();
  }
  timer_.expires_after(std::chrono::milliseconds(500));
  timer_.async_wait([this](std::error_code error) {
    if (!error) put_out_silent();
  });
}

}  // namespace loadshare::tcp
