// Targets of binary formats: frames, the journal, profiles, .npy files. They correct checksums, which a
// fuzzer would never match, so that it reaches the code after them.
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/matrix/npy.hpp"
#include "base/error.hpp"
#include "profiler/profile.hpp"
#include "runtime/journal/journal.hpp"
#include "runtime/transport/tcp/messages.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/profiler/made_profile.hpp"
#include "tests/runtime/journal/journal_folder.hpp"

namespace loadshare::fuzz {
namespace {

/// Takes numbers from an input; after its end they are 0.
class Numbers final {
 public:
  explicit Numbers(Input left) : left_(left) {}

  bool is_over() const { return left_.empty(); }
  std::size_t byte() {
    if (left_.empty()) return 0;
    const std::size_t first = left_.front();
    left_ = left_.subspan(1);
    return first;
  }
  std::size_t two_bytes() {
    const std::size_t low = byte();
    return low | byte() << 8;
  }
  Input bytes(std::size_t most) {
    const Input taken = left_.first(std::min(most, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }

 private:
  Input left_;
};

// --- Frames

/// Reads a message of this kind: it is refused, or writing it gives the same bytes.
template <class Message>
void decode_as(const tcp::Frame& frame) {
  if (frame.kind != Message::kind) return;
  const tcp::FieldWriter again = tcp::encode(tcp::decode<Message>(frame));
  require(std::ranges::equal(again.bytes(), frame.fields), "a message is encoded as it was decoded");
}

template <class... Messages>
void decode_as_any(const tcp::Frame& frame) {
  (decode_as<Messages>(frame), ...);
}

void decode(const tcp::Frame& frame) {
  using namespace tcp;
  decode_as_any<Hello, Welcome, Refusal, TextPart, AnswerPart, Stop, Ready, Begin, OrderMessage, InputPart,
                ResultPart, RecallMessage, SharedPart, SharedOffer, SharedAnswer, Alive, Pulse,
                ProgressMessage, ReportMessage, Inquiry, Listing, Dismissal, Farewell>(frame);
}

/// Passes the bytes in two pieces, as they may arrive.
std::size_t feed(tcp::ByteView bytes) {
  std::size_t frames = 0;
  tcp::FrameReader reader;
  const std::size_t half = bytes.size() / 2;
  try {
    for (const tcp::ByteView piece : {bytes.first(half), bytes.subspan(half)})
      reader.feed(piece, [&frames](const tcp::Frame& frame) {
        ++frames;
        try {
          decode(frame);
        } catch (const tcp::BadFrame&) {
          return true;  // the next message may be valid
        }
        return true;
      });
  } catch (const tcp::BadFrame&) {
  }
  return frames;
}

// --- Profiles

/// The parts of a profile that have a meaning: all except the unused room in its slots.
std::vector<std::size_t> telling_places(std::size_t size) {
  using namespace profile;
  std::vector<std::size_t> places;
  const auto add = [&places](std::size_t from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) places.push_back(from + i);
  };
  add(0, offsetof(SectionHeader, program) + 32);
  add(offsetof(SectionHeader, mpi), 32);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const std::size_t slot = slot_offset(rank);
    add(slot, 4 * sizeof(StoredEvent));
    add(slot + offsetof(Slot, open), offsetof(Slot, host) + 16 - offsetof(Slot, open));
    add(slot + offsetof(Slot, place_text), 64);
    add(slot + offsetof(Slot, module_text), 32);
  }
  add(slot_offset(2), size - slot_offset(2));
  return places;
}

/// A valid profile of two ranks in memory, with some bytes changed temporarily.
class ChangedProfile final {
 public:
  ChangedProfile() { file_.put(whole()); }

  /// Applies changes: a position (two bytes), a number of bytes, and these bytes. The last change may
  /// truncate the file.
  void change(Input input) {
    Numbers numbers(input);
    while (!numbers.is_over()) {
      const std::size_t place = numbers.two_bytes(), count = numbers.byte();
      if (place >= places_.size()) {
        const std::size_t size = std::min(made_.bytes().size(), (place - places_.size()) * 16);
        file_.cut(size);
        is_cut_ = true;
        continue;
      }
      const std::size_t at = places_[place];
      const Input bytes = numbers.bytes(std::min<std::size_t>(count, 16));
      file_.write(at, std::as_bytes(bytes.first(std::min(bytes.size(), made_.bytes().size() - at))));
      changed_.push_back(at);
    }
  }
  void undo() {
    if (std::exchange(is_cut_, false)) file_.put(whole());
    for (const std::size_t at : changed_)
      file_.write(at, whole().subspan(at, std::min<std::size_t>(16, made_.bytes().size() - at)));
    changed_.clear();
  }
  std::string path() const { return file_.path(); }

