/* he_open, which opens a server's folder, and he_answer, which answers a state. */
#include "functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DUCKDB_EXTENSION_EXTERN

enum { MOST_GROUPS = 1 << 20, USUAL_GROUPS = 4096 };

bool he_is_there(duckdb_vector vector, idx_t row) {
    uint64_t *validity = duckdb_vector_get_validity(vector);
    return validity == NULL || duckdb_validity_row_is_valid(validity, row);
}

isopod_table_slice he_bytes(duckdb_vector vector, idx_t row) {
    duckdb_string_t *text = &((duckdb_string_t *)duckdb_vector_get_data(vector))[row];
    return (isopod_table_slice){(const uint8_t *)duckdb_string_t_data(text),
                                duckdb_string_t_length(*text)};
}

void he_write(duckdb_vector vector, idx_t row, isopod_table_bytes bytes) {
    if (bytes.length == 0) {
        duckdb_vector_ensure_validity_writable(vector);
        duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
        return;
    }
    duckdb_vector_assign_string_element_len(vector, row, (const char *)bytes.data, bytes.length);
}

static void fail(duckdb_function_info info, he_problem problem) {
    duckdb_scalar_function_set_error(info, problem);
    he_problem_forget(problem);
}

/* The number of groups that a row names. */
static he_problem groups_of(duckdb_data_chunk input, idx_t row, int64_t *groups) {
    *groups = USUAL_GROUPS;
    if (duckdb_data_chunk_get_column_count(input) < 2) {
        return NULL;
    }
    duckdb_vector column = duckdb_data_chunk_get_vector(input, 1);
    const bool is_there = he_is_there(column, row);
    *groups = is_there ? ((const int64_t *)duckdb_vector_get_data(column))[row] : 0;
    if (*groups >= 1 && *groups <= MOST_GROUPS) {
        return NULL;
    }
    char detail[80];
    snprintf(detail, sizeof detail, "%lld; allowed are 1 to %d", (long long)*groups, MOST_GROUPS);
    return he_problem_of("he_open", "groups", is_there ? detail : "NULL; allowed is a number");
}

static he_problem open_row(he_server *server, duckdb_data_chunk input, idx_t row) {
    duckdb_vector paths = duckdb_data_chunk_get_vector(input, 0);
    int64_t groups = 0;
    he_problem problem = groups_of(input, row, &groups);
    if (problem != NULL) {
        return problem;
    }
    if (!he_is_there(paths, row)) {
        return he_problem_of("he_open", "keys", "NULL; allowed is the path of a server's folder");
    }
    const isopod_table_slice path = he_bytes(paths, row);
    char *keys = calloc(path.length + 1, 1);
    if (keys == NULL) {
        return he_problem_of("he_open", "memory", "none is left");
    }
    memcpy(keys, path.data, path.length);
    problem = strlen(keys) == path.length
                  ? he_server_open(server, keys, groups)
                  : he_problem_of("he_open", "keys", "a zero byte; allowed is a path");
    free(keys);
    return problem;
}

static void open_folder(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    he_server *server = duckdb_scalar_function_get_extra_info(info);
    bool *done = duckdb_vector_get_data(output);
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); row++) {
        he_problem problem = open_row(server, input, row);
        if (problem != NULL) {
            fail(info, problem);
            return;
        }
        done[row] = true;
    }
}

static void answer(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    he_server *server = duckdb_scalar_function_get_extra_info(info);
    duckdb_vector states = duckdb_data_chunk_get_vector(input, 0);
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); row++) {
        isopod_table_bytes found = {NULL, 0};
        he_problem problem = NULL;
        if (he_is_there(states, row)) {
            problem = he_server_answer(server, he_bytes(states, row), &found);
        }
        if (problem != NULL) {
            fail(info, problem);
            return;
        }
        he_write(output, row, found);
        isopod_table_release(found);
    }
}

/* A function of SQL. */
typedef struct {
    const char *name;
    duckdb_scalar_function_t call;
    duckdb_type result;
    duckdb_type parameters[2]; /* DUCKDB_TYPE_INVALID ends them */
} scalar;

static duckdb_scalar_function made(const scalar *of, he_server *server) {
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_scalar_function_set_name(function, of->name);
    for (unsigned at = 0; at < 2 && of->parameters[at] != DUCKDB_TYPE_INVALID; at++) {
        duckdb_logical_type type = duckdb_create_logical_type(of->parameters[at]);
        duckdb_scalar_function_add_parameter(function, type);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_logical_type result = duckdb_create_logical_type(of->result);
    duckdb_scalar_function_set_return_type(function, result);
    duckdb_destroy_logical_type(&result);
    duckdb_scalar_function_set_extra_info(function, he_server_hold(server), he_server_release);
    duckdb_scalar_function_set_special_handling(function);
    duckdb_scalar_function_set_volatile(function); /* both do more than compute a value */
    duckdb_scalar_function_set_function(function, of->call);
    return function;
}

/* Registers functions that have one name. */
static bool register_all(duckdb_connection connection, he_server *server, const scalar *of,
                         unsigned count) {
    duckdb_scalar_function_set set = duckdb_create_scalar_function_set(of->name);
    bool is_taken = true;
    for (unsigned at = 0; at < count; at++) {
        duckdb_scalar_function function = made(&of[at], server);
        is_taken = duckdb_add_scalar_function_to_set(set, function) == DuckDBSuccess && is_taken;
        duckdb_destroy_scalar_function(&function);
    }
    is_taken = is_taken && duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&set);
    return is_taken;
}

bool he_register_scalars(duckdb_connection connection, he_server *server) {
    const scalar opens[] = {
        {"he_open", open_folder, DUCKDB_TYPE_BOOLEAN, {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_INVALID}},
        {"he_open", open_folder, DUCKDB_TYPE_BOOLEAN, {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_BIGINT}},
    };
    const scalar answers[] = {
        {"he_answer", answer, DUCKDB_TYPE_BLOB, {DUCKDB_TYPE_BLOB, DUCKDB_TYPE_INVALID}},
    };
    return register_all(connection, server, opens, 2) &&
           register_all(connection, server, answers, 1);
}
