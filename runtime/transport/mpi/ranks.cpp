#include "runtime/transport/mpi/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/io/process.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/host/shared_room.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/poll_nap.hpp"

namespace loadshare::mpi {
namespace {

/// Room for a window. With `plenty`, pages can be taken at their first use, whatever other runs do meanwhile.
enum class Room { none, enough, plenty };

/// Returns `plenty` without a check for a window of one rank, which is plain memory, and for a folder that
/// MPI cannot use.
Room find_room(const Communicator& host, std::size_t bytes) {
  constexpr std::size_t times = 4;
  const std::optional<Bytes> free = free_bytes(shared_memory_folder);
  if (host.size() == 1 || !free || *free / times >= bytes) return Room::plenty;
  return bytes <= *free ? Room::enough : Room::none;
}

/// Returns the room that the first rank of a host found. If it found none, all ranks of the host throw, so
/// that none waits for the others.
Room require_room(const Communicator& host, std::size_t bytes, Room found) {
  check(MPI_Bcast(&found, sizeof(found), MPI_BYTE, 0, host.get()), "MPI_Bcast");
  if (found != Room::none) return found;
  throw UsageError(fmt::format("the ranks on {} need {} more of {}", host_name(), human_bytes(bytes),
                               shared_memory_folder),
                   free_text(shared_memory_folder), more_room);
}

/// Takes and clears a window's pages. Returns false if there are too few: touching them would end the
/// process.
bool take_pages(std::span<std::byte> window, bool is_file) {
  const int error = populate(window);
  constexpr std::array too_few{EFAULT, ENOMEM};
  if (is_file && std::ranges::find(too_few, error) != too_few.end()) return false;
  std::memset(window.data(), 0, window.size());  // MPI promises nothing of what is in it
  return true;
}

}  // namespace

SharedWindow::SharedWindow(const Communicator& host, std::size_t bytes, Pages pages) {
  if (bytes == 0) return;
  constexpr std::size_t line = 64;
  const bool is_owner = host.rank() == 0;
  std::optional<FolderLock> lock;
  if (is_owner && host.size() > 1) lock.emplace(shared_memory_folder);
  check(MPI_Barrier(host.get()),
        "MPI_Barrier");  // from here on the lock keeps other runs from the room given back
  room_for_windows().give_back(bytes + line);
  check(MPI_Barrier(host.get()), "MPI_Barrier");
  const Room found = require_room(host, bytes, find_room(host, bytes + line));
  void* base = nullptr;
  const auto own = static_cast<MPI_Aint>(is_owner ? bytes + line : 0);
  check(MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, host.get(), &base, &window_),
        "MPI_Win_allocate_shared");
  MPI_Aint size = 0;
  int unit = 0;
  check(MPI_Win_shared_query(window_, 0, &size, &unit, &base), "MPI_Win_shared_query");
  // All ranks map whole pages, so that the distance to the next cache line is the same for each.
  std::size_t room = bytes + line;
  bytes_ = {static_cast<std::byte*>(std::align(line, bytes, base, room)), bytes};
  if (pages == Pages::when_used && found == Room::plenty) return;
  require_room(host, bytes, !is_owner || take_pages(bytes_, host.size() > 1) ? Room::enough : Room::none);
  if (!is_owner) populate(bytes_);
}

// Freeing is collective: with an error on its way out the others may be elsewhere, and the process ends
// anyway.
SharedWindow::~SharedWindow() {
  if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() == 0) MPI_Win_free(&window_);
}

std::span<std::byte> Ranks::memory(std::size_t bytes, Pages pages) {
  finish_last_run();
  return windows_.emplace_back(group_.host(), bytes, pages).bytes();
}

bool Ranks::owns(std::span<const std::byte> bytes) const {
  return std::ranges::any_of(windows_, [bytes](const SharedWindow& window) {
    return window.bytes().data() <= bytes.data() &&
           bytes.data() + bytes.size() <= window.bytes().data() + window.bytes().size();
  });
}

std::span<std::byte> Ranks::aside(std::size_t bytes) {
  if (aside_.size() < bytes) aside_ = memory(bytes, Pages::when_used);
  return aside_.first(bytes);
}

std::span<std::byte> Ranks::control(std::size_t bytes) {
  if (control_.size() < bytes) return control_ = memory(bytes, Pages::at_once);
  check(MPI_Barrier(group_.host().get()), "MPI_Barrier");  // all have left the last run
  if (group_.host().rank() == 0) std::memset(control_.data(), 0, bytes);
  check(MPI_Barrier(group_.host().get()), "MPI_Barrier");
  return control_.first(bytes);
}

Correspondence& Ranks::correspond(DataLayout& layout, SharedInput& shared,
                                  const std::vector<WorkerId>& workers) {
  correspondences_.push_back(std::make_unique<Correspondence>(group_, layout, shared, workers));
  return *correspondences_.back();
}

Ranks::~Ranks() {
  constexpr double moment_s = 2;
  const double end_s = monotonic_s() + moment_s;
  try {
    for (PollNap nap; !has_sent_all() && monotonic_s() < end_s;) nap.rest();
  } catch (...) {  // MPI itself fails, or memory is exhausted: waiting is impossible
  }
}

