//! What a discipline learns of conversations that are added one by one.

use headgate_packet::{FlowId, Rate};
use headgate_queue::LinkInfo;

#[test]
fn conversations_are_numbered_in_order_and_weigh_one_unless_set() {
    let mut link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 0, weights: vec![], hosts: vec![] };
    let numbers: Vec<FlowId> = [1, 1, 3, 1].into_iter().map(|weight| link.add(weight)).collect();
    assert_eq!(numbers, [FlowId(0), FlowId(1), FlowId(2), FlowId(3)]);
    assert_eq!(link.flows, 4);
    assert_eq!(link.weights_from(0).collect::<Vec<_>>(), [1, 1, 3, 1]);
    assert_eq!(link.weights_from(2).collect::<Vec<_>>(), [3, 1]);
}

#[test]
fn while_all_weigh_one_no_weights_are_kept() {
    let mut link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 0, weights: vec![], hosts: vec![] };
    assert_eq!([link.add(1), link.add(1)], [FlowId(0), FlowId(1)]);
    assert!(link.weights.is_empty());
    assert_eq!([link.weight(0), link.weight(1)], [1, 1]);
}
