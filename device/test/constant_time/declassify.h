/* Included before everything else in the builds of this folder: what the library says about public
 * outcomes becomes known to memcheck. */
#ifndef ISOPOD_TEST_DECLASSIFY_H
#define ISOPOD_TEST_DECLASSIFY_H

#include <valgrind/memcheck.h>

#define ISOPOD_DECLASSIFY(object) ((void)VALGRIND_MAKE_MEM_DEFINED(&(object), sizeof(object)))

#endif
