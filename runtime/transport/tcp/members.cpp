#include "runtime/transport/tcp/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/io/text.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/tcp/tls.hpp"

namespace loadshare::tcp {

Members::Members(Loop& loop, const NetworkOptions& options, std::uint32_t local_workers)
    : Members(loop, options, local_workers, Address::parse("--listen", options.listen),
              resolve(loop.io(), "--listen", Address::parse("--listen", options.listen))) {}

Members::Members(Loop& loop, const NetworkOptions& options, std::uint32_t local_workers,
                 const Address& address, const Endpoints& endpoints)
    : loop_(loop),
      options_(options),
      notes_(500, [this](const std::string& text) { options_.note(text); }),
      next_rank_(1 + local_workers),
      admission_(
          loop, address, endpoints, own_hello(1), make_wiring(Side::master, options, address, endpoints),
          [this](const Hello& who, std::shared_ptr<Connection> line) { admit(who, std::move(line)); },
          [this](const Inquiry& inquiry, Connection& line) { answer(inquiry, line); },
          [this](const std::string& text) { options_.note(text); }) {
  admission_.set_objection(
      [this](const Hello& who, const Connection& line) { return objection_to(who, line); });
  if (const std::string note = own_host_note(address, endpoints); !note.empty())
    options.note(note + ": for workers on other hosts give --listen an address of their network");
  if (!options.start_on.empty()) started_.emplace(loop, options, admission_.address());
}

Members::~Members() {
  for (Member& member : members_) member.line->close();
}

std::size_t Members::workers() const {
  std::size_t count = 0;
  for (const Member& member : members_) count += member.who.workers;
  return count;
}

// Whoever was started by a master is gone with that one, also where another has taken its place.
std::optional<Refusal> Members::objection_to(const Hello& who, const Connection& line) const {
  const bool is_anothers = !who.started_as.empty() && !(started_ && started_->has_started(who.started_as));
  if (is_anothers)
    return Refusal{"the master that has started this process has ended", "another master uses its address",
                   ""};
  if (seats_.contains(who.known_as)) return std::nullopt;
  const std::optional<Refusal> objection = admission_.objection_to_descriptor(line);
  return objection ? objection : refusal_for_room(who, line);
}

std::optional<Refusal> Members::refusal_for_room(const Hello& who, const Connection& line) const {
  const auto of_address = static_cast<std::size_t>(
      std::ranges::count(members_, line.peer_host(), [](const Member& one) { return one.host_address(); }));
  const auto refusal = [](std::size_t most, const char* of_what) {
    return Refusal{"there is no room for this process", fmt::format("the limit is {} {}", most, of_what),
                   "give the others more --workers each, or join when some have left"};
  };
  if (of_address >= most_processes_of_address)
    return refusal(most_processes_of_address, "processes of one address");
  if (members_.size() >= most_processes) return refusal(most_processes, "processes");
  if (workers() + who.workers > most_workers) return refusal(most_workers, "workers");
  return std::nullopt;
}

void Members::admit(const Hello& who, std::shared_ptr<Connection> line) {
  Member& member = members_.emplace_back(known(who));
  member.line = std::move(line);
  member.line->start({.take = [this, &member](const Frame& frame) { take(member, frame); },
                      .ended = [this, &member](const std::string& why) { lose(member, why); },
                      .send_more = [this, &member] { return send_more(member); },
                      .came = [this, &member] { hear(member); }});
  member.line->send(Welcome{member.rank, member.secret_name, options_.may_come_back});
  if (started_) started_->joined(who.started_as);
  note(fmt::format("{} joined{} with {} worker{}", member.name(), who.known_as.empty() ? "" : " again",
                   who.workers, who.workers == 1 ? "" : "s"));
}

/// A process that was here before has the same ranks again. Its earlier connection may not be known to be
/// cut.
Member Members::known(const Hello& who) {
  const auto seat = seats_.find(who.known_as);
  if (seat == seats_.end() || seat->second.workers != who.workers) {
    std::random_device dice;
    const std::string name = fmt::format("{:08x}{:08x}{:08x}{:08x}", dice(), dice(), dice(), dice());
    seats_[name] = {next_rank_, who.workers};
    return {.rank = std::exchange(next_rank_, next_rank_ + who.workers),
            .secret_name = name,
            .who = who,
            .line = {}};
  }
  const std::uint32_t rank = seat->second.rank;
  const auto before = std::ranges::find(members_, rank, &Member::rank);
  if (before != members_.end()) {
    before->line->close();
    lose(*before, "it has connected again");
  }
  return {.rank = rank,
          .secret_name = seat->first,
          .who = who,
          .line = {},
          .is_leaving = leaving_.contains(rank)};
}

void Members::lose(Member& member, const std::string& why) {
  const bool has_left = member.is_dismissed || member.has_said_farewell;
  if (undertaking_ != nullptr)
    note(has_left ? member.name() + " left"
                  : fmt::format("{} {} lost ({})", member.name(), member.was(),
                                why.empty() ? "its connection ended unexpectedly" : why));
  if (undertaking_ != nullptr) undertaking_->lost(member);
  members_.remove_if([&member](const Member& other) { return &other == &member; });
}

void Member::dismiss() {
  is_leaving = true;
  if (std::exchange(is_dismissed, true)) return;
  line->send(Dismissal{});
  line->send_last();
}

// --- Who looks on

void Members::answer(const Inquiry& inquiry, Connection& line) {
  if (!inquiry.leaver.empty() && !let_leave(inquiry))
    return line.send(Refusal{"no process is called " + printable(inquiry.leaver),
                             "it must be the name of a host, or the rank or address of a process",
                             "`loadshare hosts MASTER` lists them"});
  for (const Listing& worker : workers_now()) line.send(worker);
  line.send(Farewell{});
}

/// By its host's name, its address, or the rank of one of its workers.
bool Members::is_called(const std::string& name, const Member& member) {
  if (name == member.who.host || name == member.line->peer_address()) return true;
  const auto rank = parse_integer<std::uint32_t>(name);
  return rank && member.has_rank(*rank);
}

// All processes of a host, or one.
bool Members::let_leave(const Inquiry& inquiry) {
  bool has_any = false;
  for (Member& member : members_) {
    if (!is_called(inquiry.leaver, member)) continue;
    has_any = true;
    if (std::exchange(member.is_leaving, true)) continue;
    leaving_.insert(member.rank);
    note(fmt::format("{} {} asked to leave", member.name(), member.was()));
    const double deadline_s = monotonic_s() + inquiry.leaves_in_s;
    if (undertaking_ == nullptr || !undertaking_->leaves(member, deadline_s)) member.dismiss();
  }
  return has_any;
}

std::vector<Listing> Members::workers_now() const {
  std::vector<Listing> all = undertaking_ != nullptr ? undertaking_->workers_now() : std::vector<Listing>{};
  for (const Member& member : members_) {
    if (std::ranges::find(all, member.rank, &Listing::process) != all.end()) continue;
    const auto state = member.is_leaving ? Listing::State::leaving : Listing::State::coming;
    for (std::uint32_t local = 0; local < member.who.workers; ++local)
      all.push_back(
          {.process = member.rank, .host = member.who.host, .rank = member.rank + local, .state = state});
  }
  for (Listing& listing : all) {
    const auto member = std::ranges::find(members_, listing.process, &Member::rank);
    if (member != members_.end()) listing.address = member->line->peer_address();
  }
  return all;
}

// --- What they say

// A frame may take a slow network longer than who is silent may be quiet.
void Members::hear(Member& member) {
  member.heard_s = loop_.turned_s();
  member.is_silent = false;
  notes_.look(loop_.turned_s());
  if (undertaking_ != nullptr) undertaking_->heard(member);
}

void Members::take(Member& member, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::answer:
      return take_answer(member, decode<AnswerPart>(frame), frame.payload);
    case FrameKind::alive:
      return take_alive(member, decode<Alive>(frame));
    case FrameKind::ready:
      return take_ready(member, decode<Ready>(frame));
    default:
      if (frame.kind == FrameKind::farewell) member.has_said_farewell = true;
      if (undertaking_ != nullptr) undertaking_->take(member, frame);
  }
}

