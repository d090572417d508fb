//! What every discipline does.

use crate::disciplines::fcfs::Fcfs;
use crate::{Backlog, Cx, Decisions, Does, LinkInfo, Look, Number, Sent, Service, Tell};
use headgate_packet::{FlowId, Packet, TcpHeader, Time};

/// A queueing discipline. The contract, tested for every discipline of the list:
/// packets in = packets out + dropped + backlog; `None` with a backlog requires a `timeout`; the order within a flow is
/// kept unless the file says otherwise; the same calls and seed give the same answers.
pub trait Discipline {
    /// What it does beside keeping, sending and dropping packets, or may do if its parameters say so.
    const DOES: Does = Does::NOTHING;
    /// The numbers that it tells in [`Discipline::explain`] and that no other scheme tells: what `numbers!` in `explain.rs` makes of them.
    const NUMBERS: &'static [Number] = &[];
    /// It sends whenever the line is free and a packet waits. One that does not keeps packets back for a time.
    const WORK_CONSERVING: bool = true;
    /// It looks at the conversation of a packet. A discipline that does not may see all packets as one conversation.
    const PER_CONVERSATION: bool = true;
    /// All packets wait in one queue, number 0, so that its backlog is that of the queue.
    const ONE_QUEUE: bool = false;
    /// Chance decides which packets it drops, so that no flow stays in step with its drops.
    const DROPS_AT_RANDOM: bool = false;
    /// It drops packets not only as one arrives, but also as one is asked for or when its time has come.
    const DROPS_ON_DEPARTURE: bool = false;
    /// It has a shortcut for a packet that finds nothing waiting and the line free: [`Discipline::pass`].
    const PASSES: bool = false;
    /// It wants to know that an arrival found nothing waiting and the line free: [`Discipline::on_idle`].
    const SETTLES: bool = false;
    /// An arrival may interrupt the packet in transmission, which goes on later: [`Discipline::preempts`]. It cannot have an AQM, and packets count as
    /// sent, with the delay that the link has then, when their last bit has left.
    const PREEMPTS: bool = false;
    /// It can name every packet that waits, and give up any of them: [`Discipline::waiting`] and [`Discipline::withdraw`]. Its port may then have a part
    /// of a buffer that all ports of a gateway share.
    const GIVES_UP: bool = false;
    /// It may look at what acknowledgements say: [`Packet::header`].
    const READS_ACKNOWLEDGEMENTS: bool = false;

