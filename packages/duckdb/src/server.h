/* A server's folder that is open in a database, and the aggregations of its jobs. */
#ifndef HE_SERVER_H
#define HE_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "isopod/table.h"

enum { HE_JOBS = 5 };

/* A job, and the aggregate that asks for it. */
typedef struct {
    const char *aggregate;
    const char *name;
    bool is_weighed;
} he_job;

extern const he_job he_jobs[HE_JOBS];

/* Shared by the functions of one database; each of them holds it once. */
typedef struct {
    pthread_mutex_t lock;
    unsigned holders;
    char *keys; /* null until a folder is open */
    isopod_table_aggregation *jobs[HE_JOBS];
    int64_t groups;
    int64_t most_groups;
} he_server;

/* A message for the caller, who forgets it; null is success. */
typedef char *he_problem;

void he_problem_forget(he_problem problem);

he_problem he_problem_of(const char *function, const char *field, const char *detail);

/* Makes a server without a folder, with one holder; null without memory. */
he_server *he_server_new(void);
he_server *he_server_hold(he_server *server);
void he_server_release(void *server);

/* Opens a folder in place of another. Before any work it is refused if it is no server's. */
he_problem he_server_open(he_server *server, const char *keys, int64_t most_groups);

/* An empty group of a job, which he_server_drop counts and frees. */
he_problem he_server_group(he_server *server, unsigned job, isopod_table_group **group);
void he_server_drop(he_server *server, isopod_table_group *group);

/* The sealed answer to a state of any job; its frames enter the server's memory. */
he_problem he_server_answer(he_server *server, isopod_table_slice state, isopod_table_bytes *out);

/* The outcome of a call: its bytes, if any, are released; a message if it failed. */
he_problem he_taken(const char *function, int32_t status, isopod_table_bytes out);

#endif
