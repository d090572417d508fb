//! A source of layers and its receiver: the packets of the layers that the receiver has joined are sent, each once.

use super::Source;
use crate::transport::Received;
use crate::{AckPacket, AnyFlowControl, FlowControl, LayerControl, Segment};
use headgate_packet::{Duration, Rng, Time};

/// Both ends of a session.
#[derive(Debug)]
pub(crate) struct Layers {
    control: AnyFlowControl,
    layers: u8,
    /// Packets made so far, by layer, sent or not.
    made: Vec<u64>,
    /// The packet to be sent now.
    ready: Option<u64>,
    /// Packets sent.
    sent: u64,
}

impl Layers {
    /// A session of one layer.
    pub fn new(control: AnyFlowControl) -> Layers {
        Layers { control, layers: 1, made: vec![0], ready: None, sent: 0 }
    }

    /// The session has this many layers, and its receiver draws from this stream; before it begins.
    pub fn set_layers(&mut self, layers: u8, rng: Rng) {
        (self.layers, self.made) = (layers, vec![0; usize::from(layers)]);
        self.receiver().set_layers(layers, rng);
    }

    fn receiver(&mut self) -> &mut dyn LayerControl {
        self.control.as_layers().expect("the list says that it has layers")
    }

    /// The workload has made the next packet of a layer, from 0. The session begins with the first one.
    pub fn offer(&mut self, layer: u8, now: Time) {
        let made = &mut self.made[usize::from(layer)];
        let seq = *made * u64::from(self.layers) + u64::from(layer);
        *made += 1;
        let receiver = self.receiver();
        receiver.start(now);
        self.ready = receiver.carries(layer, now).then_some(seq);
    }

    /// A packet arrived at the receiver.
    pub fn on_data(&mut self, seq: u64, now: Time) -> Received {
        let layers = u64::from(self.layers);
        let duplicate = self.receiver().on_packet((seq % layers) as u8, seq / layers, now);
        Received { cumulative: 0, duplicate }
    }
}

impl Source for Layers {
    fn supply(&mut self, _: u64) {}

    fn stop(&mut self) {
        self.ready = None;
        self.receiver().stop();
    }

    fn poll_send(&mut self, _: Time) -> Option<Segment> {
        let seq = self.ready.take()?;
        self.sent += 1;
        Some(Segment::plain(seq, false))
    }

    fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        rtts(now.since(ack.sent));
    }

    fn timeout(&self) -> Time {
        self.control.next_release()
    }

    fn on_timeout(&mut self, now: Time) {
        self.receiver().on_timeout(now);
    }

    fn in_flight(&self) -> u64 {
        self.sent
    }

    fn is_done(&self) -> bool {
        self.control.is_over()
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.control.probe(sink);
    }
}
