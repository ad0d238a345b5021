//! Server-sent events out of a body that arrives in arbitrary pieces.
//!
//! Written by hand after the WHATWG specification ("Server-sent events", parsing an event stream): a crate for it
//! would be larger than what we need. Lines are cut as bytes and decoded whole, so a character that is split between
//! two pieces stays whole.
//! Invariant: the events don't depend on where the pieces are cut.

use reqwest::Response;

use super::{Endpoint, Failure, MOST_BYTES};

/// The longest line and the longest event: no provider comes near; a runaway server must not fill our memory.
const LONGEST: usize = 8 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// Empty where the server gives none.
    pub(crate) name: String,
    /// Lines joined by line feeds.
    pub(crate) data: String,
}

/// Cuts pieces into events.
#[derive(Debug, Default)]
struct Parser {
    line: Vec<u8>,
    name: String,
    data: Option<String>,
    after_return: bool,
    begun: bool,
    ready: std::collections::VecDeque<Event>,
}

impl Parser {
    fn push(&mut self, piece: &[u8]) -> Result<(), &'static str> {
        for &byte in piece {
            // A line ends in CR, LF or both.
            let second_half = byte == b'\n' && std::mem::take(&mut self.after_return);
            match byte {
                _ if second_half => {}
                b'\n' => self.end_line(),
                b'\r' => {
                    self.after_return = true;
                    self.end_line();
                }
                _ => {
                    self.after_return = false;
                    self.line.push(byte);
                }
            }
            if self.line.len() + self.data.as_ref().map_or(0, String::len) > LONGEST {
                return Err("an event is longer than 8 MiB");
            }
        }
        Ok(())
    }

    fn end_line(&mut self) {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line = text.as_ref();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            if let Some(data) = self.data.take() {
                self.ready.push_back(Event { name, data });
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "event" => self.name = value.to_owned(),
            // `id` and `retry` are for browsers; an empty field is a comment.
            _ => {}
        }
    }

    /// The last event, of a server that doesn't close it with an empty line.
    fn finish(&mut self) {
        self.end_line();
        self.end_line();
    }
}

/// Reads the events of a response.
pub(crate) struct EventReader<'a> {
    endpoint: &'a Endpoint,
    response: Response,
    parser: Parser,
    /// Bytes that have come.
    bytes: usize,
    ended: bool,
}

impl<'a> EventReader<'a> {
    pub(crate) fn new(endpoint: &'a Endpoint, response: Response) -> Self {
        Self { endpoint, response, parser: Parser::default(), bytes: 0, ended: false }
    }

    /// The next event; `None` when the server has closed the stream.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, Failure> {
        loop {
            if let Some(event) = self.parser.ready.pop_front() {
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            match self.response.chunk().await.map_err(|error| self.endpoint.transport(&error))? {
                Some(piece) => {
                    self.bytes += piece.len();
                    if self.bytes > MOST_BYTES {
                        return Err(self.endpoint.bad_reply(format!("it is longer than {MOST_BYTES} bytes")));
                    }
                    self.parser.push(&piece).map_err(|reason| self.endpoint.bad_reply(reason.into()))?;
                }
                None => {
                    self.ended = true;
                    self.parser.finish();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Cuts `body` at every place, in two and into single bytes.
    fn check(body: &[u8], expect: &[(&str, &str)]) {
        let run = |pieces: &[&[u8]]| {
            let mut parser = Parser::default();
            for piece in pieces {
                parser.push(piece).unwrap();
            }
            parser.finish();
            parser.ready.into_iter().map(|event| (event.name, event.data)).collect::<Vec<_>>()
        };
        let expect: Vec<_> = expect.iter().map(|&(name, data)| (name.to_owned(), data.to_owned())).collect();
        for cut in 0..=body.len() {
            assert_eq!(run(&[&body[..cut], &body[cut..]]), expect, "cut at {cut}");
        }
        assert_eq!(run(&body.chunks(1).collect::<Vec<_>>()), expect);
    }

    #[test]
    fn events_are_the_same_however_the_body_is_cut() {
        check("data: {\"a\":\"é🙂\"}\n\ndata: two\n\n".as_bytes(), &[("", "{\"a\":\"é🙂\"}"), ("", "two")]);
    }

    #[test]
    fn all_line_ends_are_understood() {
        check(b"event: x\r\ndata: 1\r\n\r\nevent: y\rdata: 2\r\rdata: 3\n\n", &[("x", "1"), ("y", "2"), ("", "3")]);
    }

    #[test]
    fn comments_empty_events_and_unknown_fields_are_skipped() {
        check(b"\xef\xbb\xbf: ping\n\nid: 4\nretry: 10\n\nevent: none\n\ndata:x\ndata: y\n\n", &[("", "x\ny")]);
    }

    #[test]
    fn a_last_event_without_an_empty_line_counts() {
        check(b"data: [DONE]", &[("", "[DONE]")]);
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let mut parser = Parser::default();
        let piece = vec![b'x'; 1024 * 1024];
        let refused = (0..20).map(|_| parser.push(&piece)).find(Result::is_err);
        assert!(refused.is_some());
    }
}
