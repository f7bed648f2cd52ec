/* The encoders of CKKS, by the layout that they serve and the bits of the message. An encoder is
 * linked only where a configuration names it. */
#ifndef ISOPOD_ENCODER_H
#define ISOPOD_ENCODER_H

#ifdef __cplusplus
extern "C" {
#endif

/* log2_scale + log2_bound up to this is encoded in 32-bit fixed point, above it in 64-bit (twice
 * the bytes of message). */
#define ISOPOD_MESSAGE32_BITS 30u

/* Messages of up to ISOPOD_MESSAGE32_BITS bits (..32), or of up to 57 bits (..64: it encodes
 * smaller messages exactly as its counterpart does, and in the same memory). */
typedef struct isopod_encoder isopod_encoder;
extern const isopod_encoder isopod_encoder_slots32; /* the default */
extern const isopod_encoder isopod_encoder_slots64;
extern const isopod_encoder isopod_encoder_complex32;
extern const isopod_encoder isopod_encoder_complex64;
extern const isopod_encoder isopod_encoder_coefficients32;
extern const isopod_encoder isopod_encoder_coefficients64;

#ifdef __cplusplus
}
#endif

#endif
