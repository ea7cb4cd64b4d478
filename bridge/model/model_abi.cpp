// The C interface of models: mxgold_model.h.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "backend/abi/guard.hpp"
#include "bridge/model/model.hpp"
#include "bridge/model/mxgold_model.h"
#include "emulators/casts/casts.hpp"
#include "golden/config_word/config_word.hpp"
#include "golden/files/vector_file.hpp"

struct mxgold_model {
  std::unique_ptr<mx::bridge::Model> model;
};

namespace {

using mx::abi::guarded;
using mx::abi::Message;
using mx::golden::Field;

/// The fields in the order of the enumeration of mxgold_model.h.
constexpr std::array<Field, MXGOLD_FIELDS> kFields = {
    Field::kSource, Field::kRandom, Field::kAScale, Field::kA,    Field::kBScale,
    Field::kB,      Field::kC,      Field::kScale,  Field::kCode, Field::kFlags};

mxgold_status hand_out(mx::Checked<std::unique_ptr<mx::bridge::Model>> made, mxgold_model** out,
                       Message& message) {
  if (!made) {
    message.write({made.problem()});
    return MXGOLD_BAD_VALUE;
  }
  *out = std::make_unique<mxgold_model>(mxgold_model{std::move(made).value()}).release();
  return MXGOLD_OK;
}

/// MXGOLD_NULL_ARGUMENT, and in words which argument is NULL.
mxgold_status missing(std::string_view argument, Message& message) {
  message.write({argument, " is NULL"});
  return MXGOLD_NULL_ARGUMENT;
}

/// A result that is asked for and that the records have not: it would stay as the caller left it.
mxgold_status check_results(const mx::bridge::Model& model, const mxgold_record& record,
                            Message& message) {
  const mx::golden::RecordShape shape = model.header().shape();
  for (std::size_t i = MXGOLD_FIELD_SCALE; i < MXGOLD_FIELDS; ++i) {
    if (record.results[i - MXGOLD_FIELD_SCALE] == nullptr) continue;
    if (shape.find(kFields[i]) != nullptr) continue;
    message.write({"field ", mx::token_of(kFields[i]), ": op=", mx::token_of(model.header().op),
                   " has no such result"});
    return MXGOLD_BAD_VALUE;
  }
  return MXGOLD_OK;
}

/// The operands of a record; MXGOLD_BAD_SIZE for a length that it cannot have.
mxgold_status take_operands(mx::bridge::Model& model, const mxgold_record& record,
                            Message& message) {
  if (const std::string why = model.set_elements(record.elements); !why.empty()) {
    message.write({why});
    return MXGOLD_BAD_SIZE;
  }
  mx::golden::RecordBatch& batch = model.record();
  for (std::size_t i = 0; i < MXGOLD_FIELD_SCALE; ++i) {
    const auto words = batch.of(kFields[i], 0);
    if (words.empty()) continue;
    const std::uint64_t* const given = record.operands[i];
    if (given == nullptr) {
      message.write({"field ", mx::token_of(kFields[i]), ": the operand is missing"});
      return MXGOLD_NULL_ARGUMENT;
    }
    std::copy_n(given, model.used_words(kFields[i]), words.begin());
  }
  return MXGOLD_OK;
}

// What a byte of `open` says.
constexpr std::uint8_t kCompared = 0, kOpen = 1, kOpenButForItsClass = 2;

void give_results(mx::bridge::Model& model, const mxgold_record& record, std::uint8_t* open) {
  const mx::golden::RecordBatch& batch = model.record();
  for (std::size_t i = MXGOLD_FIELD_SCALE; i < MXGOLD_FIELDS; ++i) {
    std::uint64_t* const wanted = record.results[i - MXGOLD_FIELD_SCALE];
    if (wanted != nullptr) std::ranges::copy(batch.of(kFields[i], 0), wanted);
  }
  if (open == nullptr) return;
  const mx::golden::OpenAnswer answer = model.open_answer();
  open = std::fill_n(open, batch.lanes(Field::kScale), answer.scale ? 1 : 0);
  for (std::size_t lane = 0; lane < batch.lanes(Field::kCode); ++lane) {
    *open++ = !answer.code(lane) ? kCompared : answer.alike ? kOpenButForItsClass : kOpen;
  }
  std::fill_n(open, batch.lanes(Field::kFlags), answer.flags ? 1 : 0);
}

}  // namespace

extern "C" {

uint32_t mxgold_model_abi_version(void) noexcept { return MXGOLD_MODEL_ABI_VERSION; }

mxgold_status mxgold_model_open(const char* text, mxgold_model** out, char* message,
                                size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    Message said(message, message_size);
    if (out == nullptr) return missing("out", said);
    *out = nullptr;
    if (text == nullptr) return missing("text", said);
    return hand_out(mx::bridge::Model::open(text), out, said);
  });
}

