/* Hands ISOPOD_DECLASSIFY to memcheck: public outcomes become defined memory. Included before
 * everything else in the builds of this folder. */
#ifndef ISOPOD_TEST_DECLASSIFY_H
#define ISOPOD_TEST_DECLASSIFY_H

#include <valgrind/memcheck.h>

#define ISOPOD_DECLASSIFY(object) ((void)VALGRIND_MAKE_MEM_DEFINED(&(object), sizeof(object)))

#endif
