//! What the fields of AccECN in an acknowledgement say.

use super::Sender;
use crate::transport::tcp::Accurate;
use crate::transport::tcp::accecn::decode;
use headgate_packet::Time;

impl Sender {
    /// The fields of AccECN: packets newly known to carry a mark. `newly` packets are acknowledged, by number or by blocks. What reports nothing new and is
    /// not newer than what was read before it came late (RFC 9768, appendix A.1).
    pub(super) fn take_accurate(&mut self, report: Accurate, (cumulative, sent): (u64, Time), newly: u64) -> u64 {
        let board = &mut *self.scoreboard;
        if cumulative < self.ledger.una || (newly == 0 && sent <= board.newest) {
            return 0;
        }
        board.newest = board.newest.max(sent);
        let (_, marked) = decode(self.marks, board.marked_bytes, report, newly);
        self.marks += marked;
        board.marked_bytes = report.bytes.unwrap_or(board.marked_bytes);
        marked
    }
}
