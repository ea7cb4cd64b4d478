/* mxgold_cuda.h compiles alone as C. */
#include "mxgold_cuda.h"

unsigned mx_bridge_cuda_version(void);
unsigned mx_bridge_cuda_version(void) { return MXGOLD_CUDA_ABI_VERSION; }
