//! Files of code are short: one thing per file.

use std::path::{Path, PathBuf};

/// A file of Rust or Python has fewer lines than this.
pub const LIMIT: usize = 400;

/// Folders with code.
const FOLDERS: [&str; 6] = ["crates", "python", "tests", "docs", "fuzz", "benches"];

/// Folders below them that tools make.
const MADE: [&str; 5] = ["target", "__pycache__", "_build", "corpus", "artifacts"];

/// The files below `root` that are too long, in the order of their names, with their numbers of lines.
pub fn long_files(root: &Path) -> Vec<(PathBuf, usize)> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        walk(&root.join(folder), &mut found);
    }
    found.sort();
    found.iter().map(|(path, lines)| (path.strip_prefix(root).unwrap_or(path).to_owned(), *lines)).collect()
}

fn walk(folder: &Path, found: &mut Vec<(PathBuf, usize)>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for path in entries.map(|entry| entry.path()) {
        let made = path.file_name().is_some_and(|name| MADE.iter().any(|made| name == *made));
        if path.is_dir() && !made && !path.is_symlink() {
            walk(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs" || end == "py") {
            let lines = std::fs::read_to_string(&path).map_or(0, |text| text.lines().count());
            if lines >= LIMIT {
                found.push((path, lines));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_400_lines_is_too_long_and_one_of_399_is_not() {
        let root = std::env::temp_dir().join(format!("headgate-length-{}", std::process::id()));
        let write = |path: &str, lines: usize| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x\n".repeat(lines)).unwrap();
        };
        write("crates/a/src/lib.rs", 400);
        write("crates/a/src/b.rs", 399);
        write("crates/a/target/made.rs", 900);
        write("python/x/y.py", 401);
        write("tests/data.csv", 900);
        let got = long_files(&root);
        std::fs::remove_dir_all(&root).unwrap();
        let due = [("crates/a/src/lib.rs", 400), ("python/x/y.py", 401)].map(|(p, n)| (PathBuf::from(p), n));
        assert_eq!(got, due);
    }
}
