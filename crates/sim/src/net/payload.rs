//! What a packet carries, kept beside the queues: disciplines handle only the descriptor and its handle.

use headgate_control::Echo;
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
    /// Of an acknowledgement: how long the packet that caused it was under way, in ps.
    pub one_way: u64,
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
    /// Of data: its source reacted to marks.
    pub reacted: bool,
    /// Of an acknowledgement: the place of the further information that it carries, plus 1; 0 if there is none.
    pub echo: u32,
}

/// Information that acknowledgements carry beside their numbers, for flows whose sinks report more; places are used again.
#[derive(Clone, Debug, Default)]
pub struct Echoes {
    all: Vec<Echo>,
    free: Vec<u32>,
}

impl Echoes {
    /// Keeps one; gives what [`Payload::echo`] holds.
    pub fn keep(&mut self, echo: Echo) -> u32 {
        if let Some(place) = self.free.pop() {
            self.all[place as usize - 1] = echo;
            return place;
        }
        self.all.push(echo);
        self.all.len() as u32
    }

    /// Keeps a copy; 0 for 0.
    pub fn copy(&mut self, place: u32) -> u32 {
        match (place as usize).checked_sub(1) {
            Some(i) => self.keep(self.all[i]),
            None => 0,
        }
    }

    /// How many are kept.
    pub fn kept(&self) -> usize {
        self.all.len() - self.free.len()
    }

    /// The one at this place, if it is one.
    #[inline]
    pub fn get(&self, place: u32) -> Option<&Echo> {
        self.all.get((place as usize).checked_sub(1)?)
    }

    /// Gives the place back.
    #[inline]
    pub fn remove(&mut self, place: u32) {
        if place > 0 {
            self.free.push(place);
        }
    }
}

/// Payloads by handle; freed handles are used again, last first.
#[derive(Clone, Debug, Default)]
pub struct Payloads {
    all: Vec<Payload>,
    free: Vec<u32>,
}

impl Payloads {
    /// A free handle; the payload behind it is what an earlier packet left.
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

    /// The handles that are in use; for tests, since it sorts them out.
    pub fn live(&self) -> Vec<u32> {
        let free: std::collections::HashSet<u32> = self.free.iter().copied().collect();
        (0..self.all.len() as u32).filter(|handle| !free.contains(handle)).collect()
    }

    /// The payload of a handle.
    #[inline]
    pub fn get(&mut self, handle: u32) -> &mut Payload {
        &mut self.all[handle as usize]
    }
}
