//! The nodes and links of a topology while it is made.

use super::Line;
use crate::laws::AnyLaw;
use crate::pace::Pace;
use crate::spec::{Link, Node, NodeKind, SpecError};

/// The parameter that a node or a link comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The topology as a whole.
    Whole,
    /// `line`.
    Line,
    /// `access`.
    Access,
    /// `exit`.
    Exit,
    /// `ends`.
    Ends,
}

impl Part {
    /// Its place in the file.
    pub fn path(self) -> &'static str {
        match self {
            Part::Whole => "topology",
            Part::Line => "topology.line",
            Part::Access => "topology.access",
            Part::Exit => "topology.exit",
            Part::Ends => "topology.ends",
        }
    }
}

/// A node or a link with the parameter that it comes from.
pub type Made<T> = (T, Part);

/// The nodes and links that a topology makes.
pub struct Net<'p, 's> {
    pub(crate) nodes: Vec<Made<Node>>,
    pub(crate) links: Vec<Made<Link>>,
    pace: &'p mut Pace<'s>,
}

/// Lines of one part: what they are like, and how many there are by now.
pub struct Piece<'l> {
    line: &'l Line,
    part: Part,
    laws: [Option<AnyLaw>; 2],
    seed: u64,
    laid: usize,
}

impl<'l> Piece<'l> {
    /// Lines such as `line`, which is this part of the topology; `seed` is that of the topology.
    pub fn new(line: &'l Line, part: Part, seed: u64) -> Piece<'l> {
        Piece { line, part, laws: line.laws(), seed, laid: 0 }
    }
}

impl<'p, 's> Net<'p, 's> {
    pub(crate) fn new(pace: &'p mut Pace<'s>) -> Net<'p, 's> {
        Net { nodes: Vec::new(), links: Vec::new(), pace }
    }

    /// A step of work that adds nothing.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn step(&mut self) -> Result<(), SpecError> {
        self.pace.step()
    }

    /// A host.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn host(&mut self, name: String) -> Result<(), SpecError> {
        self.node(name, NodeKind::Host)
    }

    /// A gateway.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn gateway(&mut self, name: String) -> Result<(), SpecError> {
        self.node(name, NodeKind::Gateway)
    }

    fn node(&mut self, name: String, kind: NodeKind) -> Result<(), SpecError> {
        self.pace.step()?;
        self.nodes.push((Node { name, kind, shared_buffer: None, count: None, first: None }, Part::Whole));
        Ok(())
    }

    /// The next link of a part, called `FROM->TO`.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn link(&mut self, piece: &mut Piece<'_>, from: &str, to: &str) -> Result<(), SpecError> {
        self.named(piece, format!("{from}->{to}"), from, to)
    }

    /// The next link of a part, with a given name.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn named(&mut self, piece: &mut Piece<'_>, name: String, from: &str, to: &str) -> Result<(), SpecError> {
        self.pace.step()?;
        let link = piece.line.link(name, [from, to], piece.laid, &piece.laws, piece.seed);
        piece.laid += 1;
        self.links.push((link, piece.part));
        Ok(())
    }

    /// A host with its link to a gateway.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn attach(&mut self, piece: &mut Piece<'_>, host: String, gateway: &str) -> Result<(), SpecError> {
        self.link(piece, &host, gateway)?;
        self.host(host)
    }

    /// A host with the link from a gateway that leads to it.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn hang(&mut self, piece: &mut Piece<'_>, gateway: &str, host: String) -> Result<(), SpecError> {
        self.link(piece, gateway, &host)?;
        self.host(host)
    }

    /// A number of hosts at each of these gateways: h1, h2, ....
    ///
    /// # Errors
    /// The work was stopped.
    pub fn hosts(
        &mut self,
        piece: &mut Piece<'_>,
        each: u32,
        gateways: impl IntoIterator<Item = String>,
    ) -> Result<(), SpecError> {
        let mut numbers = 1_u32..;
        for gateway in gateways {
            for i in numbers.by_ref().take(each as usize) {
                self.attach(piece, format!("h{i}"), &gateway)?;
            }
        }
        Ok(())
    }

    /// Gateways r1, r2, ... in a row, with links hop1, hop2, ... between them.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn row(&mut self, piece: &mut Piece<'_>, gateways: u32) -> Result<(), SpecError> {
        (1..=gateways).try_for_each(|i| self.gateway(format!("r{i}")))?;
        (1..gateways).try_for_each(|i| self.named(piece, format!("hop{i}"), &format!("r{i}"), &format!("r{}", i + 1)))
    }
}
