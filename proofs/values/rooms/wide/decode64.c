/* Decoding from residues modulo one, two and three primes of 54 to 60 bits at n = 1024, of any
 * contents within q and any claim that the checks let pass, to values of every type. */
// words: 64
// rooms: encode/decode/folding64.c schemes/decode_mixed64.c schemes/decode_reals.c
// rooms: schemes/claim.c base/parameters.c base/parameter_sets.c base/workspace.c
// stubs: primitives.c decode_stub.c
// mains: first second third
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 65
// options: -eva-split-return full
#include "arbitrary.h"
#include "decrypt/decrypt.h"
#include "isopod/tables.h"

#define N 1024u

static int64_t x[3u * N + 8u], cosine64[N / 2u + 1u];
static int32_t cosine32[N / 2u + 1u];
static uint64_t values[24];
