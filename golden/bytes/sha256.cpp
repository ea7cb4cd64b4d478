#include "golden/bytes/sha256.hpp"

#include <openssl/evp.h>

#include <boost/algorithm/hex.hpp>
#include <iterator>
#include <utility>

#include "golden/bytes/host_error.hpp"

namespace mx::golden {
namespace {

void require(int status) {
  if (status == 1) return;
  throw HostError(
      "OpenSSL could not compute a SHA-256 digest; it has too little memory, or no SHA-256");
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* md = EVP_MD_CTX_new();
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(md); }
  void start() { require(md == nullptr ? 0 : EVP_DigestInit_ex(md, EVP_sha256(), nullptr)); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) { context_->start(); }
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  if (!bytes.empty()) require(EVP_DigestUpdate(context_->md, bytes.data(), bytes.size()));
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text))); }

Digest Sha256::finish() {
  Digest digest{};
  require(EVP_DigestFinal_ex(context_->md, digest.data(), nullptr));
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
