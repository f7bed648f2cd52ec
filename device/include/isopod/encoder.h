/* The encoders of CKKS (spec/ckks.md, section 4), one for each layout and message size. An encoder
 * is linked only where a configuration names it. */
#ifndef ISOPOD_ENCODER_H
#define ISOPOD_ENCODER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Largest log2_scale + log2_bound of a 32-bit message. Larger ones, up to 57, are 64-bit messages,
 * which take twice the bytes. */
#define ISOPOD_MESSAGE32_BITS 30u

/* Names tell the message size. An encoder of 64-bit messages also encodes 32-bit ones, to the same
 * words and in the same memory as its counterpart.
 *
 * Encoders of slots round with a dither from the noise stream. The mean rounding error is then
 * zero, so that errors of equal values in many frames do not add up. Encoders whose names end in
 * `nearest` are deterministic. An encryption engine takes only these, since it encodes before it
 * knows its seeds. The frame tells the kind of rounding; for rounding to nearest a server adds up
 * the largest errors. Coefficients are readings times the scale, rounded to nearest. */
typedef struct isopod_encoder isopod_encoder;
extern const isopod_encoder isopod_encoder_slots32; /* the default */
extern const isopod_encoder isopod_encoder_slots64;
extern const isopod_encoder isopod_encoder_complex32;
extern const isopod_encoder isopod_encoder_complex64;
extern const isopod_encoder isopod_encoder_slots32_nearest;
extern const isopod_encoder isopod_encoder_slots64_nearest;
extern const isopod_encoder isopod_encoder_complex32_nearest;
extern const isopod_encoder isopod_encoder_complex64_nearest;
extern const isopod_encoder isopod_encoder_coefficients32;
extern const isopod_encoder isopod_encoder_coefficients64;

#ifdef __cplusplus
}
#endif

#endif
