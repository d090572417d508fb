//! Drop probabilities that give each TCP connection a throughput in proportion to its input link, computed beforehand.
//!
//! Source: Hasegawa, Matsuo, Murata and Miyahara 2001, section 3.2: the throughput of TCP Reno under RED (Eqs 3 to 14) and the four steps that
//! set p_i. Windows of W_i = 3/4 sqrt(8 / (3 p_i)) packets (Eqs 7, 8) start to arrive at once, connection i's at the rate bw_i of its input
//! link, and are served in phases, each until the next window has arrived (figure 9, Eq 9).
//!
//! Deviations:
//! - Eq 10 is a time, so that rho_i = W_i over the time of the phases in which i is active; Eq 11 weights the wrong quantity.
//! - Eq 12 sums to P = 1 - (1-p)^W - W p (1-p)^(W-1).
//! - Connections with equal input links have one p.
//! - The largest difference is the largest relative one; p is at most 1.
//! - Where the input links together are slower than the line, the ideal is the input link.

use crate::LinkInfo;
use headgate_packet::{Bytes, Duration, Rate};

/// Maximum number of changes of a probability: far more than take effect with connections of a few speeds.
const MOST_STEPS: u32 = 5000;
/// A conversation without a class.
const UNKNOWN: u32 = u32::MAX;

/// What determines the probabilities besides the connections.
#[derive(Clone, Debug)]
pub struct ChanceParams {
    /// Rate of an input link per unit of weight.
    pub access: Rate,
    /// One-way propagation delay tau.
    pub delay: Duration,
    /// p_i at the start.
    pub initial: f64,
    /// Factors a and b on p_i where a connection's throughput is above or below its ideal.
    pub increase: f64,
    /// See `increase`.
    pub decrease: f64,
    /// Largest relative difference from the ideal that is close enough.
    pub tolerance: f64,
    /// Length of every packet.
    pub packet: Bytes,
}

/// Connections with equal input links.
#[derive(Clone, Copy, Debug)]
struct Class {
    weight: u32,
    connections: f64,
    p: f64,
}

/// Connections that share a queue.
#[derive(Clone, Debug, Default)]
struct Group {
    classes: Vec<Class>,
    /// Sum of the weights of its connections.
    weight: u64,
    /// Connections known when its probabilities were computed.
    known: u64,
}

/// The probability of each conversation seen so far.
#[derive(Clone, Debug)]
pub struct FairChances {
    params: ChanceParams,
    rate: Rate,
    groups: Vec<Group>,
    /// Of each conversation: its weight, and its class in its group.
    weights: Vec<u32>,
    class_of: Vec<u32>,
    /// Conversations seen, and the sum of their weights.
    known: u64,
    weight: u64,
}

impl FairChances {
    /// No conversation seen yet, with this number of queues.
    pub fn new(params: ChanceParams, link: &LinkInfo, queues: usize) -> FairChances {
        let mut made = FairChances {
            params,
            rate: link.rate,
            groups: Vec::new(),
            weights: Vec::new(),
            class_of: Vec::new(),
            known: 0,
            weight: 0,
        };
        made.grow(link, queues);
        made
    }

    /// Follows the rate of the link; makes room for its conversations, and for this number of queues, which never decreases.
    pub fn grow(&mut self, link: &LinkInfo, queues: usize) {
        if link.rate != self.rate {
            self.rate = link.rate;
            self.groups.iter_mut().for_each(|group| group.known = 0);
        }
        self.groups.resize_with(queues, Group::default);
        self.weights.extend(link.weights_from(self.weights.len()));
        self.class_of.resize(link.flows, UNKNOWN);
    }

    /// Whether a conversation counts as a connection.
    pub fn has_met(&self, flow: usize) -> bool {
        self.class_of[flow] != UNKNOWN
    }

    /// A packet of a conversation arrives at its queue: from the first one on it counts as a connection.
    pub fn meet(&mut self, flow: usize, queue: usize) {
        if self.has_met(flow) {
            return;
        }
        let weight = self.weights[flow];
        let group = &mut self.groups[queue];
        let class = group.classes.iter().position(|c| c.weight == weight).unwrap_or_else(|| {
            group.classes.push(Class { weight, connections: 0.0, p: 0.0 });
            group.classes.len() - 1
        });
        group.classes[class].connections += 1.0;
        self.class_of[flow] = class as u32;
        group.weight += u64::from(weight);
        self.weight += u64::from(weight);
        self.known += 1;
    }

    /// What `meet` and then `of` would give; changes nothing.
    pub fn look(&self, flow: usize, queue: usize) -> f64 {
        let group = &self.groups[queue];
        if self.has_met(flow) && group.known == self.known {
            return group.classes[self.class_of[flow] as usize].p;
        }
        // Only the first packets of connections arrive here.
        let mut later = self.clone();
        later.meet(flow, queue);
        later.of(flow, queue)
    }

