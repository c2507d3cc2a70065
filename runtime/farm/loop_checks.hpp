#pragma once

#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/farm/loops.hpp"
#include "runtime/farm/plain_bytes.hpp"

// What is wrong with a loop's types is told while it is compiled, by one message before any others. Each
// check returns whether all is right, so that nothing else is tried where it is not.

namespace loadshare::loops {

/// What results are kept in; of what no vector can hold, any other, for the check to be heard first.
template <class T>
using Results = std::vector<std::conditional_t<std::is_object_v<T> && !std::is_const_v<T>, T, char>>;

template <class T, class F>
concept returns = requires(F& f, Index i) {
  static_cast<T>(f(i));
};

template <class T, class F>
consteval bool require_map() {
  if constexpr (require_plain_bytes<T>() && require_vector_of_bytes<T>() && require_default<T>()) {
    static_assert(
        returns<T, F>,
        "map calls its body with the number of an iteration, as in [](loadshare::Index i) { return ...; }, "
        "and converts what it returns to T");
    return returns<T, F>;
  }
  return false;
}

/// Whether a body's value would lose what it has behind the point.
template <class T, class F>
concept cuts_off = std::is_integral_v<T> && requires(F& f, Index i) {
  requires std::is_floating_point_v<std::remove_cvref_t<decltype(f(i))>>;
};

template <class T, class F, class Combine>
concept combines = requires(T all, Combine& combine, F& f, Index i, const T& other) {
  all = combine(std::move(all), f(i));
  all = combine(std::move(all), other);
};

template <class T, class F, class Combine>
consteval bool require_reduce() {
  if constexpr (require_plain_bytes<T>() && require_default<T>()) {
    static_assert(
        returns<T, F>,
        "reduce calls its body with the number of an iteration, as in [](loadshare::Index i) { return ...; "
        "}, and converts what it returns to the type of its second argument");
    static_assert(!cuts_off<T, F>,
                  "reduce combines values of the type of its second argument, a whole number, but its body "
                  "returns a fraction, which would be cut off: begin with 0.0 instead of 0");
    if constexpr (returns<T, F> && !cuts_off<T, F>) {
      static_assert(combines<T, F, Combine>,
                    "reduce needs a function of two values, such as std::plus<>() or [](double a, double b) "
                    "{ return a + b; }, all of the type of its second argument");
      return combines<T, F, Combine>;
    }
  }
  return false;
}

template <class Part>
constexpr bool is_part = count_of<In, Part> + count_of<Out, Part> + count_of<Shared, Part> == 1;

/// What the body gets of a part.
template <class Part>
using SpanOf = decltype(chunk_of(std::declval<Part&>(), std::declval<Work&>(), std::span<const std::byte>()));

template <class Body, class First, class... Parts>
constexpr bool takes = std::is_invocable_v<Body&, First, SpanOf<Parts>...>;

template <class... PartsAndBody, std::size_t... at>
consteval bool require_chunks(std::index_sequence<at...>) {
  using All = std::tuple<PartsAndBody...>;
  using Body = std::tuple_element_t<sizeof...(at), All>;
  constexpr bool is_order = (is_part<std::tuple_element_t<at, All>> && ...) && !is_part<Body>;
  static_assert(is_order, "for_chunks takes in(...), shared(...) and out(...), and then its body");
  constexpr bool is_once = count_of<In, PartsAndBody...> <= 1 && count_of<Out, PartsAndBody...> <= 1 &&
                           count_of<Shared, PartsAndBody...> <= 1;
  static_assert(
      is_once,
      "for_chunks takes at most one in(...), one out(...) and one shared(...): put several values of an "
      "iteration into a struct");
  if constexpr (is_order && is_once) {
    constexpr bool is_taken = takes<Body, Chunk, std::tuple_element_t<at, All>...> ||
                              takes<Body, Work&, std::tuple_element_t<at, All>...>;
    static_assert(
        is_taken,
        "for_chunks calls its body with a loadshare::Chunk, or a loadshare::Work&, and then, in the order "
        "of its arguments, a std::span<const T> for in(...) and for shared(...), and a std::span<T> for "
        "out(...)");
    return is_taken;
  }
  return false;
}

template <class... PartsAndBody>
consteval bool require_chunks() {
  static_assert(sizeof...(PartsAndBody) > 0, "for_chunks takes a body");
  if constexpr (sizeof...(PartsAndBody) > 0)
    return require_chunks<PartsAndBody...>(std::make_index_sequence<sizeof...(PartsAndBody) - 1>());
  return false;
}

}  // namespace loadshare::loops
