#include "mxgold_systemc/digest.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace mxgold {

struct Sha256::Context {
  EVP_MD_CTX* md = EVP_MD_CTX_new();
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(md); }
  void require(int status) const {
    if (md == nullptr || status != 1) {
      throw std::runtime_error("OpenSSL could not compute a SHA-256 digest");
    }
  }
  void start() const { require(EVP_DigestInit_ex(md, EVP_sha256(), nullptr)); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) { context_->start(); }
Sha256::~Sha256() = default;

void Sha256::update(const void* bytes, std::size_t count) {
  if (count != 0) context_->require(EVP_DigestUpdate(context_->md, bytes, count));
}

Sha256::Digest Sha256::finish() {
  Digest digest{};
  unsigned size = 0;
  context_->require(EVP_DigestFinal_ex(context_->md, digest.data(), &size));
  context_->start();
  return digest;
}

std::string to_hex(const Sha256::Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

void AnswerDigest::add(const std::uint8_t* codes, int lanes, std::uint16_t user) {
  const auto scale = static_cast<std::uint8_t>(user);
  const auto flags = static_cast<std::uint8_t>(user >> 8);
  all_.update(&scale, 1);
  all_.update(codes, static_cast<std::size_t>(lanes));
  all_.update(&flags, 1);
}

}  // namespace mxgold
