/* A partition of Zephyr's flash. */
#define FIXED_PARTITION_DEVICE(label) NULL
#define FIXED_PARTITION_OFFSET(label) 0
