//! The classifier: which packets are one conversation. Everything is known before the run, so it is a table.

use crate::pace::Pace;
use crate::spec::{Classify, Scenario, SpecError};
use std::collections::BTreeMap;

/// For one way of classifying: the conversation of each flow's data (even) and acknowledgements (odd).
#[derive(Clone, Debug)]
pub struct Classes {
    /// Conversation by `2 * flow`, plus 1 for acknowledgements.
    pub of: Vec<u32>,
    /// Weight of each conversation: the largest of its flows'; empty when all are 1.
    pub weights: Vec<u32>,
    /// How many conversations there are.
    pub count: usize,
}

impl Classes {
    /// Numbers the conversations in the order of the file, those of data before those of acknowledgements.
    ///
    /// # Errors
    /// The pace says that the work is to end.
    pub(crate) fn new(s: &Scenario, classify: Classify, pace: &mut Pace<'_>) -> Result<Classes, SpecError> {
        let mut pairs: BTreeMap<(&str, &str, usize), u32> = BTreeMap::new();
        let (mut of, mut weights) = (vec![0; 2 * s.flows.len()], Vec::new());
        for direction in 0..2 {
            for (i, flow) in s.flows.iter().enumerate() {
                pace.step()?;
                let (from, to) = if direction == 0 { (&*flow.from, &*flow.to) } else { (&*flow.to, &*flow.from) };
                let key = match classify {
                    Classify::Pair => Some((from, to, direction)),
                    Classify::Source => Some((from, "", direction)),
                    Classify::Destination => Some(("", to, direction)),
                    Classify::Flow => None,
                };
                let next = pairs.len() as u32;
                let id = match key {
                    Some(key) => *pairs.entry(key).or_insert(next),
                    None => (direction * s.flows.len() + i) as u32,
                };
                of[2 * i + direction] = id;
                weights.resize(weights.len().max(id as usize + 1), 1);
                weights[id as usize] = flow.weight.max(weights[id as usize]);
            }
        }
        let count = weights.len();
        if weights.iter().all(|w| *w == 1) {
            weights = Vec::new();
        }
        Ok(Classes { of, weights, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_by_hand() {
        // Two flows from a to b, one back: its data goes the way of their acknowledgements and is another conversation all the same.
        let s = Scenario::from_json(
            r#"{"duration": "1s", "nodes": [{"name": "a"}, {"name": "b"}], "links": [{"from": "a", "to": "b", "rate": "1Mbit/s"}],
                "flows": [{"name": "one", "from": "a", "to": "b", "weight": 2}, {"name": "two", "from": "a", "to": "b", "weight": 5},
                          {"name": "back", "from": "b", "to": "a"}]}"#,
        )
        .expect("a valid scenario");
        let classes = |classify| {
            let c = Classes::new(&s, classify, &mut Pace::new(&mut || false)).expect("nothing stops it");
            assert_eq!(c.count, c.weights.len());
            (c.of, c.weights)
        };
        // Data of one, two, back: 0, 0, 1; acknowledgements of one and two go from b to a, of back from a to b.
        let pairs = (vec![0, 2, 0, 2, 1, 3], vec![5, 1, 5, 1]);
        assert_eq!(classes(Classify::Pair), pairs);
        assert_eq!(classes(Classify::Source), pairs);
        assert_eq!(classes(Classify::Destination), pairs);
        assert_eq!(classes(Classify::Flow), (vec![0, 3, 1, 4, 2, 5], vec![2, 5, 1, 2, 5, 1]));
    }
}