 private:
  std::span<const std::byte> whole() const { return std::as_bytes(std::span(made_.bytes())); }

  profile::File made_ = [] {
    profile::File made(2);
    made.add_communicator(7);
    return made;
  }();
  std::vector<std::size_t> places_ = telling_places(made_.bytes().size());
  MemoryFile file_;
  std::vector<std::size_t> changed_;
  bool is_cut_ = false;
};

// --- Journals

constexpr Index iterations = 16;

/// Checks that the journal's results are in their memory, and the rest is open.
void resume(const std::string& path) {
  std::optional<ChunkLog> log;
  try {
    log.emplace(path);
  } catch (const UsageError&) {
    return;  // not a journal, or its head is damaged
  }
  test::Numbers results(iterations);
  try {
    LoopJournal journal(std::move(log), results.loop());
    Index open = 0;
    for (const Chunk range : journal.open()) open += range.size;
    require(open + journal.recovered() == iterations, "an iteration is open or recovered");
    require(results.are_all_but(journal.open()), "what is recovered is what was computed");
    journal.close();
  } catch (const UsageError&) {
    return;  // records of another program
  }
}

/// A journal with any chunks, of which a bit is inverted or the end is cut off.
void resume_damaged(Input input, const std::string& path) {
  Numbers numbers(input);
  const std::size_t place = numbers.two_bytes(), mask = numbers.byte();
  {
    ChunkLog log = ChunkLog::create(path, "job: numbers");
    std::vector<Index> results;
    while (!numbers.is_over()) {
      const auto first = static_cast<Index>(numbers.byte()) - 4,
                 size = static_cast<Index>(numbers.byte()) - 4;
      results.clear();
      for (Index i = 0; i < std::min<Index>(size, 32); ++i) results.push_back(1000 + first + i);
      const FinishedChunk chunk{{first, size}, std::as_bytes(std::span(results))};
      log.append(std::span(&chunk, 1));
    }
  }
  std::string bytes = test::bytes_in(path);
  const std::size_t at = place % bytes.size();
  if (mask == 0)
    bytes.resize(at);
  else
    bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ mask);
  test::put_bytes(path, bytes);
  resume(path);
}

}  // namespace

void read_frames(Input input) {
  feed(std::as_bytes(input));
  Numbers numbers(input);
  tcp::Bytes sealed;
  std::size_t frames = 0;
  for (; !numbers.is_over(); ++frames) {
    const auto last = static_cast<std::size_t>(tcp::last_kind);
    const auto kind = static_cast<tcp::FrameKind>(1 + numbers.byte() % last);
    const std::size_t field_bytes = numbers.byte(), payload_bytes = numbers.byte();
    tcp::FieldWriter fields;
    for (const std::uint8_t byte : numbers.bytes(field_bytes)) fields.put(byte);
    const tcp::ByteView payload = std::as_bytes(numbers.bytes(payload_bytes));
    tcp::append_frame_head(sealed, kind, fields, payload);
    sealed.insert(sealed.end(), payload.begin(), payload.end());
  }
  require(feed(sealed) == frames, "every frame comes that was sent");
}

void read_journal(Input input) {
  static const test::JournalFolder folder;
  const std::string path = folder.log();
  test::put_bytes(path, {input.begin(), input.end()});
  resume(path);
  resume_damaged(input, path);
}

void read_profile(Input input) {
  static ChangedProfile changed;
  changed.change(input);
  try {
    const profile::Profile profile = profile::read_profile(changed.path());
    for (const profile::RankProfile& rank : profile.ranks) {
      require(rank.rank >= 0 && rank.rank < profile.ranks_started, "a rank is one of the run's");
      for (const profile::Event& event : rank.events) {
        require(event.place < rank.places.size(), "an event's place is there");
        require(event.communicator < profile.communicators.size(), "an event's communicator is there");
        profile::facts(event);
      }
    }
    profile::is_complete(profile);
  } catch (const UsageError&) {
  }
  changed.undo();
}

void read_npy(Input input) {
  for (const Dimensions dimensions : {Dimensions::two, Dimensions::one_or_two}) try {
      const NpyHeader header = parse_npy(std::as_bytes(input), "A.npy", dimensions);
      require(header.data_offset + header.data_bytes() == input.size(), "the data are in the file");
      std::string again = format_npy_header(header);
      again.resize(again.size() + header.data_bytes());
      const NpyHeader read = parse_npy(std::as_bytes(std::span(again)), "again.npy", dimensions);
      require(read.rows == header.rows && read.cols == header.cols && read.order == header.order &&
                  read.type == header.type && read.is_vector == header.is_vector,
              "it is read as written");
    } catch (const UsageError&) {
    }
}

}  // namespace loadshare::fuzz