void Ranks::finish_last_run() {
  if (!group_.is_master()) {
    for (PollNap nap; !has_sent_all();) nap.rest();
  } else if (!await_stragglers(patience_s_)) {
    throw Error(
        ExitCode::workers_lost,
        stragglers() + " not answered for " + duration_text(patience_s_) + " since the last loop ended",
        "that loop did not need them any more, but the next one begins with all ranks",
        "run it again, with --resume if there is a --journal");
  }
}

// Nothing waits for it, for its receiver may be stopped.
void Ranks::send(int to, Tag tag, std::shared_ptr<const std::string> text) {
  has_sent_all();
  const std::string& message = *sent_.emplace(next_sent_, std::move(text)).first->second;
  check(MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_CHAR, to, number(tag),
                  group_.all().get(), sends_.add(next_sent_++)),
        "MPI_Isend");
}

bool Ranks::has_sent_all() {
  sends_.take_completed([this](std::size_t sent, int) { sent_.erase(sent); });
  return sends_.is_empty();
}

std::optional<Ranks::Letter> Ranks::take(int from, Tag tag) {
  int is_there = 0;
  MPI_Status status;
  check(MPI_Iprobe(from, number(tag), group_.all().get(), &is_there, &status), "MPI_Iprobe");
  if (is_there == 0) return std::nullopt;
  int length = 0;
  check(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
  Letter letter{status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
  check(MPI_Recv(letter.text.data(), length, MPI_CHAR, letter.from, number(tag), group_.all().get(),
                 MPI_STATUS_IGNORE),
        "MPI_Recv");
  return letter;
}

std::string Ranks::from_master(std::string text) {
  if (group_.is_master()) {
    const auto shared = std::make_shared<const std::string>(std::move(text));
    for (int rank = 0; rank < group_.ranks(); ++rank)
      if (rank != group_.rank()) send(rank, Tag::from_master, shared);
    return *shared;
  }
  for (PollNap nap;; nap.rest())
    if (auto letter = take(group_.master_rank(), Tag::from_master)) return std::move(letter->text);
}

std::vector<std::string> Ranks::to_master(std::string text, double patience_s) {
  ++rounds_;
  if (!group_.is_master()) {
    send(group_.master_rank(), Tag::account,
         std::make_shared<const std::string>(std::to_string(rounds_) + ' ' + text));
    return {};
  }
  answers_[static_cast<std::size_t>(group_.rank())] = {rounds_, std::move(text)};
  const double end_s = monotonic_s() + patience_s;
  for (PollNap nap; !unanswered().empty() && monotonic_s() < end_s;)
    if (!take_answer()) nap.rest();
  std::vector<std::string> texts;
  for (Answer& answer : answers_)
    texts.push_back(answer.round == rounds_ ? std::move(answer.text) : std::string());
  return texts;
}

// One of an earlier round has come too late, and nobody reads it.
bool Ranks::take_answer() {
  const std::optional<Letter> letter = take(MPI_ANY_SOURCE, Tag::account);
  if (!letter) return false;
  const std::size_t space = letter->text.find(' ');
  const std::optional<int> round = parse_integer<int>(letter->text.substr(0, space));
  if (!round)
    throw Error(ExitCode::run_failed, "an answer of rank " + std::to_string(letter->from) + " cannot be read",
                "it does not begin with a number", "start the same program on all ranks");
  answers_[static_cast<std::size_t>(letter->from)] = {*round, letter->text.substr(space + 1)};
  return true;
}

bool Ranks::has_stragglers() {
  while (take_answer()) {
  }
  std::erase_if(correspondences_, [](const auto& one) { return one->is_over(); });
  return !correspondences_.empty() || !unanswered().empty() || !has_sent_all();
}

std::vector<int> Ranks::unanswered() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < group_.ranks(); ++rank)
    if (rank != group_.rank() && answers_[static_cast<std::size_t>(rank)].round < rounds_)
      ranks.push_back(rank);
  return ranks;
}

// Who has not even said goodbye holds up the others.
std::string Ranks::stragglers() const {
  std::vector<int> ranks;
  for (const auto& one : correspondences_) ranks = one->messages.unheard();
  if (ranks.empty()) ranks = unanswered();
  if (ranks.empty()) return "a rank has";
  std::string names = ranks.size() > 1 ? "ranks " : "rank ";
  for (const int rank : ranks) names += (rank == ranks.front() ? "" : ", ") + std::to_string(rank);
  return names + (ranks.size() > 1 ? " have" : " has");
}

bool Ranks::await_stragglers(double patience_s) {
  constexpr double silent_s = 1, longest_look_s = 1;
  double waited_s = 0, looked_s = monotonic_s();
  bool has_said = false;
  for (PollNap nap; has_stragglers(); nap.rest()) {
    const double now_s = monotonic_s();
    waited_s += std::min(now_s - std::exchange(looked_s, now_s), longest_look_s);
    if (waited_s > patience_s) return false;
    if (waited_s < silent_s || std::exchange(has_said, true)) continue;
    std::fprintf(
        stderr,
        "note: %s not answered since the last loop ended, which did not need that answer; waiting%s\n",
        stragglers().c_str(),
        patience_s < RunPlan::forever_s
            ? (" for up to " + std::to_string(std::lround(patience_s)) + " s").c_str()
            : "");
  }
  return true;
}

}  // namespace loadshare::mpi
