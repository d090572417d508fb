//! Long work that can be given up: every few thousand steps it asks whether to stop.

use crate::spec::SpecError;

/// Steps between two questions.
const STRIDE: u32 = 1 << 11;

/// Counts steps and asks.
pub(crate) struct Pace<'a> {
    stop: &'a mut dyn FnMut() -> bool,
    steps: u32,
}

impl Pace<'_> {
    /// `stop` answers true when the work is to end.
    pub fn new(stop: &mut dyn FnMut() -> bool) -> Pace<'_> {
        Pace { stop, steps: 0 }
    }

    /// One step is done.
    ///
    /// # Errors
    /// The work is to end.
    #[inline]
    pub fn step(&mut self) -> Result<(), SpecError> {
        self.steps += 1;
        if self.steps < STRIDE {
            return Ok(());
        }
        self.steps = 0;
        self.long_step()
    }

    /// One step is done that is long by itself.
    ///
    /// # Errors
    /// The work is to end.
    pub fn long_step(&mut self) -> Result<(), SpecError> {
        if (self.stop)() { Err(SpecError::at("", "stopped before the run began")) } else { Ok(()) }
    }
}
