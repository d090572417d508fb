//! Which estimates of the flow controls changed, for the trace of them.

/// Last values traced; empty unless estimates are traced.
#[derive(Clone, Debug, Default)]
pub struct Estimates {
    names: Vec<&'static str>,
    /// Of each flow, by the number of the name.
    seen: Vec<Vec<f64>>,
}

impl Estimates {
    /// The names so far, in the order of their first values.
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// The number of the name, if the value is one and differs from the last one of this flow. The window has its own trace.
    pub fn changed(&mut self, flow: usize, name: &'static str, value: f64) -> Option<u8> {
        if value.is_nan() || name == "window" {
            return None;
        }
        let number = self.names.iter().position(|n| *n == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        if self.seen.len() <= flow {
            self.seen.resize(flow + 1, Vec::new());
        }
        let seen = &mut self.seen[flow];
        if seen.len() <= number {
            seen.resize(number + 1, f64::NAN);
        }
        (std::mem::replace(&mut seen[number], value) != value).then_some(number as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_recorded_and_each_flow_has_its_own() {
        let mut e = Estimates::default();
        assert_eq!(e.changed(3, "rate", f64::NAN), None);
        assert_eq!(e.changed(3, "window", 5.0), None);
        assert_eq!(
            [e.changed(3, "rate", 1.0), e.changed(3, "rate", 1.0), e.changed(3, "rate", 2.0)],
            [Some(0), None, Some(0)]
        );
        assert_eq!(
            [e.changed(0, "queue", 2.0), e.changed(0, "rate", 2.0), e.changed(3, "queue", 0.0)],
            [Some(1), Some(0), Some(1)]
        );
        // A value that is unknown for a while and then the same again has not changed.
        assert_eq!([e.changed(3, "rate", f64::NAN), e.changed(3, "rate", 2.0)], [None, None]);
        assert_eq!(e.names(), ["rate", "queue"]);
    }
}
