//! Long work that can be stopped: every few thousand steps it asks whether to stop.

use crate::spec::SpecError;

/// Steps between two questions.
const STRIDE: u32 = 1 << 11;

/// Counts steps and asks.
pub(crate) struct Pace<'a> {
    stop: &'a mut dyn FnMut() -> bool,
    steps: u32,
}

impl Pace<'_> {
    /// `stop` answers true if the work is to end.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_asked_each_2048_short_steps_and_at_every_long_one() {
        let mut asked = 0;
        let mut stop = || {
            asked += 1;
            asked == 4
        };
        let mut pace = Pace::new(&mut stop);
        assert!((0..2 * STRIDE).all(|_| pace.step().is_ok()));
        assert!(pace.long_step().is_ok());
        let late = (1..).find(|_| pace.step().is_err());
        assert_eq!((late, asked), (Some(STRIDE), 4));
    }
}
