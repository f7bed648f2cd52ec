/* Memory, entropy and sender of an encryption, which changes all three while it runs. A
 * configuration is only read, so threads may share it. An encryptor belongs to one thread at a
 * time, and its workspace to one encryption at a time. */
#ifndef ISOPOD_ENCRYPTOR_H
#define ISOPOD_ENCRYPTOR_H

#include "isopod/entropy.h"
#include "isopod/sender.h"
#include "isopod/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The caller owns it and keeps it in place until the encryption has ended. Every encryptor has a
 * workspace and an entropy source of its own; all encryptors of a device share its sender. */
typedef struct {
    isopod_workspace workspace; /* wiped when the encryption ends, however it ends */
    isopod_entropy *entropy;
    isopod_sender *sender; /* names the encryption, and seals its frame */
} isopod_encryptor;

#ifdef __cplusplus
}
#endif

#endif
