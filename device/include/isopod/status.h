/* Results of every call. Zero or positive: success. Negative: an error with one cause each; outputs
 * are then zeroed. */
#ifndef ISOPOD_STATUS_H
#define ISOPOD_STATUS_H

typedef enum {
    ISOPOD_OK = 0,
    ISOPOD_DONE = 1,               /* the last piece was already taken; no bytes were written */
    ISOPOD_ERROR_PARAMETERS = -1,  /* malformed set, or larger than its security label allows */
    ISOPOD_ERROR_LABEL = -2,       /* the set's label is not the one the configuration accepts */
    ISOPOD_ERROR_CHUNKS = -3,      /* chunks is not 1, 2, 4 or 8 */
    ISOPOD_ERROR_SCALE = -4,       /* log2_scale outside of the set's range */
    ISOPOD_ERROR_BOUND = -5,       /* log2_scale + log2_bound outside 0..57 (0..30 without the wide
                                      encoder and its table), or not below half the modulus */
    ISOPOD_ERROR_WORKSPACE = -6,   /* workspace too small or not aligned to 8 bytes */
    ISOPOD_ERROR_COUNT = -7,       /* no values, more than the layout's places, or not a power of
                                      two where they are repeated */
    ISOPOD_ERROR_NOT_FINITE = -8,  /* a value is NaN or infinite */
    ISOPOD_ERROR_VALUE_RANGE = -9, /* a value's magnitude exceeds 2^log2_bound; in BFV, it is
                                      not within 0 .. t-1, or -(t-1)/2 .. (t-1)/2 */
    ISOPOD_ERROR_ENTROPY =
        -10, /* the entropy source failed, is stuck or was poisoned by an earlier failure */
    ISOPOD_ERROR_KEY_FORMAT =
        -11, /* wrong magic, length, digest, residue or ternary symbol in the key blob */
    ISOPOD_ERROR_KEY_SET = -12,  /* the key belongs to another parameter set */
    ISOPOD_ERROR_KEY_KIND = -13, /* a secret key where a public key is expected, or the reverse */
    ISOPOD_ERROR_STATE = -14,    /* a call out of order, or on a context whose encryption failed */
    ISOPOD_ERROR_CAPACITY = -15, /* output capacity of zero bytes */
    ISOPOD_ERROR_VALUE_TYPE = -16, /* unknown type of values */
    ISOPOD_ERROR_TABLES = -18,     /* lean tables, which this build's backend does not read */
    ISOPOD_ERROR_WIDTH = -19,      /* width is not 0, the bytes of a word of the modulus, or half */
    ISOPOD_ERROR_KEY_LOAD = -20, /* a split key's loader failed, or brought what was not asked for:
                                    another prime's, another pair's, or another kind */
    ISOPOD_ERROR_FAULT = -17, /* computed twice, with different outcomes: the fault check refused;
                                 or an encryption engine failed while it ran: begin again */
    ISOPOD_ERROR_AUTHENTICATION = -31,   /* not sealed under this key, or changed since */
    ISOPOD_ERROR_RESULT_FORMAT = -32,    /* sealed, but not a result as spec/wire.md defines it */
    ISOPOD_ERROR_LEVEL = -33,            /* more primes than the set has, or a result of more than
                                            three; in BFV, too few for t and the noise */
    ISOPOD_ERROR_LENGTH = -34,           /* too few or too many bytes of residues */
    ISOPOD_ERROR_RESIDUE = -35,          /* a residue is not below its prime */
    ISOPOD_ERROR_PLAIN_PRIME = -41,      /* the plaintext modulus t is not a prime */
    ISOPOD_ERROR_PLAIN_CONGRUENCE = -42, /* t is not 1 mod 2n, or outside 2n .. 2^30 */
    ISOPOD_ERROR_LAYOUT = -43,      /* not a layout of the scheme, or its encoder is not named */
    ISOPOD_ERROR_RESULT_BOUND = -36 /* decrypted values exceed the declared bound, or the noise what
                                       BFV corrects: a wrong key, a wrong bound or a damaged result.
                                       Never told to a sender */
} isopod_status;

#if defined(__GNUC__) || defined(__clang__)
#define ISOPOD_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ISOPOD_MUST_CHECK
#endif

#endif
