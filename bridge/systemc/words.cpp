#include "mxgold_systemc/words.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace mxgold {

TextWords::TextWords(const std::string& text) {
  std::istringstream in(text);
  std::string word;
  while (in >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    words_.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
}

std::string TextWords::value(const std::string& name) const {
  const auto found = std::find_if(words_.begin(), words_.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == words_.end() ? std::string() : found->second;
}

QuantizerHandle quantizer_of(const TextWords& words) {
  // `chosen` says where policies come from, which no answer depends on.
  static constexpr std::array<const char*, 7> kNoOptions = {
      "op", "source", "format", "result", "tensor_amax", "stored_tensor_scale", "chosen"};
  std::vector<mxgold_option> options;
  std::string profile = words.value("profile");
  std::string variant;
  if (const std::size_t colon = profile.find(':'); colon != std::string::npos) {
    variant = profile.substr(colon + 1);
    profile.resize(colon);
  }
  // The profile first: the other options then override it.
  if (!profile.empty()) options.push_back({"profile", profile.c_str()});
  if (!variant.empty()) options.push_back({"variant", variant.c_str()});
  for (const auto& [name, value] : words.all()) {
    const bool is_option = name != "profile" && std::find(kNoOptions.begin(), kNoOptions.end(),
                                                          name) == kNoOptions.end();
    if (is_option) options.push_back({name.c_str(), value.c_str()});
  }
  const std::string source = words.value("source");
  mxgold_quantizer* quantizer = nullptr;
  static_cast<void>(mxgold_quantizer_create(source.empty() ? "fp32" : source.c_str(),
                                            words.value("format").c_str(), options.data(),
                                            options.size(), &quantizer, nullptr, 0));
  return QuantizerHandle(quantizer);
}

}  // namespace mxgold
