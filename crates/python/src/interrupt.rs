//! Work that Ctrl-C ends at once, whatever it is doing: a packet, a read from a pipe, or a discipline that never answers.
//!
//! Such work cannot be asked to end, as `watch.rs` asks a run. It continues on its own thread, and nothing waits for it.

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// Time between two checks of Python's signals.
const LOOK: Duration = Duration::from_millis(50);

/// Does `work` on what `slot` holds, on a separate thread, and checks Python's signals meanwhile. If a signal raises an exception, that is
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
    let (sender, mut receiver) = channel();
    let thread = Builder::new().spawn(move || {
        let answer = work(&mut subject);
        // There is no receiver any more if a signal arrived.
        let _ = sender.send((subject, answer));
    });
    let thread = thread.map_err(|e| PyOSError::new_err(format!("no thread can be started; {e}")))?;
    loop {
        let answers = &mut receiver;
        match py.detach(move || answers.recv_timeout(LOOK)) {
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

/// The error for the use of an object that was interrupted.
pub fn interrupted() -> PyErr {
    PyRuntimeError::new_err("it was interrupted; expected a new one")
}
