//! The thesis's insert() with each of the four structures, for `benches/code_size.py` to weigh (Keshav 1991, table 3.2, static cost).

use headgate_queue::parts::ordering::{BoundedHeap, DropPolicy, Heap, Link, Perc, Tagged, Tree};
use std::hint::black_box;

/// Puts a packet in and discards those with the largest tags while there are too many.
fn insert(heap: &mut impl BoundedHeap, item: Tagged, held: &mut u32, most: u32) -> u32 {
    let mut operations = heap.insert(item);
    *held += 1;
    while *held > most
        && let Some((_, more)) = heap.pop_victim()
    {
        operations += more;
        *held -= 1;
    }
    operations
}

macro_rules! weighed {
    ($($name:ident: $structure:ty),+) => {
        $(
            #[inline(never)]
            fn $name(heap: &mut $structure, item: Tagged, held: &mut u32, most: u32) -> u32 {
                insert(heap, item, held, most)
            }
        )+
    };
}

weighed!(weigh_link: Link, weigh_tree: Tree, weigh_heap: Heap, weigh_perc: Perc);

fn main() {
    let item = black_box(Tagged::default());
    let most = black_box(1);
    let mut held = 0;
    let (mut link, mut tree, mut heap, mut perc) =
        (Link::default(), Tree::default(), Heap::default(), Perc::new(DropPolicy::LargestBid, false, 1));
    let mut all = weigh_link(&mut link, item, &mut held, most) + weigh_tree(&mut tree, item, &mut held, most);
    all += weigh_heap(&mut heap, item, &mut held, most) + weigh_perc(&mut perc, item, &mut held, most);
    black_box(all);
}
