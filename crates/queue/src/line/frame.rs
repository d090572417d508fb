//! What the lower layers add to a packet: a header, padding, cells.

/// How many bytes are sent for a packet: it and the overhead, at least `least`, in whole cells if there are any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Bytes that are added to each packet.
    pub overhead: u32,
    /// Fewest bytes of a packet with its overhead; shorter ones are padded.
    pub least: u32,
    /// Bytes that a cell carries, and bytes of the whole cell.
    pub cell: Option<(u32, u32)>,
}

impl Frame {
    /// The bytes that are sent for a packet of this length.
    ///
    /// ```
    /// use headgate_queue::line::Frame;
    /// let atm = Frame { overhead: 8, least: 0, cell: Some((48, 53)) };
    /// assert_eq!([40, 41, 1500].map(|bytes| atm.length(bytes)), [53, 2 * 53, 32 * 53]);
    /// ```
    #[inline]
    pub fn length(&self, bytes: u32) -> u32 {
        let bytes = bytes.saturating_add(self.overhead).max(self.least);
        match self.cell {
            Some((carried, whole)) => bytes.div_ceil(carried).saturating_mul(whole),
            None => bytes,
        }
    }
}
