#include "fast/cuda/start-inl.cuh"

template void mx::fast::cuda::start_on_stream<mx::fast::cuda::Bf16>(CUstream_st*, const Mode&,
                                                                    const Call&);
