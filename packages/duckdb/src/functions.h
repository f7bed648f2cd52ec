/* The functions of SQL. */
#ifndef HE_FUNCTIONS_H
#define HE_FUNCTIONS_H

#define DUCKDB_EXTENSION_NAME isopod
#define DUCKDB_EXTENSION_API_VERSION_MAJOR 1
#define DUCKDB_EXTENSION_API_VERSION_MINOR 2
#define DUCKDB_EXTENSION_API_VERSION_PATCH 0
#include "duckdb_extension.h"

#include "server.h"

/* Both return false if the database does not take a function. */
bool he_register_aggregates(duckdb_connection connection, he_server *server);
bool he_register_scalars(duckdb_connection connection, he_server *server);

/* Whether a row of a vector is not NULL. */
bool he_is_there(duckdb_vector vector, idx_t row);

/* The bytes of a row, which the vector owns. */
isopod_table_slice he_bytes(duckdb_vector vector, idx_t row);

/* Writes a row, or NULL for no bytes. */
void he_write(duckdb_vector vector, idx_t row, isopod_table_bytes bytes);

#endif
