//! What a discipline knows of its link and of the conversations that cross it.

use headgate_packet::{FlowId, Rate};

/// Facts of the link and of the classifier that a discipline may need; never parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkInfo {
    /// Rate of the line that the port feeds.
    pub rate: Rate,
    /// How many conversations cross the port, as far as is known: a flow id is below this.
    pub flows: usize,
    /// Weight of each conversation; an empty list means 1 for all.
    pub weights: Vec<u32>,
    /// Numbers of the source and the destination host of each conversation; an empty list means that each has hosts of its own.
    pub hosts: Vec<[u32; 2]>,
}

impl LinkInfo {
    /// The weight of a conversation.
    pub fn weight(&self, flow: usize) -> u32 {
        self.weights.get(flow).copied().unwrap_or(1)
    }

    /// One more conversation; its number is the count of those before.
    pub fn add(&mut self, weight: u32) -> FlowId {
        if weight != 1 || !self.weights.is_empty() {
            self.weights.resize(self.flows, 1);
            self.weights.push(weight);
        }
        self.flows += 1;
        FlowId(self.flows as u32 - 1)
    }

    /// One more conversation, between two hosts that others may have too. Of those before it the hosts need not be known.
    pub fn add_between(&mut self, weight: u32, hosts: [u32; 2]) -> FlowId {
        self.hosts.resize(self.flows, [u32::MAX; 2]);
        self.hosts.push(hosts);
        self.add(weight)
    }

    /// The weights of the conversations from number `known` on.
    pub fn weights_from(&self, known: usize) -> impl Iterator<Item = u32> + '_ {
        (known..self.flows).map(|flow| self.weight(flow))
    }
}
