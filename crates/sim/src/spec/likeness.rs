//! What a name that is not valid may stand for: one that is spelled much the same, the same scheme under another name, or a well-known scheme that
//! headgate does not have.

use crate::catalogue::LISTS;
use headgate_packet::SHOWN;

/// What is called otherwise elsewhere, and is no scheme: short names of flows and of lines, hosts, keys. What schemes are called stands in their own files,
/// in their cards.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("voice", "call"),
    ("phone", "call"),
    ("voice_call", "call"),
    ("voip_call", "voip"),
    ("phone_call", "call"),
    ("http", "web"),
    ("https", "web"),
    ("browser", "web"),
    ("browsing", "web"),
    ("web_browsing", "web"),
    ("surfing", "web"),
    ("website", "web"),
    ("webpage", "web"),
    ("gaming", "game"),
    ("gamer", "game"),
    ("online_game", "game"),
    ("stream", "video"),
    ("streaming", "video"),
    ("video_streaming", "video"),
    ("movie", "video"),
    ("videocall", "zoom"),
    ("video_call", "zoom"),
    ("videochat", "zoom"),
    ("video_chat", "zoom"),
    ("videoconference", "zoom"),
    ("video_conference", "zoom"),
    ("videoconferencing", "zoom"),
    ("teams", "zoom"),
    ("facetime", "zoom"),
    ("skype", "zoom"),
    ("webex", "zoom"),
    ("google_meet", "zoom"),
    ("iperf", "bulk"),
    ("iperf3", "bulk"),
    ("greedy", "bulk"),
    ("dl", "download"),
    ("downloading", "download"),
    ("file_download", "download"),
    ("big_download", "download"),
    ("uploading", "upload"),
    ("file_upload", "upload"),
    ("big_upload", "upload"),
    ("cloud_backup", "upload"),
    ("ul", "upload"),
    ("backup", "upload"),
    ("datacenter", "datacentre"),
    ("dc", "datacentre"),
    ("cable_modem", "cable"),
    ("docsis", "cable"),
    ("adsl", "dsl"),
    ("adsl2", "dsl"),
    ("adsl2+", "dsl"),
    ("vdsl", "home"),
    ("vdsl2", "home"),
    ("fttc", "home"),
    ("fibre", "fiber"),
    ("ftth", "fiber"),
    ("fttp", "fiber"),
    ("gpon", "fiber"),
    ("wlan", "wifi"),
    ("4g", "lte"),
    ("4g_lte", "lte"),
    ("5g_nr", "5g"),
    ("leo", "starlink"),
    ("geo", "satellite"),
    ("geostationary", "satellite"),
    ("viasat", "satellite"),
    ("hughesnet", "satellite"),
    ("src", "source"),
    ("srchost", "source"),
    ("sender", "source"),
    ("dst", "destination"),
    ("dest", "destination"),
    ("dsthost", "destination"),
    ("receiver", "destination"),
    ("dscp", "priority"),
    ("tos", "priority"),
    ("diffserv", "priority"),
    ("5tuple", "flow"),
    ("five_tuple", "flow"),
    ("ect", "ecn"),
];

/// Names that may stand for one of several valid ones, and what the choice is about.
const AMBIGUOUS: &[(&str, &[&str], &str)] = &[
    ("host", &["source", "destination"], "the host that packets come from, or the one that they go to"),
    ("hosts", &["source", "destination"], "the host that packets come from, or the one that they go to"),
    ("ip", &["source", "destination"], "the host that packets come from, or the one that they go to"),
    ("address", &["source", "destination"], "the host that packets come from, or the one that they go to"),
];

