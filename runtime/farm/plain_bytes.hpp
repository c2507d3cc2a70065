#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace loadshare {

namespace plain_bytes {

/// Whether a value says where something lies, which means nothing to another process.
template <class T>
constexpr bool is_address = std::is_pointer_v<T> || std::is_member_pointer_v<T>;
template <class T, std::size_t size>
constexpr bool is_address<std::span<T, size>> = true;
template <class Char, class Traits>
constexpr bool is_address<std::basic_string_view<Char, Traits>> = true;
template <class T>
constexpr bool is_address<std::optional<T>> = is_address<T>;

struct AnyAddress {
  template <class T>
  requires is_address<T>
  operator T&() const;
};
/// Of what is no struct or array: these take a value for each of their own fields, for braces may be left
/// out.
struct AnyValue {
  template <class T>
  requires(!std::is_aggregate_v<T> || std::is_empty_v<T>) operator T&() const;
};
struct Nothing {};

template <class T, class... Values>
concept takes = requires {
  T{std::declval<Values>()...};
};

/// Looks no further than that: each field is tried with all before it.
constexpr std::size_t most_fields = 128;

/// Tries the fields of a struct or array, and of those in it, one after another. What cannot be initialized
/// by its fields keeps to itself what it holds. A field that takes anything at all is no address.
template <class T, class... Before>
consteval bool has_address() {
  if constexpr (is_address<T>)
    return true;
  else if constexpr (!std::is_aggregate_v<T> || sizeof...(Before) == most_fields)
    return false;
  else if constexpr (takes<T, Before..., AnyAddress> && !takes<T, Before..., Nothing>)
    return true;
  else if constexpr (takes<T, Before..., AnyValue>)
    return has_address<T, Before..., AnyValue>();
  else
    return false;
}

}  // namespace plain_bytes

/// Bytes that go from one process to another have to mean the same there. Not found out: what a class with
/// constructors or private members, or a union beyond its first member, holds, and a number that is an
/// address. Returns whether all is right, so that what follows need not be tried.
template <class T>
consteval bool require_plain_bytes() {
  constexpr bool is_value = !std::is_void_v<T>;
  constexpr bool is_own = !std::is_reference_v<T> && !plain_bytes::has_address<T>();
  constexpr bool is_copied = std::is_trivially_copyable_v<T>;
  constexpr bool is_assigned = std::is_copy_assignable_v<T>;
  static_assert(is_value,
                "loadshare keeps a value of each iteration: if there is none to keep, use "
                "for_chunks(iterations, body)");
  static_assert(
      is_own,
      "loadshare sends values as bytes: this type is or holds a pointer, a reference, a std::span or a "
      "std::string_view, which means nothing to another process, so use an index or a std::array");
  static_assert(is_copied || !is_own || !is_value,
                "loadshare sends values as bytes: this type is not trivially copyable (a std::string or "
                "std::vector, perhaps), so use a struct of numbers and std::array");
  static_assert(
      is_assigned || !is_copied || !is_own || !is_value,
      "loadshare sends values as bytes: this type cannot be assigned (it has a reference, which means "
      "nothing to another process, or a const field), so use a value or leave out the const");
  return is_value && is_own && is_copied && is_assigned;
}

/// Ditto, of results, for which there is room before they are there.
template <class T>
consteval bool require_default() {
  static_assert(std::is_default_constructible_v<T>,
                "loadshare makes room for results before they are computed: this type has no default "
                "constructor, so give it one");
  return std::is_default_constructible_v<T>;
}

/// Ditto, of the values of a std::vector.
template <class T>
consteval bool require_vector_of_bytes() {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no bytes of its own: use char");
  return !std::is_same_v<T, bool>;
}

}  // namespace loadshare
