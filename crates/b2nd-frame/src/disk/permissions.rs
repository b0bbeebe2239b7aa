//! Copies the permissions of a file to its copy or replacement and, as far as possible, the owner, group and extended attributes.

use std::fs;
use std::io;
use std::path::Path;

pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let permissions = own(from, to)?;
    fs::set_permissions(to, permissions)?;
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    if from.is_dir() == to.is_dir() {
        extended(from, to);
    }
    Ok(())
}

/// Copies the owner and the group, if this process may do so. Returns the permissions for the new file: those of the old file, adapted if
/// only one of the two is a directory, and reduced if the owner or the group could not be kept. The owner of a new directory can always
/// write to it.
#[cfg(unix)]
fn own(from: &Path, to: &Path) -> io::Result<fs::Permissions> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    let (old, new) = (fs::metadata(from)?, fs::metadata(to)?);
    let mut mode = old.mode() & 0o7777;
    match (old.is_dir(), new.is_dir()) {
        (true, false) => mode &= 0o666,
        (false, true) => mode = mode & 0o777 | (mode & 0o444) >> 2,
        _ => {}
    }
    if new.is_dir() {
        // The owner is going to write to the directory.
        mode |= 0o700;
    }
    if old.gid() != new.gid() && chown(to, None, Some(old.gid())).is_err() {
        // The group of the old file could not be kept. The new file has a different group, which must not get more permissions than
        // all other users have.
        mode = mode & !0o6070 | mode & (mode & 0o007) << 3;
    }
    if old.uid() != new.uid() && chown(to, Some(old.uid()), None).is_err() {
        mode &= !0o6000;
    }
    Ok(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn own(from: &Path, _: &Path) -> io::Result<fs::Permissions> {
    Ok(fs::metadata(from)?.permissions())
}

/// Copies the extended attributes, which on Linux include access control lists. Attributes that cannot be read or set are left out.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn extended(from: &Path, to: &Path) {
    use alloc::vec::Vec;
    use rustix::fs::{XattrFlags, getxattr, listxattr, setxattr};

    /// The maximum number of bytes that Linux allows for the list of attribute names, and for the value of an attribute.
    const MOST: usize = 1 << 16;

    let mut buffer = Vec::with_capacity(MOST);
    if listxattr(from, rustix::buffer::spare_capacity(&mut buffer)).is_err() {
        return;
    }
    let names = buffer.clone();
    for name in names.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        buffer.clear();
        if getxattr(from, name, rustix::buffer::spare_capacity(&mut buffer)).is_ok() {
            let _ = setxattr(to, name, &buffer, XattrFlags::empty());
        }
    }
}