/// Well-known schemes that headgate does not have: what each is, the names that are nearest in kind, and how these differ from it.
const ABSENT: &[(&str, &str, &[&str], &str)] = &[
    (
        "l4s",
        "L4S as such: name its queue or its flow control",
        &["dualpi2", "prague"],
        "the queue of L4S and a scalable control",
    ),
    ("hhf", "the Heavy-Hitter Filter", &["fred"], "which also drops more from flows that take more"),
    ("hfsc", "HFSC", &["htb", "hrr"], "which also give rates to classes"),
    (
        "bbr2",
        "BBR version 2",
        &["bbr3", "bbr1"],
        "version 3, which succeeded it, and version 1, which does not react to loss",
    ),
    (
        "bbrv2",
        "BBR version 2",
        &["bbr3", "bbr1"],
        "version 3, which succeeded it, and version 1, which does not react to loss",
    ),
    ("pcc", "PCC as such: name its version", &["vivace", "allegro"], "the later one and the first one"),
    ("westwood", "Westwood", &["newreno"], "from which it comes"),
    ("hybla", "Hybla", &["newreno"], "from which it comes"),
    ("illinois", "Illinois", &["newreno"], "from which it comes"),
    ("veno", "Veno", &["reno", "vegas"], "from which it comes"),
    ("htcp", "H-TCP", &["cubic"], "another one for fast and long paths"),
    ("bic", "BIC", &["cubic"], "which succeeded it"),
    ("gcc", "Google Congestion Control", &["scream"], "which is for video, too"),
    ("udp", "UDP as such: name what it carries", &["cbr"], "packets at a constant rate without flow control"),
    ("quic", "QUIC as such: name its flow control", &["cubic", "bbr1"], "two that stacks of QUIC have"),
];

/// What a name may stand for; nothing if no valid name is like it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Likeness<'a> {
    /// The valid name that was probably meant.
    pub nearest: Option<&'a str>,
    /// That headgate does not have this scheme, and what is nearest in kind.
    pub absent: Option<String>,
}

/// The scheme that is called so elsewhere.
fn scheme_called(name: &str) -> Option<&'static str> {
    let mut entries = LISTS.iter().flat_map(|(_, entries)| entries.iter());
    entries.find(|entry| entry.card.aliases.contains(&name)).map(|entry| entry.name)
}

fn plain(name: &str) -> String {
    name.to_lowercase().replace(['-', ' '], "_")
}

/// The valid name that certainly is meant: the same one in other letters (`FQ-CoDel`, `fqcodel`, `TCP Cubic`, `downloads`), or the same thing under
/// another name.
pub fn same<'a>(name: &str, valid: &[&'a str]) -> Option<&'a str> {
    if name.len() > SHOWN {
        return None;
    }
    let written = plain(name);
    // An abbreviation of one letter is no plural.
    let single = written.strip_suffix('s').filter(|one| one.len() > 2);
    let bare = written.strip_prefix("tcp").map(|rest| rest.trim_start_matches('_')).filter(|rest| !rest.is_empty());
    let found = |one: &str| {
        let other =
            scheme_called(one).or_else(|| OTHER_NAMES.iter().find(|(other, _)| *other == one).map(|(_, ours)| *ours));
        let joined = one.replace('_', "");
        let exact = valid.iter().find(|v| **v == one).or_else(|| valid.iter().find(|v| Some(**v) == other));
        exact.or_else(|| valid.iter().find(|v| !joined.is_empty() && v.replace('_', "") == joined)).copied()
    };
    [Some(written.as_str()), bare, single].into_iter().flatten().find_map(found)
}

