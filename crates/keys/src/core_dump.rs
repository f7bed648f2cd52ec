//! Core dumps turned off, so that memory with keys in it stays off the disk.

/// Keeps the kernel from writing this process's memory into a core dump. Where it cannot, nothing changes.
pub fn forbid_core_dumps() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}
