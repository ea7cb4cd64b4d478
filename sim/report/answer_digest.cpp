#include "sim/report/answer_digest.hpp"

#include <utility>

namespace mx::sim {

std::string answer_bytes(std::span<const BlockOut> answers) {
  std::string bytes;
  bytes.reserve(answers.size() * (kLanes + 2));
  for (const BlockOut& answer : answers) {
    bytes.push_back(static_cast<char>(answer.status & 0xFF));
    bytes.append(reinterpret_cast<const char*>(answer.codes.data()), kLanes);
    bytes.push_back(static_cast<char>(answer.status >> 8));
  }
  return bytes;
}

void AnswerDigest::add(std::size_t segment, std::string bytes) {
  early_.emplace(segment, std::move(bytes));
  while (!early_.empty() && early_.begin()->first == next_) {
    all_.update(early_.begin()->second);
    early_.erase(early_.begin());
    ++next_;
  }
}

}  // namespace mx::sim