// A member that does not read its messages gets no more answers.
void Members::take_alive(Member& member, const Alive& alive) {
  // More than is ever queued for a member that reads: a lease needs its answers.
  constexpr std::size_t most_unread_bytes = std::size_t{4} << 20;
  if (!is_instant(alive.sent_s) || !is_instant(alive.offset_s))
    throw BadFrame("its clock shows an invalid time");
  member.offset_s = alive.offset_s;
  if (alive.sent_s != 0 && member.line->unsent_bytes() < most_unread_bytes)
    member.line->send(Pulse{alive.sent_s, monotonic_s(), alive.lease_from_s});
}

void Members::take_ready(Member& member, const Ready& ready) {
  if (ready.run <= member.ready_for) throw BadFrame("it is ready twice for one run");
  member.ready_for = ready.run;
  member.shared_input = {ready.process, ready.address};
  meet(member);
}

/// An answer is the report of a process and its workers. It may arrive before the master asks for it, but at
/// most one may be early, because each process takes a text between two answers.
void Members::take_answer(Member& member, const AnswerPart& part, ByteView payload) {
  constexpr std::size_t process_bytes = std::size_t{1} << 16, worker_bytes = std::size_t{1} << 12;
  if (part.round != member.answered + 1 || part.round > rounds_ + 1 ||
      member.answer.size() + payload.size() > part.total)
    throw BadFrame("an answer arrived out of turn");
  if (part.total > process_bytes + worker_bytes * member.who.workers)
    throw BadFrame(fmt::format("its answer of {} bytes is too long", part.total));
  member.answer.append(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (member.answer.size() < part.total) return;
  member.answered = part.round;
  const bool is_late = member.answered < rounds_ || (member.answered == rounds_ && !is_asking_);
  if (is_late) member.answer.clear();
}

void Members::say(const std::string& text) {
  texts_.push_back(text);
  kept_bytes_ += text.size();
  if (kept_bytes_ > most_text_bytes)
    admission_.close({"it is too late to join",
                      "the program has sent its workers more data than the master keeps for late ones",
                      "join earlier, or run its loops with Keep::on_master"});
  for (Member& member : members_) member.line->wants_to_send();
  loop_.poll();
  forget_texts();
}

// Where nobody can join any more, what all have heard is of no use.
void Members::forget_texts() {
  if (kept_bytes_ <= most_text_bytes) return;
  std::size_t heard = forgotten_texts_ + texts_.size();
  for (const Member& member : members_) heard = std::min(heard, member.texts);
  for (; forgotten_texts_ < heard; ++forgotten_texts_) texts_.pop_front();
}

bool Members::send_text(Member& member) {
  if (member.texts == forgotten_texts_ + texts_.size()) return false;
  const std::string& text = texts_[member.texts - forgotten_texts_];
  const std::size_t bytes = std::min(most_payload_bytes, text.size() - member.text_bytes);
  member.line->send(TextPart{text.size()}, std::as_bytes(std::span(text).subspan(member.text_bytes, bytes)));
  member.text_bytes += bytes;
  if (member.text_bytes < text.size()) return true;
  member.text_bytes = 0;
  ++member.texts;
  return true;
}

bool Members::send_more(Member& member) {
  return send_text(member) || (undertaking_ != nullptr && undertaking_->send_more(member));
}

void Members::ask(const std::function<bool(const Member&)>& is_asked,
                  const std::function<double(const Member&)>& may_take_s,
                  const std::function<void(const Member&)>& take) {
  ++rounds_;
  is_asking_ = true;
  const double begun_s = monotonic_s();
  const auto is_awaited = [&](const Member& member) {
    return is_asked(member) && member.answered < rounds_ && monotonic_s() < begun_s + may_take_s(member);
  };
  constexpr double look_again_s = 0.05;
  while (std::ranges::any_of(members_, is_awaited)) loop_.wait(look_again_s);
  is_asking_ = false;
  for (Member& member : members_) {
    const bool is_heard = member.answered == rounds_ || member.heard_s >= begun_s;
    if (is_asked(member) && !is_heard) member.is_silent = true;  // nor does the end wait for it
    if (member.answered != rounds_) continue;
    if (is_asked(member)) take(member);
    member.answer.clear();
  }
}

void Members::undertake(Undertaking& what) {
  ++runs_;
  undertaking_ = &what;
  for (Member& member : members_) member.is_leaving ? member.dismiss() : meet(member);
}

/// Who is ready for a run that goes on takes part in it. To one that is over he is late, for a later one he
/// waits. Who was asked to leave does so, even if its connection was cut meanwhile.
void Members::meet(Member& member) {
  if (member.is_leaving) return member.dismiss();
  if (undertaking_ != nullptr && member.ready_for == runs_)
    return undertaking_->ready(member, member.shared_input);
  if (member.ready_for > 0 && member.ready_for <= runs_) member.line->send(Stop{member.ready_for});
}

// Each goes through what there was until it comes to its end, and leaves by itself; the last run's end is its
// last question. Whose network is slow may have much to hear before.
void Members::dismiss() {
  constexpr double patience_s = 2, farewell_s = 0.2;
  if (started_) started_->expect_ends();
  await_ends(patience_s);
  for (Member& member : members_) {
    member.line->send(Farewell{});
    member.line->send_last();
  }
  await_ends(farewell_s);
}

/// Who is silent is not waited for.
void Members::await_ends(double patience_s) {
  loop_.wait_while_it_shrinks(
      patience_s, [this] { return std::ranges::all_of(members_, &Member::is_silent); },
      [this] {
        std::size_t left = 0;
        for (const Member& member : members_)
          if (!member.is_silent) left += untold_bytes(member) + member.line->left_bytes();
        return left;
      });
}

std::size_t Members::untold_bytes(const Member& member) const {
  std::size_t bytes = 0;
  for (std::size_t i = member.texts - forgotten_texts_; i < texts_.size(); ++i) bytes += texts_[i].size();
  return bytes - member.text_bytes;
}

}  // namespace loadshare::tcp
