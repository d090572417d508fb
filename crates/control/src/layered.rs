//! A source of layers and its receiver: the packets of the layers that the receiver has joined are sent, each once.

use crate::rlm::{MOST, Rlm, RlmParams};
use crate::transport::Received;
use headgate_packet::{Rng, Time};

/// Both ends of a session.
#[derive(Clone, Debug)]
pub(crate) struct Layered {
    pub control: Rlm,
    layers: u8,
    /// Packets made so far, by layer, sent or not.
    made: [u64; MOST],
    /// The packet to be sent now.
    ready: Option<u64>,
    /// Packets sent.
    pub sent: u64,
}

impl Layered {
    pub fn new(params: &RlmParams, layers: u8, rng: Rng) -> Layered {
        let control = Rlm::of(params, layers, rng);
        Layered { control, layers, made: [0; MOST], ready: None, sent: 0 }
    }

    /// The workload has made the next packet of a layer, from 0. The session begins with the first one.
    pub fn offer(&mut self, layer: u8, now: Time) {
        self.control.0.start(now);
        let made = &mut self.made[usize::from(layer)];
        let seq = *made * u64::from(self.layers) + u64::from(layer);
        *made += 1;
        self.ready = self.control.0.carries(layer, now).then_some(seq);
    }

    /// The packet to send now.
    pub fn poll_send(&mut self) -> Option<u64> {
        let seq = self.ready.take()?;
        self.sent += 1;
        Some(seq)
    }

    /// A packet came to the receiver.
    pub fn on_data(&mut self, seq: u64, now: Time) -> Received {
        let layers = u64::from(self.layers);
        let duplicate = self.control.0.on_packet((seq % layers) as u8, seq / layers, now);
        Received { cumulative: 0, duplicate }
    }

    /// The session ends.
    pub fn stop(&mut self) {
        self.ready = None;
        self.control.0.stop();
    }
}