    /// The packet with this handle, which is handed over next, was captured with this header. Only a driver that has captured packets tells it, and only
    /// where [`Discipline::READS_ACKNOWLEDGEMENTS`].
    fn read_header(&mut self, _handle: u32, _header: &TcpHeader) {}
    /// Takes a packet; refused or evicted packets are put into `cx.dropped`.
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>);
    /// The packet whose transmission starts now. The port calls it at most once per transmission.
    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet>;
    /// Takes a packet while nothing waits and the line is free, and gives the one whose transmission starts now: what `on_idle`, `enqueue` and `dequeue` do one after the other.
    #[inline]
    fn pass(&mut self, packet: Packet, cx: &mut Cx<'_>) -> Option<Packet> {
        self.enqueue(packet, cx);
        if self.backlog().packets == 0 { None } else { self.dequeue(cx) }
    }
    /// The line has idled, for which a driver asks once more and gets nothing. Called as the next packet arrives, before `enqueue`; `pass` does it itself.
    fn on_idle(&mut self) {}
    /// What is waiting.
    fn backlog(&self) -> Backlog;
    /// When to call [`Discipline::on_timeout`].
    #[inline]
    fn timeout(&self) -> Option<Time> {
        None
    }
    /// The time asked for has arrived.
    fn on_timeout(&mut self, _cx: &mut Cx<'_>) {}
    /// The link is another one from `now` on. Conversations may have been added: state per flow grows, and those known before keep their
    /// numbers and weights. The rate may have changed: a packet in transmission still ends when it would have, all that starts later
    /// has the new rate, and the fluid that a discipline follows flows at the new rate at once.
    fn on_link_change(&mut self, _link: &LinkInfo, _now: Time) {}
    /// Whether a conversation of which nothing waits would be served from `now` on as a new one with its weight: its number may then go to
    /// another one. A discipline that does not know answers false, and its numbers are never used again.
    fn has_forgotten(&self, _flow: FlowId, _now: Time) -> bool {
        !Self::PER_CONVERSATION
    }
    /// Whether it gives a conversation its share of the weights of all conversations that it knows, also of those that are silent: what it does depends on when
    /// it learns of them.
    fn shares_by_known_weights(&self) -> bool {
        false
    }
    /// Whether it never forgets a conversation that it met, so that what it keeps grows with all that ever were.
    fn never_forgets(&self) -> bool {
        false
    }
    /// This discipline as that of the list which most ports have. Its service is compiled into the calls of [`crate::Port`], that of any other one is a
    /// function by itself.
    #[inline(always)]
    fn as_fcfs(&mut self) -> Option<&mut Fcfs> {
        None
    }
    /// Makes the rest of its port take a packet, as [`crate::Port::offer`] says. A list of disciplines finds out here which one it is.
    #[inline]
    fn offer(&mut self, service: &mut Service, packet: Packet, now: Time, sent: &mut impl FnMut(Sent))
    where
        Self: Sized,
    {
        service.offer_apart(self, packet, now, sent);
    }
    /// Makes the rest of its port do what is due, as [`crate::Port::advance`] says.
    #[inline]
    fn advance(&mut self, service: &mut Service, now: Time, sent: &mut impl FnMut(Sent))
    where
        Self: Sized,
    {
        service.advance(self, now, sent);
    }
    /// The queue that a packet of a conversation waits in, which arrived at this time: one for each conversation, or one for all.
    #[inline]
    fn queue_of(&self, flow: FlowId, _arrived: Time) -> u32 {
        if Self::PER_CONVERSATION { flow.0 } else { 0 }
    }
    /// As `queue_of`, for a discipline whose queues are those of priorities: the queue that a packet of a conversation with this priority waits in.
    #[inline]
    fn class_queue(&self, flow: FlowId, _class: u8, arrived: Time) -> u32 {
        self.queue_of(flow, arrived)
    }
    /// How many queues there are for the conversations of a link; it never decreases.
    fn queues(&self, link: &LinkInfo) -> usize {
        if Self::PER_CONVERSATION { link.flows } else { 1 }
    }
    /// The packet that it gave last to be sent is dropped instead, at the same instant. One that counts what a conversation has sent may take it back;
    /// otherwise the packet counts as sent.
    fn take_back(&mut self, _packet: &Packet) {}
    /// [`Discipline::PREEMPTS`] of this one, where the type is a list.
    fn is_preemptive(&self) -> bool {
        Self::PREEMPTS
    }
    /// Whether the packet that [`Discipline::dequeue`] would give goes before the one that it gave last and of which not all was sent. The port asks
    /// after arrivals, and when the last interrupted packet may go on. It keeps those itself: each packet is given once.
    fn preempts(&self) -> bool {
        false
    }
    /// The last bit of a packet has left: of the one that it gave last, of those of which not all was sent. Only called where it preempts.
    fn ended(&mut self) {}
    /// Shows every packet that waits, those of a flow in the order in which they arrived. Only called where it gives packets up.
    fn waiting(&self, _see: &mut dyn FnMut(&Packet)) {}
    /// Drops the packet with this handle, which makes room for one at another port, as [`crate::DropReason::Evicted`]; false if it does not wait here.
    fn withdraw(&mut self, _handle: u32, _cx: &mut Cx<'_>) -> bool {
        false
    }
    /// Gauges, read only when something samples them.
    fn probe(&self, _sink: &mut dyn FnMut(&'static str, f64)) {}
    /// The numbers that decide about a packet, were it to arrive now: [`crate::Port::explain`] asks for them before it is handed over. Nothing changes,
    /// and the numbers come from the functions that [`Discipline::enqueue`] decides with.
    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>);
    /// Writes down from now on what is decided about packets and cannot be told before they are handed over: what an AQM decides. It changes nothing
    /// else. One that decides only as a packet arrives, and about that packet alone, has nothing to write down.
    fn write_down(&mut self) {}
    /// What was written down, for the caller to take; nothing if it was not asked for.
    fn decisions(&mut self) -> Option<&mut Decisions> {
        None
    }
}
