//! Layers: one signal in several streams of packets, each of which adds detail to those below it.
//!
//! Source: McCanne, Jacobson and Vetterli 1996, with the rates and the random gaps of Stoica, Shenker and Zhang 1998, section 3.3: layer i of 7 at
//! 2^(i+4) kbit/s, packets at times uniform between 0.5 and 1.5 of their mean apart. Flow control `rlm` says which of them the network carries;
//! with another one all of them are sent.
//! Deviations: the relative timing of the layers at the start is not published. The first packet of the lowest layer arrives at the start, that of
//! each other one at random within its mean gap. State per flow: the time of each layer's next packet.

use super::{Supply, Workload};
use headgate_packet::{Card, Check, Duration, Rate, Rng, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Several streams of packets at constant mean rates. Each has a given number of times the rate of the one before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LayersParams {
    /// Number of layers.
    #[schemars(range(min = 1, max = 8))]
    pub layers: u8,
    /// Mean rate of the lowest layer.
    pub rate: Rate,
    /// Rate of each layer over that of the one below it.
    #[schemars(range(min = 1.0, max = 16.0))]
    pub factor: f64,
    /// The times between the packets of a layer are uniform within this share of their mean on both sides of it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub jitter: f64,
}

impl Default for LayersParams {
    fn default() -> LayersParams {
        LayersParams { layers: 7, rate: Rate::from_bps(32_000).expect("not zero"), factor: 2.0, jitter: 0.5 }
    }
}

/// Fastest layer, in bit/s: above it a packet would take less than a tick of the clock.
const FASTEST: f64 = 1e12;

impl Check for LayersParams {
    fn check(&self) -> Result<(), Wrong> {
        let fastest = self.rate_of(self.layers.saturating_sub(1));
        if fastest > FASTEST {
            let message = format!("expected a lower rate: layer {} would have {fastest:.1e} bit/s, above 1 Tbit/s", self.layers);
            return Err(Wrong::at("rate", message).found(&self.rate));
        }
        Ok(())
    }
}

impl LayersParams {
    /// The rate of a layer, from 0, in bit/s.
    fn rate_of(&self, layer: u8) -> f64 {
        (0..layer).fold(self.rate.as_bps() as f64, |rate, _| rate * self.factor)
    }

    /// The rate of all layers together.
    pub fn demand_bps(&self, _packet_bytes: u32) -> f64 {
        (0..self.layers).map(|layer| self.rate_of(layer)).sum()
    }
}

/// Several streams of packets.
#[derive(Clone, Debug)]
pub struct Layers(Box<State>);

#[derive(Clone, Debug)]
struct State {
    jitter: f64,
    /// Of each layer, in ps: the mean time between packets, and the time until the next one.
    streams: Vec<(f64, u64)>,
    started: bool,
    /// The layer of the packet that was supplied last.
    layer: u8,
    /// The layer whose packet arrives next.
    next: usize,
}

impl Layers {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["rate"], ..Card::of("McCanne, Jacobson and Vetterli 1996") };

    /// A source of packets of `packet_bytes`.
    pub fn new(params: &LayersParams, packet_bytes: u32) -> Layers {
        let gap = |layer| f64::from(packet_bytes) * 8e12 / params.rate_of(layer);
        let streams = (0..params.layers).map(|layer| (gap(layer), 0)).collect();
        Layers(Box::new(State { jitter: params.jitter, streams, started: false, layer: 0, next: 0 }))
    }

    /// How many layers there are.
    pub fn count(&self) -> u8 {
        self.0.streams.len() as u8
    }

    /// The layer, from 0, of the packet that was supplied last.
    #[inline]
    pub fn layer(&self) -> u8 {
        self.0.layer
    }
}

impl Workload for Layers {
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        let State { jitter, streams, started, layer, next } = &mut *self.0;
        if !*started {
            *started = true;
            for (gap, left) in streams.iter_mut().skip(1) {
                *left = (*gap * rng.uniform()) as u64;
            }
        }
        *layer = *next as u8;
        let (gap, left) = &mut streams[*next];
        // At least a picosecond, so that time advances.
        *left = ((*gap * (1.0 + *jitter * (2.0 * rng.uniform() - 1.0))) as u64).max(1);
        let (soonest, step) =
            streams.iter().map(|stream| stream.1).enumerate().min_by_key(|(_, left)| *left).expect("one layer at least");
        streams.iter_mut().for_each(|stream| stream.1 -= step);
        *next = soonest;
        Supply { packets: 1, again: Some(Duration::from_ps(step)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of the packets of each layer, in s, until `end`.
    fn times(params: &LayersParams, seed: u64, end: f64) -> Vec<Vec<f64>> {
        let (mut source, mut rng) = (Layers::new(params, 1000), Rng::new(seed, 0, "layers"));
        let mut all = vec![vec![]; usize::from(params.layers)];
        let mut now = 0;
        while (now as f64) < end * 1e12 {
            let supply = source.supply(&mut rng);
            assert_eq!(supply.packets, 1);
            all[usize::from(source.layer())].push(now as f64 * 1e-12);
            now += supply.again.expect("it never ends").as_ps();
        }
        all
    }

    #[test]
    fn each_layer_has_its_rate_and_gaps_between_half_and_one_and_a_half_of_the_mean() {
        let params = LayersParams::default();
        assert_eq!(params.demand_bps(1000), 4_064_000.0, "the sum of 32, 64, ..., 2048 kbit/s");
        for (layer, times) in times(&params, 1, 400.0).iter().enumerate() {
            let mean = 0.25 / f64::from(1 << layer);
            assert!(times[0] < mean, "layer {layer} begins at {}", times[0]);
            let gaps: Vec<f64> = times.windows(2).map(|t| (t[1] - t[0]) / mean).collect();
            assert!(gaps.iter().all(|gap| (0.5 - 1e-6..1.5).contains(gap)), "layer {layer}");
            // The standard deviation of a uniform gap is 0.289 of the mean.
            let n = gaps.len() as f64;
            let (average, limit) = (gaps.iter().sum::<f64>() / n, 4.0 * 0.289 / n.sqrt());
            assert!((average - 1.0).abs() < limit, "layer {layer}: {average}");
            let variance = gaps.iter().map(|gap| (gap - 1.0).powi(2)).sum::<f64>() / n;
            assert!((variance * 12.0 - 1.0).abs() < 4.0 * 0.9 / n.sqrt(), "layer {layer}: {variance}");
        }
    }

    #[test]
    fn without_jitter_packets_are_equally_spaced_and_the_lowest_layer_begins() {
        let params = LayersParams { jitter: 0.0, layers: 3, ..LayersParams::default() };
        let all = times(&params, 5, 2.0);
        assert_eq!(all[0], [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75]);
        for (layer, times) in all.iter().enumerate() {
            let mean = 0.25 / f64::from(1 << layer);
            assert!(times.windows(2).all(|t| (t[1] - t[0] - mean).abs() < 1e-9));
        }
    }

    #[test]
    fn a_layer_of_more_than_a_packet_in_a_tick_is_refused() {
        let rate = Rate::from_bps(1_000_000_000).expect("not zero");
        let params = LayersParams { rate, factor: 16.0, ..LayersParams::default() };
        let wrong = params.check().expect_err("layer 7 has 16^6 Gbit/s");
        assert_eq!(wrong.path, "rate");
        assert!(wrong.expected.contains("layer 7 would have 1.7e16 bit/s"), "{}", wrong.expected);
        assert!(LayersParams { layers: 3, ..params }.check().is_ok());
    }
}
