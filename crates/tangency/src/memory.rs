//! How much memory there is.

/// Bytes that this process may still take: free memory, or what a container's limit leaves of it.
pub fn available_memory() -> u64 {
    let Ok(mut system) = sysinfo::System::new() else { return u64::MAX };
    system.refresh_memory();
    match system.cgroup_limits() {
        Some(limits) => system.available_memory().min(limits.free_memory),
        None => system.available_memory(),
    }
}
