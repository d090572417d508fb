//! What a packet carries, kept beside the queues: disciplines handle only the descriptor and its handle.

use headgate_packet::Time;

/// Contents of a data packet or of an acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Payload {
    /// Sequence number of the data packet, or of the one that an acknowledgement answers.
    pub seq: u64,
    /// For an acknowledgement: packets received in sequence.
    pub cumulative: u64,
    /// When the data packet was sent; an acknowledgement echoes it.
    pub sent: Time,
    /// Time spent waiting in ports so far, in ps; an acknowledgement's adds to that of the packet that caused it.
    pub waited: u64,
    /// Position in the table of hops: the directed link that the packet is on.
    pub hop: u32,
    /// The flow.
    pub flow: u32,
    /// An acknowledgement, not data.
    pub is_ack: bool,
    /// A gateway has set the congestion bit; of an acknowledgement: the data packet had it set.
    pub marked: bool,
}

/// Payloads by handle; freed handles are used again, last first.
#[derive(Clone, Debug, Default)]
pub struct Payloads {
    all: Vec<Payload>,
    free: Vec<u32>,
}

impl Payloads {
    /// A handle of its own; the payload behind it is what an earlier packet left.
    #[inline]
    pub fn reserve(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.all.push(Payload::default());
            (self.all.len() - 1) as u32
        })
    }

    /// How many handles there are, free ones included.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether no handle was ever asked for.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Frees a handle.
    #[inline]
    pub fn remove(&mut self, handle: u32) {
        self.free.push(handle);
    }

    /// The payload of a handle.
    #[inline]
    pub fn get(&mut self, handle: u32) -> &mut Payload {
        &mut self.all[handle as usize]
    }
}
