#include "golden/bytes/sha256.hpp"

// By its own functions, which OpenSSL 3 calls deprecated: EVP's bring the whole of libcrypto into
// what is linked statically, four megabytes.
#define OPENSSL_SUPPRESS_DEPRECATED  // NOLINT(readability-identifier-naming): OpenSSL's
#include <openssl/sha.h>

#include <boost/algorithm/hex.hpp>
#include <iterator>
#include <utility>

namespace mx::golden {

// Of these functions none fails.
struct Sha256::Context {
  SHA256_CTX state{};
  Context() { start(); }
  void start() { (void)SHA256_Init(&state); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  if (!bytes.empty()) (void)SHA256_Update(&context_->state, bytes.data(), bytes.size());
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text))); }

Digest Sha256::finish() {
  Digest digest{};
  (void)SHA256_Final(digest.data(), &context_->state);
  context_->start();
  return digest;
}

Digest sha256(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.finish();
}

std::string to_hex(const Digest& digest) {
  std::string text;
  boost::algorithm::hex_lower(digest, std::back_inserter(text));
  return text;
}

std::optional<Digest> parse_digest(std::string_view hex) {
  Digest digest{};
  if (hex.size() != 2 * digest.size()) return std::nullopt;
  try {
    boost::algorithm::unhex(hex, digest.begin());
  } catch (const boost::algorithm::hex_decode_error&) {
    return std::nullopt;
  }
  if (to_hex(digest) != hex) return std::nullopt;  // one spelling only
  return digest;
}

}  // namespace mx::golden
