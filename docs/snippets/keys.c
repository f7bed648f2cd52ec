/* A card around the snippet of docs/guides/keys.md. */
#include "isopod/split_key.h"

int my_card_read(void *card, uint8_t prime, void *out, size_t bytes);
int open_key(void *card);

#include "snippet.h"
