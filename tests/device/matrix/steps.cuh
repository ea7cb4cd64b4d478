// One step of each matrix unit: D = A B + D, by the registers of a thread.
//
// A row of A is 4 or 8 words of packed codes. In every shape here thread t of a group of four holds
// words t and t + 4 of rows g and g + 8, so one walk loads them all. B of mma.sync is held alike by
// column; B of wgmma stands in shared memory.
#pragma once

#include <cstdint>

namespace mx::probe {

struct Fragment {
  std::uint32_t a[4];
  std::uint32_t b[2];
  std::uint32_t d[4];
};

// clang-format off
#define MX_MMA_D4 "{%0, %1, %2, %3}"
#define MX_MMA_D2 "{%0, %1}"
#define MX_D4(f) "+r"(f.d[0]), "+r"(f.d[1]), "+r"(f.d[2]), "+r"(f.d[3])
#define MX_D2(f) "+r"(f.d[0]), "+r"(f.d[1])
#define MX_A4(f) "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3])
#define MX_A2(f) "r"(f.a[0]), "r"(f.a[1])
#define MX_B2(f) "r"(f.b[0]), "r"(f.b[1])
#define MX_B1(f) "r"(f.b[0])

// MX_MMA_<words of a row of A>_<registers of D>
#define MX_MMA_8_4(NAME, TEXT)                                                             \
  struct NAME {                                                                            \
    static constexpr int kRowWords = 8;                                                    \
    static constexpr bool kFp16 = false;                                                   \
    static __device__ void step(Fragment& f) {                                             \
      asm volatile("mma.sync.aligned." TEXT " " MX_MMA_D4                                  \
                   ", {%4, %5, %6, %7}, {%8, %9}, " MX_MMA_D4 ";"                          \
                   : MX_D4(f) : MX_A4(f), MX_B2(f));                                       \
    }                                                                                      \
  };
#define MX_MMA_8_2(NAME, TEXT)                                                             \
  struct NAME {                                                                            \
    static constexpr int kRowWords = 8;                                                    \
    static constexpr bool kFp16 = true;                                                    \
    static __device__ void step(Fragment& f) {                                             \
      asm volatile("mma.sync.aligned." TEXT " " MX_MMA_D2                                  \
                   ", {%2, %3, %4, %5}, {%6, %7}, " MX_MMA_D2 ";"                          \
                   : MX_D2(f) : MX_A4(f), MX_B2(f));                                       \
    }                                                                                      \
  };
#define MX_MMA_4_4(NAME, TEXT)                                                             \
  struct NAME {                                                                            \
    static constexpr int kRowWords = 4;                                                    \
    static constexpr bool kFp16 = false;                                                   \
    static __device__ void step(Fragment& f) {                                             \
      asm volatile("mma.sync.aligned." TEXT " " MX_MMA_D4                                  \
                   ", {%4, %5}, {%6}, " MX_MMA_D4 ";"                                      \
                   : MX_D4(f) : MX_A2(f), MX_B1(f));                                       \
    }                                                                                      \
  };
#define MX_MMA_4_2(NAME, TEXT)                                                             \
  struct NAME {                                                                            \
    static constexpr int kRowWords = 4;                                                    \
    static constexpr bool kFp16 = true;                                                    \
    static __device__ void step(Fragment& f) {                                             \
      asm volatile("mma.sync.aligned." TEXT " " MX_MMA_D2                                  \
                   ", {%2, %3}, {%4}, " MX_MMA_D2 ";"                                      \
                   : MX_D2(f) : MX_A2(f), MX_B1(f));                                       \
    }                                                                                      \
  };
// The last operands: scale-d true, so D is added; inputs not negated; TRANSPOSE where the type has it.
#define MX_WGMMA_4(NAME, TEXT, TRANSPOSE)                                                  \
  struct NAME {                                                                            \
    static constexpr int kRowWords = 8;                                                    \
    static constexpr bool kFp16 = false;                                                   \
    static __device__ void step(Fragment& f, std::uint64_t b) {                            \
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                              \
      asm volatile("{.reg .pred add; setp.eq.u32 add, 0, 0; wgmma.mma_async.sync.aligned." \
                   TEXT " " MX_MMA_D4 ", {%4, %5, %6, %7}, %8, add, 1, 1" TRANSPOSE ";}"   \
                   : MX_D4(f) : MX_A4(f), "l"(b) : "memory");                              \
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                       \
      asm volatile("wgmma.wait_group.sync.aligned 0;" : MX_D4(f) : : "memory");            \
    }                                                                                      \
  };
#define MX_WGMMA_2(NAME, TEXT, TRANSPOSE)                                                  \
  struct NAME {                                                                            \
    static constexpr int kRowWords = 8;                                                    \
    static constexpr bool kFp16 = true;                                                    \
    static __device__ void step(Fragment& f, std::uint64_t b) {                            \
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                              \
      asm volatile("{.reg .pred add; setp.eq.u32 add, 0, 0; wgmma.mma_async.sync.aligned." \
                   TEXT " " MX_MMA_D2 ", {%2, %3, %4, %5}, %6, add, 1, 1" TRANSPOSE ";}"   \
                   : MX_D2(f) : MX_A4(f), "l"(b) : "memory");                              \
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                       \
      asm volatile("wgmma.wait_group.sync.aligned 0;" : MX_D2(f) : : "memory");            \
    }                                                                                      \
  };
// clang-format on

MX_MMA_8_4(Fp16K16, "m16n8k16.row.col.f32.f16.f16.f32")
MX_MMA_8_2(Fp16K16ToFp16, "m16n8k16.row.col.f16.f16.f16.f16")
MX_MMA_4_4(Fp16K8, "m16n8k8.row.col.f32.f16.f16.f32")
MX_MMA_4_2(Fp16K8ToFp16, "m16n8k8.row.col.f16.f16.f16.f16")
MX_MMA_8_4(Bf16K16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MX_MMA_4_4(Bf16K8, "m16n8k8.row.col.f32.bf16.bf16.f32")
MX_MMA_4_4(Tf32K4, "m16n8k4.row.col.f32.tf32.tf32.f32")
MX_MMA_8_4(Tf32K8, "m16n8k8.row.col.f32.tf32.tf32.f32")
MX_MMA_8_4(E4m3E4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
MX_MMA_8_4(E4m3E5m2, "m16n8k32.row.col.f32.e4m3.e5m2.f32")
MX_MMA_8_4(E5m2E4m3, "m16n8k32.row.col.f32.e5m2.e4m3.f32")
MX_MMA_8_4(E5m2E5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32")
MX_MMA_4_4(E4m3E5m2K16, "m16n8k16.row.col.f32.e4m3.e5m2.f32")
MX_MMA_8_2(E4m3E4m3ToFp16, "m16n8k32.row.col.f16.e4m3.e4m3.f16")
MX_MMA_8_2(E4m3E5m2ToFp16, "m16n8k32.row.col.f16.e4m3.e5m2.f16")
MX_MMA_8_2(E5m2E4m3ToFp16, "m16n8k32.row.col.f16.e5m2.e4m3.f16")
MX_MMA_8_2(E5m2E5m2ToFp16, "m16n8k32.row.col.f16.e5m2.e5m2.f16")
MX_MMA_4_2(E4m3E5m2K16ToFp16, "m16n8k16.row.col.f16.e4m3.e5m2.f16")

MX_WGMMA_4(WideFp16, "m64n8k16.f32.f16.f16", ", 0")
MX_WGMMA_2(WideFp16ToFp16, "m64n8k16.f16.f16.f16", ", 0")
MX_WGMMA_4(WideBf16, "m64n8k16.f32.bf16.bf16", ", 0")
MX_WGMMA_4(WideTf32, "m64n8k8.f32.tf32.tf32", "")
MX_WGMMA_4(WideE4m3E4m3, "m64n8k32.f32.e4m3.e4m3", "")
MX_WGMMA_4(WideE4m3E5m2, "m64n8k32.f32.e4m3.e5m2", "")
MX_WGMMA_4(WideE5m2E4m3, "m64n8k32.f32.e5m2.e4m3", "")
MX_WGMMA_4(WideE5m2E5m2, "m64n8k32.f32.e5m2.e5m2", "")
MX_WGMMA_2(WideE4m3E4m3ToFp16, "m64n8k32.f16.e4m3.e4m3", "")
MX_WGMMA_2(WideE4m3E5m2ToFp16, "m64n8k32.f16.e4m3.e5m2", "")
MX_WGMMA_2(WideE5m2E4m3ToFp16, "m64n8k32.f16.e5m2.e4m3", "")
MX_WGMMA_2(WideE5m2E5m2ToFp16, "m64n8k32.f16.e5m2.e5m2", "")

}  // namespace mx::probe
