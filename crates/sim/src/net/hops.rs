//! The table of hops: of each path that packets take, the ports and, at each, the number of their conversation there.

use super::classifier::Conversations;
use super::paths::{Paths, Way};
use crate::memory;
use crate::spec::SpecError;
use headgate_packet::FlowId;
use std::collections::BTreeMap;

/// A step on the path of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// The directed link.
    pub lane: u32,
    /// The packet's conversation at its port.
    pub conversation: u32,
}

impl Hop {
    /// Stands behind the last hop of a way.
    pub const END: Hop = Hop { lane: u32::MAX, conversation: 0 };

    /// The conversation as packets carry it.
    #[inline(always)]
    pub fn flow(self) -> FlowId {
        FlowId(self.conversation)
    }

    /// Whether the packet has arrived.
    #[inline(always)]
    pub fn is_end(self) -> bool {
        self.lane == Hop::END.lane
    }
}

/// Makes the table. Streams whose hops are equal share a row.
pub(crate) struct Hops<'a, 's> {
    paths: &'a Paths<'s>,
    conversations: &'a Conversations,
    /// Bytes of memory that the run may take.
    most: u64,
    /// Where each row begins that may be shared.
    known: BTreeMap<Vec<Hop>, u32>,
    /// The table: rows, each with `Hop::END` behind it.
    pub table: Vec<Hop>,
}

impl<'a, 's> Hops<'a, 's> {
    /// An empty table.
    pub fn new(paths: &'a Paths<'s>, conversations: &'a Conversations, most: u64) -> Hops<'a, 's> {
        Hops { paths, conversations, most, known: BTreeMap::new(), table: Vec::new() }
    }

    /// Where the rows of a flow that takes this way begin, for its data and its acknowledgements, and whether other flows between the same
    /// nodes have the same ones on this way. Without acknowledgements their row is never read.
    ///
    /// # Errors
    /// The table takes too much memory.
    pub fn rows(&mut self, way: Way, flow: usize) -> Result<(Way, bool), SpecError> {
        let (mut rows, mut all_shared) = ([0; 2], true);
        let paths = self.paths;
        for (i, (path, stream)) in paths.streams(flow, way).enumerate() {
            let (row, shared) = self.row(path, stream);
            rows[i..].fill(row);
            all_shared &= shared;
        }
        memory::check_hops(self.table.len(), self.most)?;
        Ok((rows, all_shared))
    }

    fn row(&mut self, path: u32, stream: u32) -> (u32, bool) {
        let Hops { paths, conversations, known, table, .. } = self;
        let start = table.len() as u32;
        let hop = |lane| Hop { lane, conversation: conversations.of(lane, stream) };
        if paths.links(path).any(|lane| conversations.apart(lane)) {
            table.extend(paths.links(path).map(hop));
            table.push(Hop::END);
            return (start, false);
        }
        let row: Vec<Hop> = paths.links(path).map(hop).chain([Hop::END]).collect();
        let start = *known.entry(row).or_insert_with_key(|row| {
            table.extend(row);
            start
        });
        (start, true)
    }
}
