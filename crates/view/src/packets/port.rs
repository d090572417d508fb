//! The packets of one port.

use crate::stacked::Queue;
use headgate_queue::{DropReason, Moment, Number};

/// The packets of one port in the order of their arrival, as columns.
#[derive(Clone, Copy, Debug)]
pub struct AtPort<'a> {
    /// The number of each packet's flow.
    pub flow: &'a [u32],
    /// Its number in its flow.
    pub seq: &'a [i64],
    /// How many packets had arrived at the port before it since the start of the run.
    pub number: &'a [i64],
    /// When it arrived, in s.
    pub arrived: &'a [f64],
    /// When its transmission began or it was dropped, in s; NaN for one that waits at the end of the part.
    pub start: &'a [f64],
    /// When its transmission ended, in s; NaN without one.
    pub left: &'a [f64],
    /// Its length.
    pub bytes: &'a [u32],
    /// Whether it carried a mark when it left.
    pub marked: &'a [bool],
    /// 0 for one that was sent, -1 for one that still waits, and otherwise 1 plus the place of the reason of its drop.
    pub reason: &'a [i8],
    /// Nothing where decisions are not known.
    pub(super) decided: Option<Decided<'a>>,
}

/// What a discipline decided about the packets of a port. The numbers of a packet's arrival are those of `values` from `first` on, and `shapes` has which
/// they are; those of its departure follow. `arrival` is 0 for one that was queued, 1 for one that was marked and queued, and otherwise 2 plus the
/// place of the reason of its drop; `departure` likewise for one that was sent, and -1 for one that did not get so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decided<'a> {
    pub arrival: &'a [i8],
    pub departure: &'a [i8],
    pub shape: &'a [u16],
    pub departure_shape: &'a [u16],
    pub first: &'a [i64],
    pub values: &'a [f64],
    pub shapes: &'a [Vec<Number>],
}

/// A decision about a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// On which occasion.
    pub moment: Moment,
    /// When, in s.
    pub at: f64,
    /// What was decided: `queued`, `sent`, `marked` or `dropped`.
    pub decision: &'static str,
    /// Of a drop.
    pub reason: Option<DropReason>,
}

impl Taken {
    /// One from its code; `passed` says what became of a packet about which nothing was decided.
    fn of(moment: Moment, at: f64, code: i8, passed: &'static str) -> Taken {
        let reason = usize::try_from(code.saturating_sub(2)).ok().and_then(|place| DropReason::ALL.get(place).copied());
        let decision = if code == 0 { passed } else { reason.map_or("marked", |_| "dropped") };
        Taken { moment, at, decision, reason }
    }
}

impl<'a> AtPort<'a> {
    /// How many they are.
    pub fn len(&self) -> usize {
        self.arrived.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.arrived.is_empty()
    }

    /// Whether a packet waits at a time. One without an end waits for ever.
    pub fn waits(&self, i: usize, at: f64) -> bool {
        let gone = self.start[i] <= at;
        self.arrived[i] <= at && !gone
    }

    /// The place of the packet with this number; nothing if this part does not have it.
    pub fn place(&self, number: i64) -> Option<usize> {
        self.number.binary_search(&number).ok()
    }

    /// Why a packet was dropped, if it was.
    pub fn reason(&self, i: usize) -> Option<DropReason> {
        let place = usize::try_from(self.reason[i].saturating_sub(1)).ok()?;
        DropReason::ALL.get(place).copied()
    }

    /// The numbers with which was decided about a packet as it arrived; none if it arrived before this part.
    pub fn numbers(&self, i: usize) -> impl Iterator<Item = (Number, f64)> + use<'a> {
        let (shape, values) = self.decided.map_or((&[][..], &[][..]), |of| of.told(of.shape[i], of.first[i], 0));
        shape.iter().copied().zip(values.iter().copied())
    }

    /// The numbers with which was decided about a packet as it left; none if there was nothing to decide.
    pub fn leaving(&self, i: usize) -> impl Iterator<Item = (Number, f64)> + use<'a> {
        let told = |of: Decided<'a>| of.told(of.departure_shape[i], of.first[i], of.shape_of(of.shape[i]).len());
        let (shape, values) = self.decided.map_or((&[][..], &[][..]), told);
        shape.iter().copied().zip(values.iter().copied())
    }

    /// The decisions about a packet in the order in which they were taken; none where they are not known.
    pub fn taken(&self, i: usize) -> Vec<Taken> {
        let Some(of) = self.decided else { return Vec::new() };
        let mut found = vec![Taken::of(Moment::Arrival, self.arrived[i], of.arrival[i], "queued")];
        if of.departure[i] >= 0 {
            found.push(Taken::of(Moment::Departure, self.start[i], of.departure[i], "sent"));
        }
        found
    }

    /// What the picture of the backlog needs; `until` is when the part ends, in s.
    pub fn queue(&self, until: f64) -> Queue<'a> {
        Queue { flow: self.flow, arrived: self.arrived, start: self.start, until }
    }
}

impl<'a> Decided<'a> {
    fn shape_of(self, shape: u16) -> &'a [Number] {
        self.shapes.get(usize::from(shape)).map_or(&[], Vec::as_slice)
    }

    /// The numbers of a shape, and their values after `skipped` others of the packet.
    fn told(self, shape: u16, first: i64, skipped: usize) -> (&'a [Number], &'a [f64]) {
        let (shape, first) =
            (self.shape_of(shape), usize::try_from(first).unwrap_or(usize::MAX).saturating_add(skipped));
        (shape, self.values.get(first..first.saturating_add(shape.len())).unwrap_or_default())
    }
}
