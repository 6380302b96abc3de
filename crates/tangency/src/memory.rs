//! How much memory there is: of the machine, of the control groups that the process is in, of the limits on the process.

use std::fs::read_to_string;
use std::path::Path;

/// What is left for small things.
const RESERVE: u64 = 8 << 20;

/// Bytes that this process may still take: the least of free memory, what its control groups leave of it (containers are such
/// groups), and what `ulimit` does.
pub fn available_memory() -> u64 {
    let process = Path::new("/proc/self");
    let of_groups = of_groups(&read(process, "cgroup"), Path::new("/sys/fs/cgroup"));
    of_machine().min(of_groups).min(of_process(process)).saturating_sub(RESERVE)
}

/// Bytes of address space that the limits on this process leave (`ulimit -v`, `-d`), if it has any.
pub fn left_by_limits() -> Option<u64> {
    Some(of_process(Path::new("/proc/self"))).filter(|&left| left < u64::MAX)
}

/// What a thread that multiplies matrices sets aside, though it may never touch it: twice the largest cache of the processor, and
/// what the allocator and the stack take.
pub fn set_aside_by_thread() -> u64 {
    let text = read(Path::new("/sys/devices/system/cpu/cpu0/cache/index3"), "size");
    let cache = text.trim().strip_suffix('K').and_then(|number| number.parse::<u64>().ok()).unwrap_or(32 << 10);
    2 * (cache << 10) + (192 << 20)
}

fn of_machine() -> u64 {
    let Ok(mut system) = sysinfo::System::new() else { return u64::MAX };
    system.refresh_memory();
    system.available_memory()
}

fn read(folder: &Path, name: &str) -> String {
    read_to_string(folder.join(name)).unwrap_or_default()
}

/// What stands behind a name on one of the lines.
fn behind<'a>(lines: &'a str, name: &str) -> Option<&'a str> {
    lines.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()
}

/// What the groups of a process and those around them leave, by the lines that say which they are. Of the files that a group keeps
/// in memory those not in use go when room is needed.
fn of_groups(lines: &str, mounted: &Path) -> u64 {
    let mut least = u64::MAX;
    for line in lines.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        // the first version has a tree for each controller, the second one for all
        let (root, most, used, unused) = match controllers {
            "" => (mounted.to_owned(), "memory.max", "memory.current", "inactive_file "),
            names if names.split(',').any(|name| name == "memory") => {
                let root = mounted.join("memory");
                (root, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")
            }
            _ => continue,
        };
        // in a container the path may be that of the host, and what is mounted the group itself
        for group in Path::new(path.trim_start_matches('/')).ancestors() {
            let folder = root.join(group);
            let number = |name: &str| read(&folder, name).trim().parse::<u64>().ok();
            // no limit is the word max, or a number beyond all memory
            let (Some(most), Some(used)) = (number(most), number(used)) else { continue };
            let unused = behind(&read(&folder, "memory.stat"), unused).and_then(|word| word.parse().ok()).unwrap_or(0);
            least = least.min(most.saturating_sub(used.saturating_sub(unused)));
        }
    }
    least
}

/// What the limits on the address space and the data of a process leave; everything where there are none, or no such files.
fn of_process(folder: &Path) -> u64 {
    let (limits, status) = (read(folder, "limits"), read(folder, "status"));
    [("Max address space", "VmSize:"), ("Max data size", "VmData:")]
        .into_iter()
        .filter_map(|(limit, used)| {
            // unlimited is no number
            let most: u64 = behind(&limits, limit)?.parse().ok()?;
            let used: u64 = behind(&status, used).and_then(|word| word.parse().ok()).unwrap_or(0);
            Some(most.saturating_sub(used << 10))
        })
        .min()
        .unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    //! The smallest limit counts, less what is taken already; where nothing is limited, all there is.
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn process(space: &str, data: &str) -> u64 {
        let folder = tempfile::tempdir().unwrap();
        let limits = format!(
            "Limit                     Soft Limit           Hard Limit           Units     \n\
             Max data size             {data}            unlimited            bytes     \n\
             Max address space         {space}            unlimited            bytes     \n"
        );
        std::fs::write(folder.path().join("limits"), limits).unwrap();
        std::fs::write(folder.path().join("status"), "Name:\tx\nVmSize:\t    2000 kB\nVmData:\t  1000 kB\n").unwrap();
        of_process(folder.path())
    }

    #[test]
    fn limits_of_the_process() {
        assert_eq!(process("unlimited", "unlimited"), u64::MAX);
        assert_eq!(process("3072000", "unlimited"), 1_024_000);
        assert_eq!(process("3072000", "1024001"), 1);
        assert_eq!(process("1000", "unlimited"), 0);
        assert_eq!(of_process(Path::new("/nowhere")), u64::MAX);
    }

    /// Files of groups: folder, file, what stands in it.
    fn groups(lines: &str, files: &[(&str, &str, &str)]) -> u64 {
        let mounted = tempfile::tempdir().unwrap();
        for (folder, name, text) in files {
            let folder = mounted.path().join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(name), text).unwrap();
        }
        of_groups(lines, mounted.path())
    }

    #[test]
    fn limits_of_groups_of_both_versions() {
        let (limit, used) = ("memory.limit_in_bytes", "memory.usage_in_bytes");
        let second = [
            ("a/b", "memory.max", "max\n"),
            ("a/b", "memory.current", "10\n"),
            ("a", "memory.max", "1000\n"),
            ("a", "memory.current", "700\n"),
            ("a", "memory.stat", "anon 5\ninactive_file 100\n"),
        ];
        assert_eq!(groups("0::/a/b\n", &second), 400, "the group above has the limit");
        assert_eq!(groups("0::/other\n", &second), u64::MAX);
        let first = [
            ("memory/g", limit, "500\n"),
            ("memory/g", used, "600\n"),
            ("memory/g", "memory.stat", "inactive_file 7\ntotal_inactive_file 350\n"),
            ("memory", limit, "9223372036854771712\n"),
            ("memory", used, "600\n"),
        ];
        assert_eq!(groups("4:cpu,memory:/g\n1:cpu:/\n0::/\n", &first), 250);
        // a container that is told the path of the host
        assert_eq!(groups("4:memory:/docker/12\n", &[("memory", limit, "90"), ("memory", used, "40")]), 50);
        for odd in ["", "x", "0:", "4:memory", "::::"] {
            assert_eq!(groups(odd, &first), u64::MAX, "{odd}");
        }
    }

    #[test]
    fn there_is_some_and_not_more_than_the_machine_has() {
        assert!((1 << 20..1 << 60).contains(&available_memory()));
    }
}
