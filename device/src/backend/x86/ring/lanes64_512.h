/* Eight lanes of AVX-512 for the templates of 64-bit primes. */
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

#define TARGET ISOPOD_AVX512
#define INLINE ISOPOD_AVX512_INLINE
#define VECTOR __m512i
#define FACTOR isopod_factor512
#define LANES 8u
#define LOG2_LANES 3u
#define LOAD(at) _mm512_loadu_si512(at)
#define STORE(at, value) _mm512_storeu_si512(at, value)
#define SET1 _mm512_set1_epi64
#define ADD _mm512_add_epi64
#define SUB _mm512_sub_epi64
#define FACTOR_OF isopod_factor512_of
#define PRODUCT isopod_product512
#define LOWER isopod_lower512
#define TRANSPOSE isopod_transpose512
#define NAME(name) name##_512
