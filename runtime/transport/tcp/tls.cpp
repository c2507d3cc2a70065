#include "runtime/transport/tcp/tls.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/files.hpp"
#include "base/io/process.hpp"
#include "runtime/transport/tcp/peer_user.hpp"

namespace loadshare::tcp {
namespace {

constexpr std::string_view identity = "loadshare";  // there is one secret, so one name for it
constexpr std::array<unsigned char, 2> cipher_suite{0x13, 0x01};
constexpr const char* cipher_suite_name = "TLS_AES_128_GCM_SHA256";

[[noreturn]] void throw_openssl(const std::string& problem) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  throw Error(ExitCode::run_failed, problem, text.data());
}

/// A session that both sides are taken to have had, so that each knows the other by its key.
SSL_SESSION* make_session(SSL* ssl, const Secret& secret) {
  SSL_SESSION* session = SSL_SESSION_new();
  const SSL_CIPHER* suite = SSL_CIPHER_find(ssl, cipher_suite.data());
  if (session == nullptr || suite == nullptr ||
      SSL_SESSION_set1_master_key(session, secret.key().data(), secret.key().size()) != 1 ||
      SSL_SESSION_set_cipher(session, suite) != 1 ||
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) != 1) {
    SSL_SESSION_free(session);
    return nullptr;
  }
  return session;
}

