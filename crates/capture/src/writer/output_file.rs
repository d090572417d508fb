//! A file that appears under its name when it is complete.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that appears under its name when it is complete. Until then it stands beside it under another name; dropped before
/// that, it is removed.
pub struct OutputFile {
    file: File,
    /// The name it has now and the name it will have; `None` for something other than a plain file, such as a pipe.
    names: Option<(PathBuf, PathBuf)>,
}

impl OutputFile {
    /// Begins a file. A pipe, and anything else that is not a plain file, is written directly.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path) -> io::Result<OutputFile> {
        if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            return Ok(OutputFile { file: File::options().write(true).open(path)?, names: None });
        }
        let mut name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(name);
        Ok(OutputFile { file: File::create(&part)?, names: Some((part, path.to_owned())) })
    }

    /// Gives the file its name, and replaces the file that had it.
    ///
    /// # Errors
    /// The file cannot be renamed.
    pub fn finish(mut self) -> io::Result<()> {
        match &self.names {
            Some((part, path)) => fs::rename(part, path)?,
            None => self.file.flush()?,
        }
        self.names = None;
        Ok(())
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.names {
            let _ = fs::remove_file(part);
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
