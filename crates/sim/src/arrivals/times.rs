//! Flows begin at given times, as in a trace.
//!
//! Source: none is needed. Deviations: none.

use super::Arrivals;
use headgate_packet::{Card, Check, Duration, Rng, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Flows begin at given times, as in a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TimesParams {
    /// When flows begin, counted from the start of the entry, in order.
    pub at: Vec<Duration>,
    /// A file of times, one per line, as `1.5s` or in seconds as `1.5`; instead of `at`. Its path is relative to the scenario's folder. Lines that
    /// begin with `#` are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Check for TimesParams {
    fn check(&self) -> Result<(), Wrong> {
        if let Some(file) = &self.file {
            let message = "expected `at`: a file of times is read with a scenario file, from the same folder";
            return Err(Wrong::at("file", message).found(file));
        }
        match self.at.windows(2).position(|pair| pair[1] < pair[0]) {
            Some(i) => {
                let place = format!("at[{}]", i + 1);
                Err(Wrong::at(&place, format!("expected at least the time before it, {}", self.at[i])).found(&self.at[i + 1]))
            }
            None => Ok(()),
        }
    }
}

/// Flows begin at given times.
#[derive(Clone, Debug)]
pub struct Times {
    at: Vec<Duration>,
    next: usize,
}

impl Times {
    /// What it says of itself.
    pub const CARD: Card = Card::of("given times");

    /// The first time is the next one.
    pub fn new(params: &TimesParams) -> Times {
        Times { at: params.at.clone(), next: 0 }
    }
}

impl Arrivals for Times {
    fn next(&mut self, _: &mut Rng) -> Option<Duration> {
        let now = self.next.checked_sub(1).map_or(Duration::ZERO, |last| self.at[last]);
        let at = *self.at.get(self.next)?;
        self.next += 1;
        Some(Duration::from_ps(at.as_ps() - now.as_ps()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_lead_to_the_times() {
        let ms = Duration::from_millis;
        let params = TimesParams { at: vec![ms(3), ms(3), ms(10)], file: None };
        assert_eq!(params.check(), Ok(()));
        let (mut times, mut rng) = (Times::new(&params), Rng::new(0, 0, "x"));
        assert_eq!([0; 4].map(|_| times.next(&mut rng)), [Some(ms(3)), Some(ms(0)), Some(ms(7)), None]);
        let wrong = TimesParams { at: vec![ms(3), ms(2)], file: None }.check().expect_err("not in order");
        assert!(wrong.to_string().contains("at[1]"), "{wrong}");
    }
}
