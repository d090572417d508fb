//! Exact traces of TCP's transport: what arrives, what is sent, and the window after it.
//!
//! Taken from the RFCs by hand, and from what packetdrill's public scripts (github.com/google/packetdrill, `gtests/net/tcp`) say of
//! Linux: their facts, with packets numbered from 0 and without handshake. Where we differ from Linux, the test says so and why:
//!
//! | Linux | here | because |
//! | --- | --- | --- |
//! | once the network is known to reorder, growth counts packets reported out of order | growth needs an acknowledgement in sequence | RFC 5681 |
//! | a reordering timer runs 2 ms later | it runs at the time of RFC 8985 | slack for the kernel's clocks; ticks are a choice here |
//! | PRR divides by the window before | by what was outstanding | RFC 9937, section 6.1 |
//! | an echo of a mark lets nothing grow | without PRR the window grows after its cut | as DCTCP needs it |
//! | RACK's loss of a retransmission after a timeout begins fast recovery | it is sent again, without a further cut | RFC 8985 leaves it open |
//! | a duplicate threshold without blocks grows with reordering | it stays | RFC 5681 |

mod blocks;
mod cuts;
mod duplicates;
mod marks;
mod probe;
mod prr;
mod rack;
mod script;
mod sink;
mod slow_start;
mod timer;
mod undo;
