#include "runtime/transport/tcp/admission.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <limits>
#include <map>
#include <utility>

#include "base/io/process.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"

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

std::string build_text(const Hello& who) {
  return fmt::format("{}, build {:016x}", program_text(who), who.build);
}

constexpr int most_notes = 20;

/// Each connection is a descriptor, of which many systems grant a thousand unless asked. Returns how many
/// this process may have.
int want_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<int>::max();
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max()));
}

}  // namespace

Hello own_hello(std::size_t workers, const NetworkOptions& network) {
  return {.program = program_invocation_short_name,
          .version = LOADSHARE_VERSION,
          .processor = own_processor(),
          .host = host_name(),
          .workers = static_cast<std::uint32_t>(workers),
          .known_as = network.known_as,
          .started_as = network.started_as,
          .build = own_build()};
}

std::optional<Refusal> refusal_of(const Hello& own, const Hello& other) {
  const auto refuse_for = [](const std::string& theirs, const std::string& ours,
                             const std::string& suggestion = "start the same program on both sides") {
    return Refusal{theirs + " cannot join", "the master is " + ours, suggestion};
  };
  if (own.program != other.program || own.version != other.version)
    return refuse_for(program_text(other), program_text(own));
  if (own.processor != other.processor)
    return refuse_for("a host with " + other.processor, "on " + own.processor);
  if (own.build != 0 && other.build != 0 && own.build != other.build)
    return refuse_for(build_text(other), build_text(own),
                      "install the master's program in place of this one");
  constexpr std::uint32_t most = Admission::most_workers_of_process;
  if (other.workers < 1 || other.workers > most)
    return Refusal{fmt::format("a process with {} workers cannot join", other.workers),
                   fmt::format("a process may have 1 to {}", most),
                   "use fewer --workers, or start several processes"};
  return std::nullopt;
}

Admission::Admission(Loop& loop, const Address& address, const Endpoints& endpoints, Hello own, Wiring wiring,
                     Admit admit, Answer answer, Note note)
    : loop_(loop),
      most_descriptors_(want_many_descriptors()),
      kept_(std::min(most_kept_descriptors, most_descriptors_ / 4)),
      listener_(
          loop.io(), "listen", address, endpoints, [this] { return has_room(); },
          [this](Socket socket) { receive(std::move(socket)); }, note),
      timer_(loop.io()),
      own_(std::move(own)),
      wiring_(std::move(wiring)),
      admit_(std::move(admit)),
      answer_(std::move(answer)),
      strangers_(most_notes, note),
      refusals_(most_notes, std::move(note)) {
  loop_.watch_for_asio(listener_.number());
  put_out_silent();
}

Admission::~Admission() {
  for (Guest& guest : guests_) guest.line->close();
  try {
    for (BoundedNotes* notes : {&strangers_, &refusals_}) notes->finish();
  } catch (...) {  // a note is not worth more
  }
}

std::string Admission::address() const {
  const auto end = listener_.end();
  return Address{end.address().to_string(), std::to_string(end.port())}.text();
}

/// Only a few guests at a time are refused for lack of descriptors, so that some remain for the next ones.
bool Admission::has_room() const {
  constexpr std::ptrdiff_t most_refused = 4;
  const auto refused =
      std::ranges::count_if(guests_, [this](const Guest& one) { return has_last_descriptor(*one.line); });
  return guests_.size() < most_unknown && refused < std::min<std::ptrdiff_t>(most_refused, kept_);
}

std::optional<Refusal> Admission::objection_to_descriptor(const Connection& line) const {
  if (!has_last_descriptor(line)) return std::nullopt;
  return Refusal{
      "the master has no file descriptor left for this process",
      fmt::format("it may have {} (`ulimit -n`), of which it keeps {} for itself", most_descriptors_, kept_),
      "start the master under a higher `ulimit -n`, or give other processes more --workers"};
}

void Admission::receive(Socket socket) {
  const int number = socket.native_handle();
  const auto line = std::make_shared<Connection>(loop_, std::move(socket), wiring_(number));
  const auto guest = guests_.insert(guests_.end(), Guest{line});
  line->start({.take = [this, guest](const Frame& frame) { hear(guest, frame); },
               .ended =
                   [this, guest](const std::string& why) {
                     note_refused(*guest->line, why);
                     forget(guest);
                   }});
}

// A process that only checks whether a master listens here leaves without a reason, and is not noted.
void Admission::note_refused(const Connection& line, const std::string& why) {
  if (!why.empty()) strangers_.tell(line.peer_address() + " was refused: " + why, loop_.turned_s());
}

