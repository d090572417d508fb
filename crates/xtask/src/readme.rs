//! The lists of schemes in the README.

use headgate_sim::catalogue;

/// The text between these two marks is generated.
const BEGIN: &str = "<!-- Schemes: written by `cargo xtask write`. -->";
const END: &str = "<!-- End of the schemes. -->";

/// Columns of a line.
const WIDTH: usize = 165;

/// The README with the lists of today. One without the marks stays as it is.
pub fn with_lists(text: &str) -> String {
    let Some((before, rest)) = text.split_once(BEGIN) else { return text.to_owned() };
    let Some((_, after)) = rest.split_once(END) else { return text.to_owned() };
    let lists = [("Queues", "disciplines"), ("Controls", "flow-controls")].map(|(title, list)| {
        let entries = catalogue::catalogue(list).unwrap_or_default();
        let names: Vec<String> = entries
            .as_array()
            .into_iter()
            .flatten()
            .map(|entry| format!("`{}`", entry["name"].as_str().unwrap_or_default()))
            .collect();
        wrapped(&format!("**{title}** (`headgate list {list}`): {}.", names.join(", ")))
    });
    format!("{before}{BEGIN}\n{}{END}{after}", lists.concat())
}

/// The words in lines of at most `WIDTH` columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() {
            line.push_str(word);
        } else if line.len() + 1 + word.len() <= WIDTH {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_written() {
        let text = format!("a\n{BEGIN}old{END}\nb\n");
        let new = with_lists(&text);
        assert!(new.starts_with(&format!("a\n{BEGIN}\n**Queues**")) && new.ends_with(&format!("{END}\nb\n")));
        assert!(new.contains("`fcfs`") && new.contains("`cubic`") && !new.contains("old"));
        assert!(new.lines().all(|line| line.len() <= WIDTH));
        assert_eq!(with_lists(&new), new);
        assert_eq!(with_lists("nothing"), "nothing");
    }
}