const Secret& secret_of(SSL* ssl) {
  return *static_cast<const Secret*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

int find_session(SSL* ssl, const unsigned char* name, std::size_t length, SSL_SESSION** session) {
  const bool is_ours = identity == std::string_view(reinterpret_cast<const char*>(name), length);
  *session = is_ours ? make_session(ssl, secret_of(ssl)) : nullptr;
  return 1;
}

int use_session(SSL* ssl, const EVP_MD*, const unsigned char** name, std::size_t* length,
                SSL_SESSION** session) {
  *name = reinterpret_cast<const unsigned char*>(identity.data());
  *length = identity.size();
  *session = make_session(ssl, secret_of(ssl));
  return *session != nullptr ? 1 : 0;
}

/// Whether a handshake failed because the two sides have different secrets. The side that detects this sends
/// the alert "illegal parameter" (OpenSSL) or "decrypt error"; other programs that speak TLS send others.
bool is_about_secrets(int reason) {
  return reason == SSL_R_BINDER_DOES_NOT_VERIFY || reason == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER ||
         reason == SSL_R_TLSV1_ALERT_DECRYPT_ERROR;
}

class TlsWire final : public Wire {
 public:
  TlsWire(SSL_CTX* context, Side side, int socket) : ssl_(SSL_new(context)) {
    if (ssl_ == nullptr || SSL_set_fd(ssl_, socket) != 1) throw_openssl("cannot start TLS on a connection");
    side == Side::master ? SSL_set_accept_state(ssl_) : SSL_set_connect_state(ssl_);
  }
  ~TlsWire() override { SSL_free(ssl_); }

  Moved read(std::span<std::byte> room) override {
    const std::uint64_t before = BIO_number_read(SSL_get_rbio(ssl_));
    std::size_t bytes = 0;
    const int result = SSL_read_ex(ssl_, room.data(), room.size(), &bytes);
    Moved outcome = moved(result, bytes);
    gave_all_ = outcome.outcome != Outcome::moved;
    if (outcome.outcome == Outcome::would_block) outcome.bytes = BIO_number_read(SSL_get_rbio(ssl_)) - before;
    return outcome;
  }
  Moved write(std::span<const iovec> parts) override {
    const ByteView together = one_record_of(parts);
    std::size_t bytes = 0;
    const int result = SSL_write_ex(ssl_, together.data(), together.size(), &bytes);
    Moved outcome = moved(result, bytes);
    if (outcome.outcome == Outcome::would_block && SSL_want_read(ssl_))
      outcome.outcome = Outcome::wants_input;
    return outcome;
  }
  // Where it could give nothing out, what it holds is of a record that has not come to its end.
  bool holds_more() const override { return !gave_all_ && SSL_has_pending(ssl_) == 1; }
  std::string complaint() const override { return complaint_; }
  bool has_other_secret() const override { return has_other_secret_; }

 private:
  static constexpr std::size_t record_bytes = SSL3_RT_MAX_PLAIN_LENGTH;

  /// Short parts are put together: each record costs a system call and a tag. What could not be written is
  /// tried again from its first byte on, by this class's caller.
  ByteView one_record_of(std::span<const iovec> parts) {
    const auto bytes_of = [](const iovec& part) {
      return ByteView(static_cast<const std::byte*>(part.iov_base), part.iov_len);
    };
    if (parts.size() == 1 || parts.front().iov_len >= record_bytes) return bytes_of(parts.front());
    record_.clear();
    for (const iovec& part : parts) {
      const ByteView bytes = bytes_of(part).first(std::min(part.iov_len, record_bytes - record_.size()));
      record_.insert(record_.end(), bytes.begin(), bytes.end());
    }
    return record_;
  }

  Moved moved(int result, std::size_t bytes) {
    // Without the secret a rogue may still show a certificate: that proves nothing to us.
    is_proven_ = is_proven_ || (SSL_is_init_finished(ssl_) == 1 && SSL_session_reused(ssl_) == 1);
    if (result == 1 && is_proven_) return {Outcome::moved, bytes};
    const int error = SSL_get_error(ssl_, result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return {Outcome::would_block};
    const bool has_left = error == SSL_ERROR_SYSCALL || error == SSL_ERROR_ZERO_RETURN ||
                          ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
    if (!is_proven_ && !has_left && complaint_.empty()) {
      has_other_secret_ = is_about_secrets(ERR_GET_REASON(ERR_peek_error()));
      complaint_ =
          has_other_secret_ ? "the secrets differ" : "it has no secret, or is not a loadshare program";
    }
    ERR_clear_error();
    return {Outcome::ended};
  }

  SSL* ssl_;
  Bytes record_;
  bool gave_all_ = false;
  bool is_proven_ = false;
  bool has_other_secret_ = false;
  std::string complaint_;
};

constexpr std::size_t most_secret_bytes = std::size_t{1} << 16;

/// The program that this one may start anew to take its place reads them again.
std::string bytes_of_stdin() {
  std::string bytes = read_to_end(STDIN_FILENO, most_secret_bytes);
  dup2(memory_file(bytes).number(), STDIN_FILENO);
  return bytes;
}

/// Returns whether all bytes are equal, apart from a line end after them.
bool has_equal_bytes(std::string_view bytes) {
  for (const char end : {'\n', '\r'})
    if (bytes.size() > 1 && bytes.ends_with(end)) bytes.remove_suffix(1);
  return std::ranges::all_of(bytes, [&](char byte) { return byte == bytes.front(); });
}

template <class Refuse>
std::string bytes_of_file(const std::string& path, const Refuse& refuse) {
  const Descriptor file = open_without_waiting(path);
  struct stat status {};  // of what is read, whatever the path leads to meanwhile
  if (file.number() < 0 || fstat(file.number(), &status) != 0) throw refuse(error_text(errno));
  // The rule of ssh: root can read and change any secret anyway.
  if (status.st_uid != geteuid() && status.st_uid != 0)
    throw refuse("it belongs to user " + std::to_string(status.st_uid) + ", and this process to user " +
                     std::to_string(geteuid()),
                 "make one of your own, or, if you trust that user: --secret-file - < " + file_word(path));
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw refuse("users other than its owner may read or write it", "run chmod 600 " + file_word(path));
  return read_bytes(file, "the secret in " + path, most_secret_bytes);
}

}  // namespace

Secret::Secret(const std::string& bytes) {
  constexpr std::string_view purpose = "loadshare tcp 1:";
  const std::string hashed = std::string(purpose) + bytes;
  if (EVP_Digest(hashed.data(), hashed.size(), key_.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw_openssl("the secret cannot be hashed");
}

std::string Secret::bytes_of(const std::string& path) {
  const bool is_stdin = path == "-";
  const auto refuse = [&](const std::string& why, const std::string& suggestion = "") {
    return UsageError("cannot use the secret " + (is_stdin ? "on stdin" : "in " + path), why, suggestion);
  };
  const std::string bytes = is_stdin ? bytes_of_stdin() : bytes_of_file(path, refuse);
  const std::string how =
      "make one: (umask 077; head -c 32 /dev/urandom > " + (is_stdin ? "FILE" : file_word(path)) + ")";
  if (bytes.size() < least_bytes)
    throw refuse("it has " + std::to_string(bytes.size()) + " bytes, and at least " +
                     std::to_string(least_bytes) + " are needed",
                 how);
  if (has_equal_bytes(bytes)) throw refuse("all of its bytes are equal, so it can be guessed", how);
  return bytes;
}

struct Cipher::Context {
  Side side;
  Secret secret;
  SSL_CTX* tls;
};

Cipher::Cipher(Side side, const Secret& secret)
    : context_(std::make_unique<Context>(Context{side, secret, SSL_CTX_new(TLS_method())})) {
  SSL_CTX* tls = context_->tls;
  if (tls == nullptr || SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(tls, cipher_suite_name) != 1)
    throw_openssl("TLS 1.3 is not available");
  SSL_CTX_set_app_data(tls, &context_->secret);
  SSL_CTX_set_num_tickets(tls, 0);
  SSL_CTX_set_read_ahead(tls, 1);  // else a record's length is a system call of its own
  SSL_CTX_set_mode(
      tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  if (side == Side::master) SSL_CTX_set_psk_find_session_callback(tls, find_session);
  if (side == Side::worker) {
    SSL_CTX_set_psk_use_session_callback(tls, use_session);
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, nullptr);  // no certificate is good enough
  }
}

Cipher::~Cipher() {
  SSL_CTX_free(context_->tls);
}

std::unique_ptr<Wire> Cipher::make_wire(int socket) const {
  return std::make_unique<TlsWire>(context_->tls, context_->side, socket);
}

Admission::Wiring make_wiring(Side side, const NetworkOptions& network, const Address& address,
                              const Endpoints& endpoints) {
  if (!network.secret_file.empty()) {
    const auto cipher = std::make_shared<const Cipher>(side, Secret::read(network.secret_file));
    return [cipher](int socket) { return cipher->make_wire(socket); };
  }
  if (!is_loopback(endpoints) && !network.without_secret)
    throw UsageError(address.text() + " can be reached from other hosts, and there is no secret",
                     "anyone in the network could take part, and read what is computed",
                     "give --secret-file FILE on all sides, or --without-secret");
  if (network.without_secret) return make_plain_wire;
  return [side](int socket) { return make_own_user_wire(side, socket); };
}

}  // namespace loadshare::tcp