void Admission::forget(Guests::iterator guest) {
  guests_.erase(guest);
  listener_.accept();
}

void Admission::hear(Guests::iterator guest, const Frame& frame) {
  if (std::exchange(guest->has_spoken, true)) throw BadFrame("it sent more than its introduction");
  if (const auto stranger = guest->line->objection())
    return refuse(strangers_, guest->line->peer_address(), *stranger, *guest->line);
  if (frame.kind == FrameKind::inquiry) return hear_inquiry(decode<Inquiry>(frame), *guest->line);
  if (frame.kind != FrameKind::hello) throw BadFrame("its first message is no introduction");
  auto who = decode<Hello>(frame);
  for (std::string* text : {&who.program, &who.version, &who.processor, &who.host}) *text = printable(*text);
  const std::shared_ptr<Connection> line = guest->line;
  // A refused process stays a guest until it leaves.
  if (const auto refusal = objection_to(who, *line))
    return refuse(refusals_, fmt::format("{} ({})", who.host, line->peer_address()), *refusal, *line);
  forget(guest);
  admit_(who, line);
}

std::optional<Refusal> Admission::objection_to(const Hello& who, const Connection& line) const {
  if (closed_) return closed_;
  const std::optional<Refusal> refusal = refusal_of(own_, who);
  return refusal ? refusal : objection_(who, line);
}

void Admission::refuse(BoundedNotes& notes, const std::string& who, const Refusal& refusal,
                       Connection& line) {
  notes.tell(fmt::format("{} was refused: {} ({})", who, refusal.problem, refusal.why), loop_.turned_s());
  line.send(refusal);
  line.send_last();
}

// A process that sends an inquiry stays a guest, too.
void Admission::hear_inquiry(const Inquiry& inquiry, Connection& line) {
  if (!(inquiry.leaves_in_s >= 0 && inquiry.leaves_in_s <= longest_duration_s))
    throw BadFrame("it asks for an invalid time");
  if (inquiry.version != own_.version)
    return refuse(refusals_, line.peer_address(),
                  {"loadshare " + printable(inquiry.version) + " cannot query this master",
                   "the master is " + program_text(own_), "use the loadshare that was built with it"},
                  line);
  answer_(inquiry, line);
  line.send_last();
}

void Admission::put_out(Connection& line, const Refusal& why) {
  line.send(why);
  line.flush();
  line.close();
}

// An address whose connections are slow to introduce themselves must not keep the others waiting.
void Admission::put_out_crowds() {
  std::map<std::string, std::size_t> slow, ended;
  for (const Guest& guest : guests_)
    if (guest.looks > 0) ++slow[guest.line->peer_host()];
  for (auto guest = guests_.begin(); guest != guests_.end();) {
    const auto one = guest++;
    const std::string address = one->line->peer_host();
    if (one->looks == 0 || slow[address] <= most_unknown_of_address) continue;
    --slow[address];
    ++ended[address];
    put_out(*one->line,
            {"too many connections from this address have not introduced themselves",
             fmt::format("at most {} may be in that state", most_unknown_of_address), "try again"});
    guests_.erase(one);
  }
  for (const auto& [address, count] : ended)
    strangers_.tell(
        fmt::format("{} connections from {} were ended: more than {} had not introduced themselves", count,
                    address, most_unknown_of_address),
        loop_.turned_s());
}

// Only time in which the master polled counts: if it was stopped itself, it could not receive introductions.
// If other connections wait for their turn, a silent one has a second.
void Admission::put_out_silent() {
  constexpr std::chrono::milliseconds look_again{500};
  const bool is_full = guests_.size() >= most_unknown;
  const auto most_looks = std::chrono::seconds(is_full ? 1 : most_unknown_s) / look_again;
  for (Guest& guest : guests_) ++guest.looks;
  put_out_crowds();
  while (!guests_.empty() && guests_.front().looks > most_looks) {
    if (!guests_.front().has_spoken)
      note_refused(*guests_.front().line, "it has not introduced itself in time");
    put_out(*guests_.front().line, {"this process has not introduced itself in time",
                                    fmt::format("it has {} s", most_unknown_s), "try again"});
    guests_.pop_front();
  }
  for (BoundedNotes* notes : {&strangers_, &refusals_}) notes->look(loop_.turned_s());
  listener_.accept();
  timer_.expires_after(look_again);
  timer_.async_wait([this](std::error_code error) {
    if (!error) put_out_silent();
  });
}

}  // namespace loadshare::tcp
