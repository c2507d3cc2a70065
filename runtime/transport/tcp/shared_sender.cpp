#include "runtime/transport/tcp/shared_sender.hpp"

#include <algorithm>
#include <utility>

#include "runtime/host/clock.hpp"

namespace loadshare::tcp {

namespace {
/// Offers under way to one process, so that none waits for an answer's round trip.
constexpr std::size_t most_open_offers = 64;
}  // namespace

SharedSender::SharedSender(std::uint32_t run, std::size_t pieces, SharedInput& shared)
    : run_(run), shared_(shared), pieces_(pieces), hashes_(pieces) {}

void SharedSender::add(std::shared_ptr<Connection> line, const std::string& host, const HeldAt& memory) {
  std::vector<std::size_t>& same_host = hosts_[host];
  same_host.push_back(processes_.size());
  processes_.push_back(
      {.line = std::move(line), .host = &same_host, .memory = memory, .has = std::vector<bool>(pieces_)});
  if (pieces_ > 0) processes_.back().line->wants_to_send();
}

void SharedSender::come_back(std::size_t process, std::shared_ptr<Connection> line, const HeldAt& memory) {
  std::vector<std::size_t>* const host = processes_[process].host;
  processes_[process] = {
      .line = std::move(line), .host = host, .memory = memory, .has = std::vector<bool>(pieces_)};
  if (pieces_ > 0) processes_[process].line->wants_to_send();
}

void SharedSender::lose(std::size_t process) {
  processes_[process].line = nullptr;
  wake(*processes_[process].host);
}

void SharedSender::set_silent(std::size_t process, bool is_silent) {
  processes_[process].is_silent = is_silent;
  wake(*processes_[process].host);
}

bool SharedSender::send_more(std::size_t process) {
  Process& its = processes_[process];
  return its.wanted.empty() ? offer_next(its) : send_part(its);
}

// Pieces travel prepared. Where nobody has begun to prepare one, that is done here.
bool SharedSender::offer_next(Process& process) {
  const std::size_t piece = process.offered;
  if (piece == pieces_ || piece - process.here >= most_open_offers) return false;
  const std::optional<HeldAt> held = whereabouts(process, piece);
  if (!held) return false;
  if (!shared_.try_prepare(piece)) {
    awaits_piece_ = true;
    return false;
  }
  const ContentHash& hash = hash_of(piece);
  process.line->send(SharedOffer{run_, piece, hash.low, hash.high, held->process, held->address});
  ++process.offered;
  return true;
}

std::optional<HeldAt> SharedSender::whereabouts(const Process& process, std::size_t piece) const {
  const auto first_byte =
      static_cast<std::uint64_t>(shared_.bytes(piece).data() - shared_.all_bytes().data());
  bool is_on_its_way = false;
  for (const std::size_t number : *process.host) {
    const Process& other = processes_[number];
    if (&other == &process || other.line == nullptr) continue;
    if (other.has[piece]) return HeldAt{other.memory.process, other.memory.address + first_byte};
    is_on_its_way = is_on_its_way || (!other.is_silent && !other.has[piece] && other.offered > piece);
  }
  return is_on_its_way ? std::nullopt : std::optional(HeldAt{});
}

const ContentHash& SharedSender::hash_of(std::size_t piece) {
  if (!hashes_[piece]) hashes_[piece] = content_hash(shared_.bytes(piece));
  return *hashes_[piece];
}

bool SharedSender::send_part(Process& process) {
  const std::size_t number = process.wanted.front();
  const ByteView piece = shared_.bytes(number);
  const std::size_t bytes = std::min(most_payload_bytes, piece.size() - process.gone);
  process.line->send_in_place(SharedPart{run_, number, process.gone}, piece.subspan(process.gone, bytes));
  process.gone += bytes;
  if (process.gone < piece.size()) return true;
  process.gone = 0;
  process.wanted.pop_front();
  return true;
}

void SharedSender::take(std::size_t process, const SharedAnswer& answer) {
  Process& its = processes_[process];
  const std::size_t piece = answer.piece;
  const bool was_asked = piece < its.offered && !its.has[piece];
  if (!was_asked || std::ranges::find(its.wanted, piece) != its.wanted.end())
    throw BadFrame("an answer arrived that was not requested");
  its.line->wants_to_send();
  if (answer.is_here == 0) return its.wanted.push_back(piece);
  its.has[piece] = true;
  if (++its.here == pieces_) done_s_ = monotonic_s();
  wake(*its.host);
}

void SharedSender::look_again() {
  if (!std::exchange(awaits_piece_, false)) return;
  for (const auto& [host, processes] : hosts_) wake(processes);
}

void SharedSender::wake(const std::vector<std::size_t>& processes) {
  if (pieces_ == 0) return;
  for (const std::size_t number : processes)
    if (processes_[number].line != nullptr) processes_[number].line->wants_to_send();
}

}  // namespace loadshare::tcp
