/* he_sum, he_mean, he_column_sum, he_column_mean and he_weighted_sum.
 *
 * DuckDB gives each thread states of its own and combines them. A state of DuckDB is the address of
 * a group: the library adds frames to it, and states travel between groups sealed. */
#include "functions.h"

#include <stdlib.h>
#include <string.h>

DUCKDB_EXTENSION_EXTERN

/* An aggregate that is registered. */
typedef struct {
    he_server *server;
    unsigned job;
} aggregate;

typedef struct {
    isopod_table_group *group; /* null for a group without frames */
    he_server *server;
} state;

/* A row of a chunk. */
typedef struct {
    state *state;
    isopod_table_slice item;
    double weight;
    idx_t row;
} item;

static void fail(duckdb_function_info info, he_problem problem) {
    duckdb_aggregate_function_set_error(info, problem);
    he_problem_forget(problem);
}

static idx_t size(duckdb_function_info info) {
    (void)info;
    return sizeof(state);
}

static void begin(duckdb_function_info info, duckdb_aggregate_state memory) {
    const aggregate *self = duckdb_aggregate_function_get_extra_info(info);
    *(state *)memory = (state){NULL, self->server};
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t at = 0; at < count; at++) {
        state *one = (state *)states[at];
        if (one->group != NULL) {
            he_server_drop(one->server, one->group);
            one->group = NULL;
        }
    }
}

/* Adds items, all with weights or all without. */
static he_problem fold(const aggregate *self, state *to, const isopod_table_slice *items,
                       const double *weights, size_t count) {
    if (to->group == NULL) {
        he_problem problem = he_server_group(self->server, self->job, &to->group);
        if (problem != NULL) {
            return problem;
        }
    }
    isopod_table_bytes out = {NULL, 0};
    const int32_t status = isopod_table_fold(to->group, items, weights, count, &out);
    return he_taken(he_jobs[self->job].aggregate, status, out);
}

/* By group, and in a group by row, so that refusals name the first one. */
static int by_state(const void *left, const void *right) {
    const item *one = left, *other = right;
    const uintptr_t first = (uintptr_t)one->state, second = (uintptr_t)other->state;
    if (first != second) {
        return first < second ? -1 : 1;
    }
    return one->row < other->row ? -1 : one->row > other->row;
}

/* The rows without a NULL; SQL leaves others out of a sum. */
static size_t rows_of(duckdb_data_chunk input, duckdb_aggregate_state *states, item *items) {
    duckdb_vector frames = duckdb_data_chunk_get_vector(input, 0), weights = NULL;
    if (duckdb_data_chunk_get_column_count(input) > 1) {
        weights = duckdb_data_chunk_get_vector(input, 1);
    }
    size_t count = 0;
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); row++) {
        if (he_is_there(frames, row) && (weights == NULL || he_is_there(weights, row))) {
            const double *numbers = weights != NULL ? duckdb_vector_get_data(weights) : NULL;
            items[count++] = (item){(state *)states[row], he_bytes(frames, row),
                                    numbers != NULL ? numbers[row] : 1.0, row};
        }
    }
    return count;
}

/* Memory for one chunk. */
typedef struct {
    item *items;
    isopod_table_slice *slices;
    double *weights;
} rows;

static bool allocate(rows *of, idx_t count) {
    of->items = calloc(count, sizeof *of->items);
    of->slices = calloc(count, sizeof *of->slices);
    of->weights = calloc(count, sizeof *of->weights);
    return of->items != NULL && of->slices != NULL && of->weights != NULL;
}

static void release(rows *of) {
    free(of->items);
    free(of->slices);
    free(of->weights);
}

static he_problem fold_rows(const aggregate *self, const rows *of, size_t count) {
    qsort(of->items, count, sizeof *of->items, by_state);
    for (size_t at = 0; at < count; at++) {
        of->slices[at] = of->items[at].item;
        of->weights[at] = of->items[at].weight;
    }
    const bool is_weighed = he_jobs[self->job].is_weighed;
    for (size_t at = 0, end = 0; at < count; at = end) {
        while (end < count && of->items[end].state == of->items[at].state) {
            end++;
        }
        const double *weights = is_weighed ? &of->weights[at] : NULL;
        he_problem problem = fold(self, of->items[at].state, &of->slices[at], weights, end - at);
        if (problem != NULL) {
            return problem;
        }
    }
    return NULL;
}