/// What a name may stand for among valid ones.
pub fn likeness<'a>(name: &str, valid: &[&'a str]) -> Likeness<'a> {
    if name.len() > SHOWN {
        return Likeness::default();
    }
    let plain = plain(name);
    if let Some(same) = same(name, valid) {
        return Likeness { nearest: Some(same), absent: None };
    }
    // As above: only where `classify` is meant, among whose names these are.
    let several =
        AMBIGUOUS.iter().find(|a| a.0 == plain && valid.contains(&"pair") && a.1.iter().all(|n| valid.contains(n)));
    if let Some((_, names, what)) = several {
        let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
        return Likeness { nearest: None, absent: Some(format!("say {}, {what}", names.join(" or "))) };
    }
    let absent = ABSENT.iter().find(|a| a.0 == plain || a.0.replace('_', "") == plain);
    if let Some((_, what, near, how)) = absent {
        let near: Vec<String> = near.iter().filter(|n| valid.contains(n)).map(|n| format!("`{n}`")).collect();
        // Among names of another sort it says nothing: a host may be called `veno`.
        if !near.is_empty() {
            let absent = Some(format!("headgate does not have {what}; nearest in kind: {}, {how}", near.join(" and ")));
            return Likeness { nearest: None, absent };
        }
    }
    Likeness { nearest: spelled(&plain, valid), absent: None }
}

