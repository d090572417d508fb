//! What is generated within pages that people write: it stands between a mark and the next end.

use crate::transports;
use headgate_packet::Memory;
use headgate_packet::choice::Entry;
use headgate_queue::{DropReason, aqm};
use headgate_sim::catalogue;

/// A page, the name of its part, and what makes that.
type Part = (&'static str, &'static str, fn() -> String);

/// Pages, their marks, and what stands there. In a line Markdown takes a mark that does not begin it for a comment.
const PAGES: [Part; 4] = [
    ("README.md", "<!-- schemes -->", schemes),
    ("docs/how-to/replay.md", "<!-- reasons -->", reasons),
    ("docs/how-to/own-scenario.md", "<!-- memory -->", memory),
    ("docs/how-to/choose-a-transport.md", "<!-- transports -->", transports::table),
];
const END: &str = "<!-- end -->";

/// The pages with what is generated today, as `read` has them otherwise.
pub fn pages(read: impl Fn(&str) -> String) -> Vec<(&'static str, String)> {
    PAGES.iter().map(|(page, mark, inside)| (*page, between(&read(page), mark, &inside()))).collect()
}

/// A text with other words after a mark. One without the mark stays as it is.
fn between(text: &str, mark: &str, inside: &str) -> String {
    let Some((before, rest)) = text.split_once(mark) else { return text.to_owned() };
    let Some((_, after)) = rest.split_once(END) else { return text.to_owned() };
    format!("{before}{mark}{inside}{END}{after}")
}

/// The numbers of schemes.
fn schemes() -> String {
    let [disciplines, controls] = ["disciplines", "flow-controls"].map(entries);
    format!(
        "{disciplines} [queueing disciplines](docs/reference/disciplines.md) and\n\
         {controls} [flow controls](docs/reference/flow-controls.md)"
    )
}

/// The number of entries of a list.
fn entries(list: &str) -> usize {
    catalogue::LISTS.iter().find(|(name, _)| *name == list).map_or(0, |(_, entries)| entries.len())
}

/// The reasons of drops.
fn reasons() -> String {
    let row = |reason: DropReason| {
        format!("| `{}` | {} | `drops_{}` |\n", reason.name(), reason.about(), reason.kind().name())
    };
    let rows: String = DropReason::ALL.map(row).concat();
    format!("\n\n| reason | what happened | counted in |\n| --- | --- | --- |\n{rows}\n")
}

/// What each discipline keeps of a flow that left: those that keep the same stand in one row, and those that never forget it come last.
fn memory() -> String {
    let named = |name: &str, with: &str| {
        format!("`{name}`{}", if with.is_empty() { String::new() } else { format!(" with {with}") })
    };
    let mut rows: Vec<(Memory, Vec<String>)> =
        vec![(Memory::of("nothing: they do not distinguish flows", "at once"), Vec::new())];
    let mut add = |memory: Memory, name: String| match rows
        .iter_mut()
        .find(|(known, _)| (known.keeps, known.until) == (memory.keeps, memory.until))
    {
        Some((_, names)) => names.push(name),
        None => rows.push((memory, vec![name])),
    };
    for Entry { name, card, .. } in headgate_queue::LIST {
        if card.remembers.is_empty() {
            add(Memory::of("nothing: they do not distinguish flows", "at once"), named(name, ""));
        }
        card.remembers.iter().for_each(|memory| add(*memory, named(name, memory.with)));
    }
    for Entry { name, card, .. } in aqm::LIST {
        let own = aqm::Spec::default_of(name).is_some_and(|spec| spec.per_conversation());
        for memory in card.remembers {
            let aqm = format!("`aqm = \"{name}\"`{}{}", if memory.with.is_empty() { "" } else { " and " }, memory.with);
            add(
                *memory,
                if own {
                    format!("any discipline with {aqm}")
                } else {
                    format!("any with a queue for each flow and {aqm}")
                },
            );
        }
    }
    rows.sort_by_key(|(memory, _)| memory.until == Memory::NEVER);
    let line = |(memory, names): &(Memory, Vec<String>)| {
        format!("| {} | {} | {} |\n", names.join(", "), memory.keeps, memory.until)
    };
    let rows: String = rows.iter().map(line).collect();
    format!(
        "\n\n| Discipline | What it keeps of a flow of which no packet waits | When that is forgotten |\n|---|---|---|\n{rows}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_written() {
        let text = format!("a\nb <!-- x -->old{END}, c\n");
        let new = between(&text, "<!-- x -->", "new");
        assert_eq!(new, format!("a\nb <!-- x -->new{END}, c\n"));
        assert_eq!(between(&new, "<!-- x -->", "new"), new);
        assert_eq!(between("nothing", "<!-- x -->", "new"), "nothing");
    }

    #[test]
    fn what_is_written_is_of_the_lists() {
        for (list, name) in [("disciplines", "queueing disciplines"), ("flow-controls", "flow controls")] {
            assert!(entries(list) > 10);
            assert!(schemes().contains(&format!("{} [{name}](docs/reference/{list}.md)", entries(list))));
        }
        assert!(reasons().contains("| `queue_full` | The packet's own queue was full when the packet arrived, so the packet was refused. | `drops_full` |"));
    }
}
