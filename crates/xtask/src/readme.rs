//! The numbers of schemes in the README.

use headgate_sim::catalogue;

/// The text between these two marks is generated. They stand within a line: Markdown takes a line that begins with a comment for HTML.
const BEGIN: &str = "<!-- schemes -->";
const END: &str = "<!-- end -->";

/// The README with the numbers of today. One without the marks stays as it is.
pub fn with_numbers(text: &str) -> String {
    let Some((before, rest)) = text.split_once(BEGIN) else { return text.to_owned() };
    let Some((_, after)) = rest.split_once(END) else { return text.to_owned() };
    let [disciplines, controls] = ["disciplines", "flow-controls"].map(entries);
    format!(
        "{before}{BEGIN}{disciplines} [queueing disciplines](docs/reference/disciplines.md) and\n\
         {controls} [flow controls](docs/reference/flow-controls.md){END}{after}"
    )
}

/// The number of entries of a list.
fn entries(list: &str) -> usize {
    catalogue::LISTS.iter().find(|(name, _)| *name == list).map_or(0, |(_, entries)| entries.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_written() {
        let text = format!("a\nb {BEGIN}old{END}, c\n");
        let new = with_numbers(&text);
        assert!(new.starts_with(&format!("a\nb {BEGIN}")) && new.ends_with(&format!("{END}, c\n")));
        for (list, name) in [("disciplines", "queueing disciplines"), ("flow-controls", "flow controls")] {
            assert!(entries(list) > 10);
            assert!(new.contains(&format!("{} [{name}](docs/reference/{list}.md)", entries(list))));
        }
        assert!(!new.contains("old"));
        assert_eq!(with_numbers(&new), new);
        assert_eq!(with_numbers("nothing"), "nothing");
    }
}