mxgold_status mxgold_model_open_word(uint32_t tuser, const char* text, mxgold_model** out,
                                     char* message, size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    Message said(message, message_size);
    if (out == nullptr) return missing("out", said);
    *out = nullptr;
    if (text == nullptr) return missing("text", said);
    return hand_out(mx::bridge::Model::open_word(tuser, text), out, said);
  });
}

// NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the handle is the caller's
void mxgold_model_close(mxgold_model* model) noexcept { delete model; }

const char* mxgold_model_text(const mxgold_model* model) noexcept {
  return model == nullptr ? "" : model->model->text().c_str();
}

mxgold_status mxgold_model_word(const mxgold_model* model, uint32_t* tuser, char* message,
                                size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    Message said(message, message_size);
    if (model == nullptr) return missing("model", said);
    if (tuser == nullptr) return missing("tuser", said);
    const auto* const config =
        std::get_if<mx::QuantizerConfig>(&model->model->configuration().what);
    if (config == nullptr) {
      said.write({"only blocks have a configuration word"});
      return MXGOLD_BAD_VALUE;
    }
    const mx::golden::ConfigWord word = mx::golden::config_word_of(*config);
    if (!word.holds()) {
      said.write({word.problem});
      return MXGOLD_BAD_VALUE;
    }
    *tuser = word.word;
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_model_describe(const mxgold_model* model, mxgold_model_facts* facts) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (model == nullptr || facts == nullptr) return MXGOLD_NULL_ARGUMENT;
    const mx::golden::VectorHeader& header = model->model->header();
    const mx::golden::RecordShape shape = header.shape();
    *facts = {};
    facts->operation = mx::token_of(header.op).data();
    facts->lanes = static_cast<uint32_t>(header.lanes);
    facts->varies = shape.find(Field::kElements) != nullptr ? 1 : 0;
    for (std::size_t i = 0; i < MXGOLD_FIELDS; ++i) {
      mxgold_model_field& field = facts->fields[i];
      field.name = mx::token_of(kFields[i]).data();
      field.is_result = i >= MXGOLD_FIELD_SCALE ? 1 : 0;
      const mx::golden::FieldShape* const found = shape.find(kFields[i]);
      if (found == nullptr) continue;
      field.words = static_cast<uint32_t>(found->lanes);
      const int bits = mx::bridge::field_bits(model->model->configuration(), kFields[i]);
      field.bits = static_cast<uint32_t>(bits == 0 ? 8 * found->bytes : bits);
    }
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_model_set_lanes(mxgold_model* model, uint32_t lanes) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (model == nullptr) return MXGOLD_NULL_ARGUMENT;
    if (lanes > mx::golden::kMaxLanes) return MXGOLD_BAD_SIZE;
    return model->model->set_lanes(static_cast<int>(lanes)).empty() ? MXGOLD_OK : MXGOLD_BAD_SIZE;
  });
}

mxgold_status mxgold_model_answer(mxgold_model* model, const mxgold_record* record, uint8_t* open,
                                  char* message, size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    Message said(message, message_size);
    if (model == nullptr) return missing("model", said);
    if (record == nullptr) return missing("record", said);
    const mxgold_status asked = check_results(*model->model, *record, said);
    if (asked != MXGOLD_OK) return asked;
    const mxgold_status status = take_operands(*model->model, *record, said);
    if (status != MXGOLD_OK) return status;
    if (const std::string problem = model->model->answer(); !problem.empty()) {
      said.write({problem});
      return MXGOLD_BAD_CODE;
    }
    give_results(*model->model, *record, open);
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_model_flags_so_far(const mxgold_model* model, uint32_t lanes,
                                        uint64_t* flags) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (model == nullptr || flags == nullptr) return MXGOLD_NULL_ARGUMENT;
    const mx::golden::VectorHeader& header = model->model->header();
    if (header.op != mx::golden::Operation::kBlock) return MXGOLD_BAD_VALUE;
    if (lanes > static_cast<uint32_t>(header.lanes)) return MXGOLD_BAD_SIZE;
    if (!model->model->is_answered()) return MXGOLD_BAD_VALUE;
    *flags = model->model->flags_so_far(lanes);
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_model_vectors_problem(const char* path, char* message,
                                           size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    Message said(message, message_size);
    if (path == nullptr) return missing("path", said);
    try {
      mx::golden::VectorReader reader(path, mx::emulators::make_cast);
      mx::golden::RecordBatch piece;
      constexpr std::size_t kPiece = 4096;  // records
      while (reader.read(piece, kPiece) != 0) {
      }
    } catch (const mx::golden::VectorError& error) {
      said.write({error.what()});
      return MXGOLD_BAD_VALUE;
    }
    return MXGOLD_OK;
  });
}

}  // extern "C"
