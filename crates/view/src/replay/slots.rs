//! Which line of a picture each flow has: the flows with most bytes have lines of their own, and all others share one.

use super::found::Found;
use crate::view::{Line, View};
use crate::views::greatest;
use crate::words::counted;

/// Flows with lines of their own.
const NAMED: usize = 11;

/// The lines of pictures.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    /// Of each line its name, and the flow that it is about; none for that of the others.
    pub lines: Vec<(String, Option<String>)>,
    /// Of each flow the line.
    pub of: Vec<u8>,
}

impl Slots {
    /// The flows with most bytes, in the order of the trace.
    pub fn of_trace(found: &Found) -> Slots {
        let count = found.names.len();
        let most = if count > NAMED + 1 { NAMED } else { count };
        let bytes: Vec<u64> = found.flows.iter().map(|(_, bytes)| *bytes).collect();
        let chosen = greatest(&bytes, most);
        let mut of = vec![most as u8; count];
        chosen.iter().enumerate().for_each(|(line, flow)| of[*flow] = line as u8);
        let name = |flow: &usize| found.names[*flow].clone();
        let mut lines: Vec<_> = chosen.iter().map(|flow| (name(flow), Some(name(flow)))).collect();
        if count > most {
            lines.push((counted((count - most) as u64, "other flow"), None));
        }
        Slots { lines, of }
    }

    /// The line of a flow.
    pub fn slot(&self, flow: u32) -> usize {
        self.of.get(flow as usize).map_or(0, |slot| usize::from(*slot))
    }

    /// A view of these lines, whose points are computed when they are asked for.
    pub fn view(&self, name: &str, title: &str, unit: &str) -> View {
        let line = |(name, flow): &(String, Option<String>)| Line::new(name, flow.as_deref(), Vec::new(), Vec::new());
        View { lines: self.lines.iter().map(line).collect(), ..View::new(name, title, unit) }
    }
}
