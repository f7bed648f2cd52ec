/* The part of QEMU's TCG plugin interface, version 1, that the counter uses, declared from QEMU's
 * manual ("QEMU TCG Plugins", API section): distributions ship the loader without a header. */
#ifndef ISOPOD_PLUGIN_API_H
#define ISOPOD_PLUGIN_API_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;

/* Opaque: the counter does not use facts about the emulated machine. */
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS = 0 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 = 0 };

typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *data);
typedef uint32_t qemu_plugin_meminfo_t;
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu, qemu_plugin_meminfo_t information,
                                          uint64_t address, void *data);
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           qemu_plugin_vcpu_tb_trans_cb_t callback);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t callback,
                                    void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *instruction);

void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *instruction,
                                                enum qemu_plugin_op operation, void *counter,
                                                uint64_t addend);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            qemu_plugin_vcpu_udata_cb_t callback,
                                            enum qemu_plugin_cb_flags flags, void *data);

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
                                      qemu_plugin_vcpu_mem_cb_t callback,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw kind,
                                      void *data);

void qemu_plugin_outs(const char *text);

/* Symbols that QEMU's loader looks up in the plugin. */
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

#endif
