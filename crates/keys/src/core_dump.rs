//! Core dumps turned off, so that memory with keys in it is not written to disk.

/// Prevents core dumps of this process. Where the system does not allow it, nothing changes.
pub fn forbid_core_dumps() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}