static void update(duckdb_function_info info, duckdb_data_chunk input,
                   duckdb_aggregate_state *states) {
    const aggregate *self = duckdb_aggregate_function_get_extra_info(info);
    const idx_t count = duckdb_data_chunk_get_size(input);
    rows of = {NULL, NULL, NULL};
    he_problem problem = NULL;
    if (count == 0) {
        return;
    }
    if (!allocate(&of, count)) {
        problem = he_problem_of(he_jobs[self->job].aggregate, "memory", "none is left");
    } else {
        problem = fold_rows(self, &of, rows_of(input, states, of.items));
    }
    release(&of);
    if (problem != NULL) {
        fail(info, problem);
    }
}

static he_problem sealed(const aggregate *self, const state *of, isopod_table_bytes *out) {
    const int32_t status = isopod_table_state(of->group, out);
    return status == 0 ? NULL : he_taken(he_jobs[self->job].aggregate, status, *out);
}

static he_problem join(const aggregate *self, const state *source, state *target) {
    isopod_table_bytes bytes = {NULL, 0};
    he_problem problem = sealed(self, source, &bytes);
    if (problem == NULL && bytes.length > 0) {
        const isopod_table_slice slice = {bytes.data, bytes.length};
        problem = fold(self, target, &slice, NULL, 1);
    }
    if (problem == NULL) {
        isopod_table_release(bytes);
    }
    return problem;
}

static void combine(duckdb_function_info info, duckdb_aggregate_state *source,
                    duckdb_aggregate_state *target, idx_t count) {
    const aggregate *self = duckdb_aggregate_function_get_extra_info(info);
    he_problem problem = NULL;
    for (idx_t at = 0; at < count && problem == NULL; at++) {
        const state *from = (const state *)source[at];
        if (from->group != NULL) {
            problem = join(self, from, (state *)target[at]);
        }
    }
    if (problem != NULL) {
        fail(info, problem);
    }
}

static void finalize(duckdb_function_info info, duckdb_aggregate_state *states,
                     duckdb_vector result, idx_t count, idx_t offset) {
    const aggregate *self = duckdb_aggregate_function_get_extra_info(info);
    for (idx_t at = 0; at < count; at++) {
        const state *one = (const state *)states[at];
        isopod_table_bytes bytes = {NULL, 0};
        he_problem problem = one->group != NULL ? sealed(self, one, &bytes) : NULL;
        if (problem != NULL) {
            fail(info, problem);
            return;
        }
        he_write(result, offset + at, bytes);
        isopod_table_release(bytes);
    }
}

static void forget(void *memory) {
    aggregate *self = memory;
    he_server_release(self->server);
    free(self);
}

static void add_parameter(duckdb_aggregate_function function, duckdb_type kind) {
    duckdb_logical_type type = duckdb_create_logical_type(kind);
    duckdb_aggregate_function_add_parameter(function, type);
    duckdb_destroy_logical_type(&type);
}

static bool register_job(duckdb_connection connection, he_server *server, unsigned job) {
    aggregate *self = malloc(sizeof *self);
    if (self == NULL) {
        return false;
    }
    *self = (aggregate){he_server_hold(server), job};
    duckdb_aggregate_function function = duckdb_create_aggregate_function();
    duckdb_aggregate_function_set_name(function, he_jobs[job].aggregate);
    add_parameter(function, DUCKDB_TYPE_BLOB);
    if (he_jobs[job].is_weighed) {
        add_parameter(function, DUCKDB_TYPE_DOUBLE);
    }
    duckdb_logical_type blob = duckdb_create_logical_type(DUCKDB_TYPE_BLOB);
    duckdb_aggregate_function_set_return_type(function, blob);
    duckdb_destroy_logical_type(&blob);
    duckdb_aggregate_function_set_extra_info(function, self, forget);
    duckdb_aggregate_function_set_special_handling(function);
    duckdb_aggregate_function_set_functions(function, size, begin, update, combine, finalize);
    duckdb_aggregate_function_set_destructor(function, destroy);
    const bool is_taken = duckdb_register_aggregate_function(connection, function) == DuckDBSuccess;
    duckdb_destroy_aggregate_function(&function);
    return is_taken;
}

bool he_register_aggregates(duckdb_connection connection, he_server *server) {
    for (unsigned job = 0; job < HE_JOBS; job++) {
        if (!register_job(connection, server, job)) {
            return false;
        }
    }
    return true;
}
