/* The entry that DuckDB calls when it loads the extension. */
#include "functions.h"

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            struct duckdb_extension_access *access) {
    he_server *server = he_server_new();
    const bool is_taken = server != NULL && he_register_aggregates(connection, server) &&
                          he_register_scalars(connection, server);
    if (!is_taken) {
        access->set_error(info, "isopod: the database refused a function");
    }
    if (server != NULL) {
        he_server_release(server);
    }
    return is_taken;
}