    /// p of a conversation that was seen.
    pub fn of(&mut self, flow: usize, queue: usize) -> f64 {
        let group = &mut self.groups[queue];
        if group.known != self.known {
            // A queue is served in proportion to the input links of its connections (section 3.3).
            let share = group.weight as f64 / self.weight as f64;
            self.params.settle(&mut group.classes, share * self.params.packets(self.rate));
            group.known = self.known;
        }
        group.classes[self.class_of[flow] as usize].p
    }
}

impl ChanceParams {
    /// A rate in packets per second.
    fn packets(&self, rate: Rate) -> f64 {
        rate.as_bps() as f64 / (8.0 * self.packet.0.max(1) as f64)
    }

    /// The four steps of section 3.2 for connections that share `service`, in packets per second. Gives the number of changes.
    fn settle(&self, classes: &mut [Class], service: f64) -> u32 {
        let input: f64 = classes.iter().map(|c| c.connections * self.bandwidth(c)).sum();
        classes.iter_mut().for_each(|c| c.p = self.initial);
        for steps in 0..MOST_STEPS {
            let mut worst = (0, 0.0);
            for (i, throughput) in self.throughputs(classes, service) {
                let ideal = self.bandwidth(&classes[i]) * (service / input).min(1.0);
                let difference: f64 = throughput / ideal - 1.0;
                if difference.abs() > f64::abs(worst.1) {
                    worst = (i, difference);
                }
            }
            let (i, difference) = worst;
            if difference.abs() <= self.tolerance {
                return steps;
            }
            let factor = if difference > 0.0 { self.increase } else { self.decrease };
            // Above zero, or the window is infinite.
            classes[i].p = (classes[i].p * factor).clamp(f64::MIN_POSITIVE, 1.0);
        }
        MOST_STEPS
    }

    /// Rate of a connection's input link, in packets per second.
    fn bandwidth(&self, class: &Class) -> f64 {
        self.packets(self.access) * f64::from(class.weight)
    }

    /// Throughput with time-outs of a connection of each class (Eq 14), with the number of the class.
    fn throughputs(&self, classes: &[Class], service: f64) -> impl Iterator<Item = (usize, f64)> {
        let arrival = |c: &Class| window(c) / self.bandwidth(c);
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by(|a, b| arrival(&classes[*a]).total_cmp(&arrival(&classes[*b])));
        let all: f64 = classes.iter().map(|c| c.connections * window(c)).sum();
        let mut active: f64 = classes.iter().map(|c| c.connections * self.bandwidth(c)).sum();
        let (mut arrived, mut served) = (0.0, 0.0);
        order.into_iter().map(move |i| {
            let (c, w) = (&classes[i], window(&classes[i]));
            // The phase that ends when this window has arrived (Eq 10): its packets over the rate of Eq 9. W / rho is the time of all phases.
            served += (arrival(c) - arrived) * active / active.min(service);
            arrived = arrival(c);
            active -= c.connections * self.bandwidth(c);
            // Eq 12: at least two of the window are lost.
            let pass = 1.0 - c.p;
            let lost = 1.0 - libm::pow(pass, w) - w * c.p * libm::pow(pass, w - 1.0);
            // Eq 13, and a time-out of twice that.
            let timeout = 2.0 * (2.0 * self.delay.as_secs_f64() + (all - w) / service + served);
            (i, w / served * (1.0 - lost * timeout / (served + timeout)))
        })
    }
}

