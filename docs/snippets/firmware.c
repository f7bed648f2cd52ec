/* The whole program stands in the document. */
#include "snippet.h"
