/* Four lanes of AVX2 for the templates of 64-bit primes. */
#undef TARGET
#undef INLINE
#undef VECTOR
#undef FACTOR
#undef LANES
#undef LOG2_LANES
#undef LOAD
#undef STORE
#undef SET1
#undef ADD
#undef SUB
#undef FACTOR_OF
#undef PRODUCT
#undef LOWER
#undef TRANSPOSE
#undef NAME

#define TARGET ISOPOD_AVX2
#define INLINE ISOPOD_AVX2_INLINE
#define VECTOR __m256i
#define FACTOR isopod_factor256
#define LANES 4u
#define LOG2_LANES 2u
#define LOAD(at) isopod_load(at)
#define STORE(at, value) isopod_store(at, value)
#define SET1 _mm256_set1_epi64x
#define ADD _mm256_add_epi64
#define SUB _mm256_sub_epi64
#define FACTOR_OF isopod_factor256_of
#define PRODUCT isopod_product256
#define LOWER isopod_lower256
#define TRANSPOSE isopod_transpose_pairs
#define NAME(name) name##_256