/// The average window of a connection, in packets (Eqs 7 and 8).
fn window(class: &Class) -> f64 {
    0.75 * (8.0 / (3.0 * class.p)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's network: packets of 2000 bytes, 100 ms.
    fn params(initial: f64) -> ChanceParams {
        ChanceParams {
            access: Rate::from_bps(64_000).unwrap(),
            delay: Duration::from_ps(100_000_000_000),
            initial,
            increase: 1.1,
            decrease: 0.9,
            tolerance: 0.05,
            packet: Bytes(2000),
        }
    }

    fn classes(weights: &[u32], p: f64) -> Vec<Class> {
        weights.iter().map(|w| Class { weight: *w, connections: 1.0, p }).collect()
    }

    /// Throughputs in kbit/s.
    fn kbps(params: &ChanceParams, classes: &[Class], service_kbps: f64) -> Vec<f64> {
        let mut all: Vec<(usize, f64)> = params.throughputs(classes, service_kbps / 16.0).collect();
        all.sort_by_key(|(i, _)| *i);
        all.into_iter().map(|(_, packets)| 16.0 * packets).collect()
    }

    fn near(got: &[f64], expected: &[f64], tolerance: f64) {
        assert_eq!(got.len(), expected.len());
        for (g, e) in got.iter().zip(expected) {
            assert!((g / e - 1.0).abs() < tolerance, "{got:?}, not {expected:?}");
        }
    }

    #[test]
    fn throughputs_with_one_p() {
        // By hand for 400 kbit/s = 25 packets/s and p = 0.02: W = 8.660254; phases of 0.649519, 0.303109, 0.541266 and 1.082532 s; rho = W / 0.649519 =
        // 13.3333 for the fastest; P = 0.0121385, RTT = 0.2 + 3 W / 25 + 0.649519 = 1.888749 s, so rho' = 13.3333 (1 - P 3.777499 / 4.427018) = 13.195.
        let p = params(0.02);
        near(&kbps(&p, &classes(&[1, 2, 4, 8], 0.02), 400.0), &[53.2935, 91.8694, 144.0041, 211.1237], 1e-5);
        // A line as fast as the inputs together: rho = bw, less the time-outs.
        near(&kbps(&p, &classes(&[1, 2, 4, 8], 0.02), 960.0), &[63.4398, 126.8189, 253.4746, 506.5945], 1e-6);
    }

    #[test]
    fn the_iteration_of_the_paper() {
        // Values of an independent program: start, line in kbit/s, changes; p_i and rho'_i in kbit/s of inputs of 64, 128, 256 and 512 kbit/s.
        let table = "0.02  400 72 0.56204874 0.21669412 0.06276857 0.02  27.8028  54.7560 110.5644 211.2897
                     0.02  720 57 0.28841987 0.13455000 0.04715895 0.02  50.2578  99.9407 199.5400 380.1870
                     0.02  960  0 0.02       0.02       0.02       0.02  63.4398 126.8189 253.4746 506.5945
                     0.005 400 79 0.20572389 0.06554997 0.01726136 0.005 27.9403  54.7020 109.9330 212.7819
                     0.005 880 27 0.02779959 0.01178974 0.00500000 0.005 61.5616 122.9714 244.2297 468.0249
                     0.002 480 80 0.09051851 0.02621999 0.00690454 0.002 33.5133  66.3558 132.2349 255.7263
                     0.02   80 12 0.06276857 0.02                        27.8385  52.8517";
        for row in table.lines() {
            let numbers: Vec<f64> = row.split_whitespace().map(|n| n.parse().unwrap()).collect();
            let ([initial, line, steps], rest) = numbers.split_first_chunk().unwrap();
            let (p, rates) = rest.split_at(rest.len() / 2);
            let (params, mut classes) = (params(*initial), classes(&[1, 2, 4, 8][..p.len()], 0.0));
            assert_eq!(params.settle(&mut classes, line / 16.0), *steps as u32, "start {initial}, {line} kbit/s");
            near(&classes.iter().map(|c| c.p).collect::<Vec<_>>(), p, 1e-6);
            near(&kbps(&params, &classes, *line), rates, 1e-5);
        }
    }

    #[test]
    fn without_time_outs_p_is_inverse_to_the_square_of_the_input() {
        // Windows in proportion to the inputs arrive together and are served in proportion: one phase. Tiny p, hardly any time-outs.
        let params = ChanceParams { tolerance: 0.001, increase: 1.001, decrease: 0.999, ..params(1e-6) };
        let mut classes = classes(&[1, 2, 4], 0.0);
        assert!(params.settle(&mut classes, 10.0) < MOST_STEPS);
        let ratios = [classes[0].p / classes[2].p, classes[1].p / classes[2].p];
        near(&ratios, &[16.0, 4.0], 0.01);
    }

    #[test]
    fn only_who_was_met_counts_and_queues_are_computed_apart() {
        let rate = Rate::from_bps(400_000).unwrap();
        let link = LinkInfo { rate, flows: 9, weights: vec![1, 9, 9, 2, 9, 4, 9, 1, 8], hosts: vec![] };
        let mut chances = FairChances::new(params(0.02), &link, 2);
        for (flow, queue) in [(8, 1), (3, 0), (5, 1), (0, 0), (0, 0)] {
            chances.meet(flow, queue);
        }
        // The two queues of section 3.3: 80 kbit/s for 64 and 128, 320 for 256 and 512.
        let p: Vec<f64> = [(0, 0), (3, 0), (5, 1), (8, 1)].map(|(flow, queue)| chances.of(flow, queue)).to_vec();
        near(&p, &[0.06276857, 0.02, 0.06276857, 0.02], 1e-6);
        // Equals share a class.
        chances.meet(7, 0);
        assert_eq!(chances.of(7, 0), chances.of(0, 0));
    }
}
