#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "runtime/farm/plain_bytes.hpp"
#include "runtime/farm/workload.hpp"

namespace loadshare {

/// Where a loop's result is left: on every rank (which needs memory for it there, and time for it to travel),
/// or on the master alone.
enum class Keep { everywhere, on_master };

/// What is there on the master alone; to ask for it elsewhere is an error, which ends all ranks.
template <class T>
class OnMaster {
 public:
  OnMaster() = default;
  explicit OnMaster(T value) : value_(std::move(value)) {}

  bool has_value() const { return value_.has_value(); }
  void reset() { value_.reset(); }
  const T& operator*() const {
    if (!value_)
      throw UsageError("this process does not have the result", "its loop keeps it on the master only",
                       "use it only if farm.is_master(), or run the loop with Keep::everywhere");
    return *value_;
  }
  T& operator*() { return const_cast<T&>(*std::as_const(*this)); }
  const T* operator->() const { return &**this; }
  T* operator->() { return &**this; }

 private:
  std::optional<T> value_;
};

/// A loop of plain data, as the farm runs it. How much there is of what is looked at on the master alone.
struct DataLoop {
  explicit DataLoop(Index count) : iterations(count) {}

  Index iterations;
  std::string iteration_name = "iterations";
  Index* combined = nullptr;         ///< how many a reduction's blocks are of: is set to what the master says
  std::span<const std::byte> input;  ///< as many values for each iteration
  std::span<const std::byte> shared;                       ///< what every worker needs, whole
  std::size_t output_bytes = 0;                            ///< of all iterations
  std::optional<std::size_t> input_values, output_values;  ///< what these bytes are, where there are any
  Keep keep = Keep::everywhere;
  /// Memory for so many bytes of results. Asked for on the master, elsewhere where they are kept there.
  std::function<std::span<std::byte>(std::size_t bytes)> output;
  std::function<void(Work& work, std::span<const std::byte> shared)> body;
};

namespace loops {

template <class Values>
constexpr bool is_bits = std::is_same_v<Values, std::vector<bool>>;
/// Of a container of values side by side.
template <class Values>
auto element_of(const Values& values) {
  if constexpr (is_bits<Values>)
    return std::type_identity<bool>();
  else
    return std::type_identity<std::remove_const_t<std::remove_pointer_t<decltype(std::data(values))>>>();
}
template <class Values>
using Element = typename decltype(element_of(std::declval<const Values&>()))::type;

}  // namespace loops

/// Values of which each iteration reads its own: `in(a)`. On ranks other than the master, `a` may be empty.
template <class T>
struct In {
  std::span<const T> values;
};
template <class Values>
auto in(const Values& values) {
  using T = loops::Element<Values>;
  if constexpr (require_plain_bytes<T>() && require_vector_of_bytes<T>())
    return In<T>{values};
  else
    return In<char>{};
}

/// Values that every iteration may read, all of them: `shared(x)`. Ditto.
template <class T>
struct Shared {
  std::span<const T> values;
};
template <class Values>
auto shared(const Values& values) {
  using T = loops::Element<Values>;
  if constexpr (require_plain_bytes<T>() && require_vector_of_bytes<T>())
    return Shared<T>{values};
  else
    return Shared<char>{};
}

/// Values of which each iteration writes its own: `out(y)`. On the master `y` has its size before the loop;
/// elsewhere the farm gives it that.
template <class T>
struct Out {
  std::vector<T>* everywhere = nullptr;
  OnMaster<std::vector<T>>* on_master = nullptr;

