/* Models for benches: a handle made of one line of text that answers records of any operation,
 * bit for bit, and says what of an answer may be compared. The C interface under the SystemC
 * modules, the DPI-C package and the VPI tasks; use it from any bench that can call C.
 * Compiles as C11, C++17 and C++20.
 *
 *   mxgold_model* model;
 *   char why[256];
 *   if (mxgold_model_open("format=mxfp4 source=bf16 profile=ocp-mx-1.0", &model, why, sizeof why))
 *     ...
 *
 * The text (words NAME=VALUE between blanks) and the status codes are those of the library:
 * docs/model-line.md lists the words, mxgold.h the codes. No function prints, aborts or lets an
 * exception out, and none depends on the rounding mode, FTZ or DAZ of the process. A model serves
 * one thread at a time; open one for each. All buffers belong to the caller.
 */
#ifndef MXGOLD_MODEL_H
#define MXGOLD_MODEL_H

#include "mxgold.h"

#ifdef __cplusplus
extern "C" {
#define MXGOLD_NOEXCEPT noexcept
#else
#define MXGOLD_NOEXCEPT
#endif

/* Raised by one when a function or structure changes incompatibly. */
#define MXGOLD_MODEL_ABI_VERSION 1u
MXGOLD_API uint32_t mxgold_model_abi_version(void) MXGOLD_NOEXCEPT;

typedef struct mxgold_model mxgold_model;

/* Opens a model. On failure *out is NULL and `message` (message_size bytes, may be NULL/0) holds a
 * NUL-terminated reason that names the word: MXGOLD_BAD_VALUE. */
MXGOLD_API mxgold_status mxgold_model_open(const char* text, mxgold_model** out, char* message,
                                           size_t message_size) MXGOLD_NOEXCEPT;

/* The same of a configuration word, s_axis_tuser of the RTL (docs/vector-format.md). `text` says
 * what the word cannot, "" for the default build: block_size (32), random_bits (8), stochastic
 * (stochastic_a), the meaning of rounding code 9. MXGOLD_BAD_VALUE for an illegal word, too. */
MXGOLD_API mxgold_status mxgold_model_open_word(uint32_t tuser, const char* text,
                                                mxgold_model** out, char* message,
                                                size_t message_size) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_model_close(mxgold_model* model) MXGOLD_NOEXCEPT;

/* A text that opens the same model, defaults spelt out; it lives as long as the model. */
MXGOLD_API const char* mxgold_model_text(const mxgold_model* model) MXGOLD_NOEXCEPT;

/* The word of a model of blocks; MXGOLD_BAD_VALUE and the field where the word would lose it. */
MXGOLD_API mxgold_status mxgold_model_word(const mxgold_model* model, uint32_t* tuser,
                                           char* message, size_t message_size) MXGOLD_NOEXCEPT;

/* The words of a record, in the order of their bits below. */
enum {
  MXGOLD_FIELD_SOURCE,  /* cvt, block, cast: source codes */
  MXGOLD_FIELD_RANDOM,  /* R of each lane, where an answer may depend on it */
  MXGOLD_FIELD_A_SCALE, /* dot: scale codes of A's blocks; dequantize: the block's; cast: a given
                           scale */
  MXGOLD_FIELD_A,       /* dot, dequantize: element codes; arith: the first operand */
  MXGOLD_FIELD_B_SCALE,
  MXGOLD_FIELD_B,
  MXGOLD_FIELD_C,     /* dot: the addend; arith: the third operand */
  MXGOLD_FIELD_SCALE, /* block: the scale code; cast: scales */
  MXGOLD_FIELD_CODE,  /* the codes of the answer */
  MXGOLD_FIELD_FLAGS, /* docs/vector-fields.md */
  MXGOLD_FIELDS
};

/* What a field of a model's records is: 0 words where they have no such field. */
typedef struct mxgold_model_field {
  const char* name; /* "source" */
  uint32_t words;
  uint32_t bits; /* of each word */
  uint32_t is_result;
} mxgold_model_field;

typedef struct mxgold_model_facts {
  const char* operation; /* "block" */
  uint32_t lanes;        /* elements of a whole record */
  uint32_t varies;       /* 1 if a record may have fewer */
  mxgold_model_field fields[MXGOLD_FIELDS];
} mxgold_model_facts;

/* The facts; their texts live as long as the library. */
MXGOLD_API mxgold_status mxgold_model_describe(const mxgold_model* model,
                                               mxgold_model_facts* facts) MXGOLD_NOEXCEPT;

/* A model of the same configuration whose records have so many lanes: of dot products (whole blocks
 * of A) and casts, and of blocks that reach along an axis. MXGOLD_BAD_SIZE where it has another
 * number. A new model has one block, or 32 lanes. */
MXGOLD_API mxgold_status mxgold_model_set_lanes(mxgold_model* model,
                                                uint32_t lanes) MXGOLD_NOEXCEPT;

/* One record: a pointer to the words of each field that the model has, NULL for results that are
 * not wanted. */
typedef struct mxgold_record {
  uint32_t elements; /* lanes that take part, 0 for all of them */
  const uint64_t* operands[MXGOLD_FIELD_SCALE];
  uint64_t* results[MXGOLD_FIELDS - MXGOLD_FIELD_SCALE]; /* scale, code, flags */
} mxgold_record;

/* Answers a record. Lanes beyond `elements` need no operands; their codes are 0. `open`, where it
 * is not NULL, is filled with one byte for each word of scale, code and flags, in this order, of
 * the fields that the model has: 1 where the profile or a don't-care leaves the word open, so that
 * it must not be compared; 2 where it must not either, but has to be some NaN where `results` holds
 * one, and a zero of either sign where it holds a zero (op=mma). MXGOLD_BAD_CODE and a message for
 * an operand that its format cannot have, MXGOLD_BAD_VALUE for a result that the model's records do
 * not have, MXGOLD_NULL_ARGUMENT for a missing operand; nothing is written then. */
MXGOLD_API mxgold_status mxgold_model_answer(mxgold_model* model, const mxgold_record* record,
                                             uint8_t* open, char* message,
                                             size_t message_size) MXGOLD_NOEXCEPT;

/* The flags of the block that was answered last, with the elements of its first `lanes` lanes alone
 * raising underflow (bit 4) and saturated (bit 5): what a device says that sends a block in several
 * beats, its flags so far with each. The other bits are the block's. MXGOLD_BAD_VALUE for a model
 * of another operation, and where its last record was refused or there was none; MXGOLD_BAD_SIZE
 * for more lanes than it has. */
MXGOLD_API mxgold_status mxgold_model_flags_so_far(const mxgold_model* model, uint32_t lanes,
                                                   uint64_t* flags) MXGOLD_NOEXCEPT;

/* Reads a vector file (docs/vector-format.md) to its end, as the program does: every word of the
 * header, the operands, whether they are those of the suite that it names, counts and digests.
 * MXGOLD_BAD_VALUE and a message with path, place and remedy for whatever is refused. */
MXGOLD_API mxgold_status mxgold_model_vectors_problem(const char* path, char* message,
                                                      size_t message_size) MXGOLD_NOEXCEPT;

#undef MXGOLD_NOEXCEPT
#ifdef __cplusplus
}
#endif

#endif