/// The valid name that is spelled much the same: at most a third of its letters differ, or it begins so, or it is a word of the name.
fn spelled<'a>(name: &str, valid: &[&'a str]) -> Option<&'a str> {
    let best = valid.iter().map(|v| (strsim::damerau_levenshtein(name, &v.to_lowercase()), *v)).min();
    let near = best.filter(|&(distance, v)| {
        let longer = name.chars().count().max(v.chars().count());
        distance < longer && distance <= (longer / 3).max(1)
    });
    let begun = || valid.iter().find(|v| name.len() >= 2 && v.starts_with(name)).copied();
    let word = || {
        let within = |v: &str| format!("_{}_", v.to_lowercase().replace('-', "_")).contains(&format!("_{name}_"));
        valid.iter().find(|v| !name.is_empty() && within(v)).copied()
    };
    near.map(|(_, v)| v).or_else(begun).or_else(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest<'a>(name: &str, valid: &[&'a str]) -> Option<&'a str> {
        likeness(name, valid).nearest
    }

    #[test]
    fn a_hint_is_spelled_much_the_same() {
        assert_eq!(nearest("drr", &["fcfs", "drr_plus", "wrr"]), Some("wrr"));
        // Two of six letters differ, then two of five.
        assert_eq!(nearest("abcdef", &["abcdxy"]), Some("abcdxy"));
        assert_eq!(nearest("abcde", &["abcxy"]), None);
        assert_eq!(nearest("abcd", &[]), None);
        // One letter of one or two.
        assert_eq!((nearest("x", &["y"]), nearest("r7", &["r1"])), (None, Some("r1")));
        // The beginning of a name.
        assert_eq!((nearest("jk", &["jk_reno"]), nearest("j", &["jk_reno"])), (Some("jk_reno"), None));
        // A word of a name.
        assert_eq!(
            (nearest("sources", &["two-sources"]), nearest("our", &["two-sources"])),
            (Some("two-sources"), None)
        );
        // A name that is too long to be shown is not looked up.
        let name = "n".repeat(SHOWN);
        assert_eq!(nearest(&name, &[&name[1..]]), Some(&name[1..]));
        assert_eq!(nearest(&format!("{name}n"), &[&name]), None);
    }

    #[test]
    fn names_of_other_tools_mean_ours() {
        assert_eq!(nearest("Drop-Tail", &["fq", "fcfs"]), Some("fcfs"));
        assert_eq!(nearest("FQ", &["fcfs", "fq"]), Some("fq"));
        assert_eq!(nearest("bbr", &["cbr", "bbr1", "bbr3"]), Some("bbr3"));
        assert_eq!(["BBRv1", "BBRv3"].map(|name| nearest(name, &["bbr1", "bbr3"])), [Some("bbr1"), Some("bbr3")]);
        assert_eq!(nearest("droptail", &["fq"]), None);
    }

    #[test]
    fn a_host_is_of_two_kinds_only_where_packets_are_classified() {
        let found = likeness("host", &["pair", "source", "destination"]);
        assert_eq!(found.absent.map(|text| text.starts_with("say `source` or `destination`")), Some(true));
        assert_eq!(likeness("host", &["source", "destination", "weight"]).absent, None);
    }

    #[test]
    fn the_same_name_in_other_letters() {
        let names = [
            "fq_codel",
            "fq",
            "fcfs",
            "cubic",
            "cubic_linux",
            "newreno",
            "download",
            "bbr3",
            "ledbat_plus_plus",
            "5g",
            "lte",
        ];
        for (name, due) in [
            ("FQ-CoDel", "fq_codel"),
            ("fqcodel", "fq_codel"),
            ("FQ CoDel", "fq_codel"),
            ("TCP Cubic", "cubic"),
            ("tcp", "cubic"),
            ("NewReno", "newreno"),
            ("new-reno", "newreno"),
            ("downloads", "download"),
            ("BBRv3", "bbr3"),
            ("LEDBAT++", "ledbat_plus_plus"),
            ("pfifo_fast", "fcfs"),
            ("5G", "5g"),
            ("4g", "lte"),
        ] {
            assert_eq!(same(name, &names), Some(due), "{name}");
        }
        assert_eq!(same("BBR", &["bbr3", "bbr"]), Some("bbr"));
        // What is spelled much the same is asked about, and a scheme that is not here is no other one.
        for name in ["cubik", "fq_codle", "bbr2", "s", "", "codel"] {
            assert_eq!(same(name, &names), None, "{name}");
        }
    }

    #[test]
    fn what_headgate_does_not_have_is_no_other_scheme() {
        let queues = ["fcfs", "fq", "drr", "red", "wf2q_plus", "sfq", "fred", "hrr"];
        for (name, due) in [
            ("hhf", "headgate does not have the Heavy-Hitter Filter; nearest in kind: `fred`, which also drops more"),
            ("HHF", "Heavy-Hitter"),
            ("hfsc", "nearest in kind: `hrr`, which also"),
        ] {
            let found = likeness(name, &queues);
            assert_eq!(found.nearest, None, "{name}");
            assert!(found.absent.as_deref().is_some_and(|text| text.contains(due)), "{found:?}");
        }
        // Once it is there it is valid, and among names of another sort nothing is said.
        assert_eq!(nearest("codel", &["codel", "red"]), Some("codel"));
        assert_eq!(likeness("veno", &["hosts", "name"]), Likeness::default());
    }

    #[test]
    fn a_scheme_is_called_by_names_that_are_no_others() {
        let mut aliases: Vec<(&str, &str)> = Vec::new();
        for entry in LISTS.iter().flat_map(|(_, entries)| entries.iter()) {
            for alias in entry.card.aliases {
                let name = entry.name;
                assert_eq!(plain(alias), **alias, "{name}: small letters, with _ between words");
                assert!(OTHER_NAMES.iter().all(|(other, _)| other != alias), "{alias}: of {name} and of another thing");
                assert!(ABSENT.iter().all(|(other, ..)| other != alias), "{alias}: of {name}, and absent");
                let other = aliases.iter().find(|(other, _)| other == alias).map(|(_, other)| *other);
                // One struct under two names has one card: the first one is meant. An AQM and the discipline that it makes have one name.
                assert!(
                    other.is_none_or(|other| other == name || (other, name) == ("fq", "wfq")),
                    "{alias}: of {other:?} and of {name}"
                );
                aliases.push((alias, name));
            }
        }
        assert_eq!(aliases.iter().filter(|(alias, _)| *alias == "droptail").count(), 1);
    }

    #[test]
    fn every_absent_scheme_is_absent() {
        let names = ["disciplines", "flow-controls", "workloads"]
            .map(|list| crate::catalogue::catalogue(list).expect("a list"));
        let ours =
            |name: &str| names.iter().any(|list| list.as_array().is_some_and(|l| l.iter().any(|e| e["name"] == name)));
        for (name, _, near, _) in ABSENT {
            assert!(!ours(name), "{name}");
            assert!(near.iter().all(|n| ours(n)), "{near:?}");
        }
    }
}
