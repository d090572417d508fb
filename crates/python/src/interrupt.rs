//! Work that Ctrl-C ends at once, whatever it is at: a packet, a read from a pipe, or a discipline that never answers.
//!
//! Such work cannot be asked to end, as `watch.rs` asks a run: it goes on, on its own thread, and nobody waits for it.

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// Time between two looks at Python's signals.
const LOOK: Duration = Duration::from_millis(50);

/// Does `work` on what `slot` holds, on a thread of its own, and looks at Python's signals meanwhile. If a signal raises an exception, that is
/// the answer at once: the thread keeps what it works on until it has done, and `slot` stays empty.
pub fn interruptible<T, R>(
    py: Python<'_>,
    slot: &mut Option<T>,
    work: impl FnOnce(&mut T) -> R + Send + 'static,
) -> PyResult<R>
where
    T: Send + 'static,
    R: Send + 'static,
{
    py.check_signals()?;
    let mut subject = slot.take().ok_or_else(interrupted)?;
    let (tell, mut told) = channel();
    let thread = Builder::new().spawn(move || {
        let answer = work(&mut subject);
        // Nobody listens any more if a signal came.
        let _ = tell.send((subject, answer));
    });
    let thread = thread.map_err(|e| PyOSError::new_err(format!("no thread can be started; {e}")))?;
    loop {
        let ear = &mut told;
        match py.detach(move || ear.recv_timeout(LOOK)) {
            Ok((subject, answer)) => {
                *slot = Some(subject);
                return Ok(answer);
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => match py.detach(|| thread.join()) {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("a thread that does not panic answers"),
            },
        }
    }
}

/// The error for the use of something that was interrupted.
pub fn interrupted() -> PyErr {
    PyRuntimeError::new_err("it was interrupted; expected a new one")
}
