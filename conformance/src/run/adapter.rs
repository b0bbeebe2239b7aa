//! [`Adapter`]: a program that reads files with an implementation, and the protocol to call it.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::limits::Limits;
use super::process::{Ended, Process};
use crate::case::{Case, Layer, Verdict};
use crate::fact::Fact;

/// A program that reads files with an implementation.
#[derive(Clone, Debug)]
pub struct Adapter {
    /// The name of the implementation.
    pub name: String,
    command: Vec<String>,
    is_server: bool,
    skipped: Vec<String>,
}

/// The answer of an adapter to a case.
#[derive(Debug)]
pub(super) enum Answer {
    Accepted(Fact),
    Encoded(Vec<u8>),
    Rejected(String),
    Crashed(String),
    Hung,
    Unsupported,
}

/// The exit code of an adapter that does not support a layer.
const UNSUPPORTED: i32 = 2;

impl Adapter {
    /// Parses `[NAME=]COMMAND ARGUMENTS`. Without `NAME=`, the name is that of the command's file, without its ending. If the last
    /// argument is `--serve`, a process answers many requests.
    pub fn parse(text: &str) -> Adapter {
        let (name, command) = match text.split_once('=') {
            Some((name, command)) if !name.contains(['/', ' ']) => (name.to_owned(), command),
            _ => (String::new(), text),
        };
        let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let file = command.first().and_then(|file| Path::new(file).file_stem()).map(|stem| stem.to_string_lossy().into_owned());
        let name = if name.is_empty() { file.unwrap_or_default() } else { name };
        let is_server = command.last().is_some_and(|last| last == "--serve");
        Adapter { name, command, is_server, skipped: Vec::new() }
    }

    /// Skips cases. The list has a line `layer/name` for each, and lines that start with `#` are comments.
    pub fn skip(&mut self, list: &str) {
        let lines = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        self.skipped.extend(lines.map(str::to_owned));
    }

    pub(super) fn skips(&self, id: &str) -> bool {
        self.skipped.iter().any(|skipped| skipped == id)
    }

    pub(super) fn file_name(&self) -> String {
        self.name.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect()
    }
}

/// A sequence of requests to an adapter.
pub(super) struct Session<'a> {
    adapter: &'a Adapter,
    limits: Limits,
    server: Option<Process>,
}

impl<'a> Session<'a> {
    pub(super) fn new(adapter: &'a Adapter, limits: Limits) -> Session<'a> {
        Session { adapter, limits, server: None }
    }

    pub(super) fn ask(&mut self, layer: Layer, path: &Path) -> io::Result<Answer> {
        if self.adapter.is_server {
            return self.ask_server(layer, path);
        }
        let process = self.start(&[layer.name(), &path.to_string_lossy()])?;
        Ok(match process.finish(self.limits.time)? {
            Ended::Late => Answer::Hung,
            Ended::Signal(signal, said) => Answer::Crashed(format!("signal {signal}: {}", last_line(&said))),
            Ended::Exit(0, out, _) => accepted(&out),
            Ended::Exit(1, _, said) => Answer::Rejected(last_line(&said)),
            Ended::Exit(UNSUPPORTED, ..) => Answer::Unsupported,
            Ended::Exit(code, _, said) => Answer::Crashed(format!("exit code {code}: {}", last_line(&said))),
        })
    }

    /// Asks the adapter to encode the facts. If it does not support that, returns the first answer.
    pub(super) fn encode(&mut self, case: &Case, first: Answer) -> io::Result<Answer> {
        let Verdict::Accept(facts) = &case.verdict else { return Ok(first) };
        let mut process = self.start(&["--encode", case.layer.name()])?;
        process.write(format!("{facts}\n").as_bytes());
        Ok(match process.finish(self.limits.time)? {
            Ended::Late => Answer::Hung,
            Ended::Signal(signal, said) => Answer::Crashed(format!("signal {signal}: {}", last_line(&said))),
            Ended::Exit(0, out, _) => Answer::Encoded(out),
            Ended::Exit(1, _, said) => Answer::Rejected(format!("cannot encode the facts: {}", last_line(&said))),
            Ended::Exit(UNSUPPORTED, ..) => first,
            Ended::Exit(code, _, said) => Answer::Crashed(format!("exit code {code}: {}", last_line(&said))),
        })
    }

    fn ask_server(&mut self, layer: Layer, path: &Path) -> io::Result<Answer> {
        let (mut server, time) = match self.server.take() {
            Some(server) => (server, self.limits.time),
            // A server may take long to start.
            None => (Process::start(&self.adapter.command, self.limits.memory)?, self.limits.time * 10),
        };
        server.write(format!("{layer}\t{}\n", path.display()).as_bytes());
        let Some(line) = server.line(time)? else {
            return Ok(match server.finish(std::time::Duration::ZERO)? {
                Ended::Late => Answer::Hung,
                Ended::Signal(signal, said) => Answer::Crashed(format!("signal {signal}: {}", last_line(&said))),
                Ended::Exit(code, _, said) => Answer::Crashed(format!("no answer, exit code {code}: {}", last_line(&said))),
            });
        };
        self.server = Some(server);
        Ok(match line.split_once(' ').unwrap_or((&line, "")) {
            ("ok", json) => accepted(json.as_bytes()),
            ("no", why) => Answer::Rejected(why.to_owned()),
            ("skip", _) => Answer::Unsupported,
            _ => Answer::Crashed(format!("expected `ok JSON`, `no REASON` or `skip`, found {line:?}")),
        })
    }

    fn start(&self, arguments: &[&str]) -> io::Result<Process> {
        let own = self.adapter.command.iter().filter(|argument| *argument != "--serve").cloned();
        let command: Vec<String> = own.chain(arguments.iter().map(|&argument| argument.to_owned())).collect();
        Process::start(&command, self.limits.memory)
    }
}

fn accepted(out: &[u8]) -> Answer {
    let json: Result<Value, _> = serde_json::from_slice(out);
    match json.map_err(|error| error.to_string()).and_then(|json| Fact::from_json(&json)) {
        Ok(fact) => Answer::Accepted(fact),
        Err(error) => Answer::Crashed(format!("the answer is not tagged JSON: {error}")),
    }
}

fn last_line(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let telling = said.lines().find(|line| line.contains("ERROR: AddressSanitizer") || line.contains("runtime error"));
    telling.or_else(|| said.lines().rev().find(|line| !line.trim().is_empty())).unwrap_or("no message").trim().to_owned()
}
