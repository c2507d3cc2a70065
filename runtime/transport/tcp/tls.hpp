#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "runtime/transport/network.hpp"
#include "runtime/transport/tcp/admission.hpp"
#include "runtime/transport/tcp/connection.hpp"

namespace loadshare::tcp {

/// What master and workers share and nobody else knows.
class Secret {
 public:
  static constexpr std::size_t least_bytes = 16;

  /// Any bytes of a file; "-" is stdin, which can be read again afterwards. Throws UsageError if it cannot be
  /// read, has fewer bytes, or equal ones, if others than its owner can read it, or if that is neither this
  /// process's user nor root.
  static Secret read(const std::string& path) { return Secret(bytes_of(path)); }
  static std::string bytes_of(const std::string& path);
  /// Of these bytes.
  explicit Secret(const std::string& bytes);

  /// What the cipher is keyed with: a hash of them.
  const std::array<unsigned char, 32>& key() const { return key_; }

 private:
  std::array<unsigned char, 32> key_;
};

enum class Side { master, worker };

/// Makes wires of TLS 1.3 (RFC 8446), whose two sides prove to each other that they know the secret before
/// anything else is read, and agree on new keys each time: what was recorded is of no use, then or later. The
/// wires must not outlive it.
class Cipher {
 public:
  Cipher(Side side, const Secret& secret);
  ~Cipher();
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;

  /// The socket must not block, and outlive it.
  std::unique_ptr<Wire> make_wire(int socket) const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Returns how a process's connections are made. With a secret they are encrypted. Without one they are
/// plain: over loopback between processes of one user, or, with --without-secret, with any process. Throws
/// UsageError if a secret is required and missing.
Admission::Wiring make_wiring(Side side, const NetworkOptions& network, const Address& address,
                              const Endpoints& endpoints);

}  // namespace loadshare::tcp
