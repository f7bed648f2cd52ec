#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const he_job he_jobs[HE_JOBS] = {
    {"he_sum", "sum", false},
    {"he_mean", "mean", false},
    {"he_column_sum", "column-sum", false},
    {"he_column_mean", "column-mean", false},
    {"he_weighted_sum", "weighted", true},
};

static char no_memory[] = "memory: none is left";

void he_problem_forget(he_problem problem) {
    if (problem != no_memory) {
        free(problem);
    }
}

he_problem he_problem_of(const char *function, const char *field, const char *detail) {
    const size_t length = strlen(function) + strlen(field) + strlen(detail) + sizeof ": : ";
    char *text = malloc(length);
    if (text == NULL) {
        return no_memory; /* null would pass for success */
    }
    snprintf(text, length, "%s: %s%s%s", function, field, *field ? ": " : "", detail);
    return text;
}

he_problem he_taken(const char *function, int32_t status, isopod_table_bytes out) {
    he_problem problem = NULL;
    if (status != 0) {
        char *detail = calloc(out.length + 1, 1);
        if (detail != NULL && out.length > 0) {
            memcpy(detail, out.data, out.length);
        }
        problem = he_problem_of(function, "", detail != NULL ? detail : no_memory);
        free(detail);
    }
    isopod_table_release(out);
    return problem;
}

static isopod_table_slice slice(const char *text) {
    return (isopod_table_slice){(const uint8_t *)text, strlen(text)};
}

he_server *he_server_new(void) {
    he_server *server = calloc(1, sizeof *server);
    if (server != NULL && pthread_mutex_init(&server->lock, NULL) != 0) {
        free(server);
        return NULL;
    }
    if (server != NULL) {
        server->holders = 1;
    }
    return server;
}

he_server *he_server_hold(he_server *server) {
    pthread_mutex_lock(&server->lock);
    server->holders++;
    pthread_mutex_unlock(&server->lock);
    return server;
}

/* Closes what is open; the caller has the lock. Groups stay of use. */
static void close_all(he_server *server) {
    for (unsigned job = 0; job < HE_JOBS; job++) {
        isopod_table_close(server->jobs[job]);
        server->jobs[job] = NULL;
    }
    free(server->keys);
    server->keys = NULL;
}

void he_server_release(void *held) {
    he_server *server = held;
    pthread_mutex_lock(&server->lock);
    const bool is_last = --server->holders == 0;
    pthread_mutex_unlock(&server->lock);
    if (is_last) {
        close_all(server);
        pthread_mutex_destroy(&server->lock);
        free(server);
    }
}

/* The aggregation of a job, opened where it is asked for first; the caller has the lock. */
static he_problem aggregation(he_server *server, const char *function, unsigned job) {
    if (server->keys == NULL) {
        return he_problem_of(function, "keys",
                             "none are open; SELECT he_open('keys/server') opens them");
    }
    if (server->jobs[job] != NULL) {
        return NULL;
    }
    isopod_table_bytes out = {NULL, 0};
    const int32_t status = isopod_table_open(slice(server->keys), slice(he_jobs[job].name), NULL, 0,
                                             &server->jobs[job], &out);
    return he_taken(function, status, out);
}

he_problem he_server_open(he_server *server, const char *keys, int64_t most_groups) {
    isopod_table_aggregation *sum = NULL;
    isopod_table_bytes out = {NULL, 0};
    const int32_t status =
        isopod_table_open(slice(keys), slice(he_jobs[0].name), NULL, 0, &sum, &out);
    he_problem problem = he_taken("he_open: keys", status, out);
    if (problem != NULL) {
        return problem;
    }
    char *copy = strdup(keys);
    if (copy == NULL) {
        isopod_table_close(sum);
        return he_problem_of("he_open", "", no_memory);
    }
    pthread_mutex_lock(&server->lock);
    close_all(server);
    server->keys = copy;
    server->jobs[0] = sum;
    server->most_groups = most_groups;
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

/* Counts one more group, or refuses it; the caller has the lock. */
static he_problem count(he_server *server, const char *function) {
    if (server->groups < server->most_groups) {
        server->groups++;
        return NULL;
    }
    char detail[160];
    snprintf(detail, sizeof detail,
             "more than %lld at the same time, one for each thread and group of a query; allowed "
             "are those that he_open names",
             (long long)server->most_groups);
    return he_problem_of(function, "groups", detail);
}

he_problem he_server_group(he_server *server, unsigned job, isopod_table_group **group) {
    const char *function = he_jobs[job].aggregate;
    isopod_table_bytes out = {NULL, 0};
    pthread_mutex_lock(&server->lock);
    he_problem problem = aggregation(server, function, job);
    if (problem == NULL) {
        problem = count(server, function);
    }
    if (problem == NULL) {
        const int32_t status = isopod_table_group_new(server->jobs[job], group, &out);
        problem = he_taken(function, status, out);
        server->groups -= problem != NULL;
    }
    pthread_mutex_unlock(&server->lock);
    return problem;
}

void he_server_drop(he_server *server, isopod_table_group *group) {
    isopod_table_group_free(group);
    pthread_mutex_lock(&server->lock);
    server->groups--;
    pthread_mutex_unlock(&server->lock);
}

/* Answers the state if it is of this job; the caller has the lock. */
static he_problem answer_of(he_server *server, unsigned job, isopod_table_slice state,
                            isopod_table_bytes *out, bool *is_of) {
    static const char function[] = "he_answer";
    isopod_table_bytes found = {NULL, 0};
    int32_t is = 0;
    int32_t status = isopod_table_is_of(server->jobs[job], state, &is, &found);
    he_problem problem = he_taken(function, status, found);
    *is_of = is != 0;
    if (problem != NULL || !*is_of) {
        return problem;
    }
    status = isopod_table_answer(server->jobs[job], state, out);
    return status == 0 ? NULL : he_taken(function, status, *out);
}

he_problem he_server_answer(he_server *server, isopod_table_slice state, isopod_table_bytes *out) {
    static const char function[] = "he_answer";
    bool is_of = false;
    pthread_mutex_lock(&server->lock);
    he_problem problem = aggregation(server, function, 0);
    for (unsigned job = 0; job < HE_JOBS && problem == NULL && !is_of; job++) {
        he_problem unknown = aggregation(server, function, job);
        if (unknown == NULL) {
            problem = answer_of(server, job, state, out, &is_of);
        }
        he_problem_forget(unknown); /* a job that the set does not know has no states */
    }
    pthread_mutex_unlock(&server->lock);
    if (problem == NULL && !is_of) {
        return he_problem_of(function, "state",
                             "of another job; allowed are those of he_sum, "
                             "he_mean, he_column_sum, he_column_mean and "
                             "he_weighted_sum");
    }
    return problem;
}
