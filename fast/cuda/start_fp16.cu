#include "fast/cuda/start-inl.cuh"

template void mx::fast::cuda::start_on_stream<mx::fast::cuda::Fp16>(CUstream_st*, const Mode&,
                                                                    const Call&);