  std::vector<T>* values() const {
    if (on_master == nullptr) return everywhere;
    return on_master->has_value() ? &**on_master : nullptr;
  }
};
template <class T>
auto out(std::vector<T>& values) {
  if constexpr (require_plain_bytes<T>() && require_vector_of_bytes<T>() && require_default<T>())
    return Out<T>{.everywhere = &values};
  else
    return Out<char>{};
}
/// Left on the master alone, where `y` has its value before the loop; elsewhere it has none after it.
template <class T>
auto out(OnMaster<std::vector<T>>& values) {
  if constexpr (require_plain_bytes<T>() && require_vector_of_bytes<T>() && require_default<T>())
    return Out<T>{.on_master = &values};
  else
    return Out<char>{};
}

namespace loops {

template <class T>
std::span<T> values_of(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}
template <class T>
std::span<const T> values_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Asks the system for large pages there, which it gives sooner than as many bytes in small ones.
void advise_large_pages(void* memory, std::size_t bytes);

/// Advised before they are touched: a fresh vector's time goes into its pages.
template <class T>
std::span<std::byte> resized(std::vector<T>& values, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(T);
  if (values.capacity() < count) {
    values.reserve(count);
    advise_large_pages(values.data(), bytes);
  }
  values.resize(count);
  return std::as_writable_bytes(std::span(values));
}

template <template <class> class Kind, class Part>
constexpr bool is_of = false;
template <template <class> class Kind, class T>
constexpr bool is_of<Kind, Kind<T>> = true;
/// How many of the parts are `in`, or `out`, or `shared`.
template <template <class> class Kind, class... Parts>
constexpr int count_of = (0 + ... + (is_of<Kind, std::remove_cvref_t<Parts>> ? 1 : 0));

/// A loop is told of each part of its data, and hands the body its chunk of it.
template <class T>
void add(DataLoop& loop, const In<T>& part) {
  loop.input = std::as_bytes(part.values);
  loop.input_values = part.values.size();
}
template <class T>
void add(DataLoop& loop, const Shared<T>& part) {
  loop.shared = std::as_bytes(part.values);
}
template <class T>
void add(DataLoop& loop, const Out<T>& part) {
  std::vector<T>* const values = part.values();
  loop.output_values = values != nullptr ? values->size() : 0;
  loop.output_bytes = *loop.output_values * sizeof(T);
  loop.keep = part.on_master != nullptr ? Keep::on_master : Keep::everywhere;
  loop.output = [values](std::size_t bytes) { return resized(*values, bytes); };
}

/// What the loop leaves on the master alone is not there on a rank that is not the master.
template <class Part>
void leave_to_master(const Part&) {}
template <class T>
void leave_to_master(const Out<T>& part) {
  if (part.on_master != nullptr) part.on_master->reset();
}

template <class T>
std::span<const T> chunk_of(const In<T>&, Work& work, std::span<const std::byte>) {
  return values_of<T>(work.input());
}
template <class T>
std::span<const T> chunk_of(const Shared<T>&, Work&, std::span<const std::byte> shared) {
  return values_of<T>(shared);
}
template <class T>
std::span<T> chunk_of(const Out<T>&, Work& work, std::span<const std::byte>) {
  return values_of<T>(work.output());
}

/// A vector for so many results; none where their number makes no sense, which the farm then says.
template <class T>
std::vector<T> room(Index count) {
  std::vector<T> values;
  const auto wanted = static_cast<std::size_t>(std::max<Index>(count, 0));
  try {
    if (wanted > values.max_size()) throw std::bad_alloc();
    resized(values, wanted * sizeof(T));
  } catch (const std::bad_alloc&) {
    throw Error(
        ExitCode::run_failed, "out of memory",
        "a loop has " + std::to_string(count) + " results of " + std::to_string(sizeof(T)) + " bytes each",
        "run fewer iterations, or keep less of each");
  }
  return values;
}

/// A sum of so many parts is the same whoever computes which.
constexpr Index most_blocks = Index{1} << 16;

inline Index blocks_of(Index iterations) {
  return std::min(iterations, most_blocks);
}

/// The iterations that are a reduction's block.
inline Chunk block(Index number, Index blocks, Index iterations) {
  const Index least = iterations / blocks;
  const Index longer = iterations % blocks;
  return {number * least + std::min(number, longer), least + (number < longer ? 1 : 0)};
}

/// What a block comes to; zeroes where it is left out.
template <class T>
struct Part {
  T value;
  bool is_there;
};

/// Steps through iterations, between which it is looked whether anybody still waits for their chunk: the
/// first is of one iteration, and then each of a millisecond or less, but of so many that to look costs
/// nothing beside iterations of nanoseconds.
class Steps {
 public:
  Steps(const Work& work, Index end);
  /// Where the step ends that begins at `i`; at `i`, where nobody waits any more.
  Index end_of_next(Index i);

 private:
  const Work& work_;
  Index end_;
  Index size_ = 1;
  std::uint64_t begun_;  // the present step
};

/// What a block comes to, unless nobody waits for it any more. Where `f` throws in a block of several, it
/// says for which iteration.
template <class T, class F, class Combine>
T combined(Chunk block, F& f, Combine& combine, const Work& work) {
  Steps steps(work, block.end());
  Index i = block.first;
  try {
    T all = static_cast<T>(f(i));
    ++i;
    for (Index stop = steps.end_of_next(i); i < stop; stop = steps.end_of_next(i))
      for (; i < stop; ++i) all = combine(std::move(all), f(i));
    return all;
  } catch (const UsageError&) {  // the program is to blame, whichever iteration came by it
    throw;
  } catch (...) {
    if (block.size == 1) throw;
    throw std::runtime_error("iteration " + std::to_string(i) + ": " + current_what());
  }
}

/// Computes a chunk's values until they are no longer needed, and reports its progress between iterations. If
/// an iteration throws, its number is known.
template <class T, class F>
void fill(Work& work, F&& f) {
  const std::span<T> values = values_of<T>(work.output());
  const Index first = work.chunk().first;
  Steps steps(work, work.chunk().end());
  Index i = first;
  try {
    for (Index stop = std::min(first + 1, work.chunk().end()); i < stop; stop = steps.end_of_next(i)) {
      for (; i < stop; ++i) values[static_cast<std::size_t>(i - first)] = static_cast<T>(f(i));
      work.progressed(i - first);
    }
  } catch (...) {
    work.at(i);
    throw;
  }
}

}  // namespace loops
}  // namespace loadshare
