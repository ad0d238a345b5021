//! PostgreSQL's csvlog, and what its messages say.
//!
//! Columns: <https://www.postgresql.org/docs/current/runtime-config-logging.html#RUNTIME-CONFIG-LOGGING-CSVLOG>.

use std::io::{self, BufRead, Read};

use csv::{ByteRecord, ReaderBuilder, StringRecord};

use super::lines::time;
use super::{LONGEST_ENTRY, Wanted, Whole};
use crate::statement::Logged;

/// The places of columns in a line of csvlog.
const TIME: usize = 0;
const USER: usize = 1;
const DATABASE: usize = 2;
const SEVERITY: usize = 11;
const MESSAGE: usize = 13;
const DETAIL: usize = 14;
const PROGRAM: usize = 22;

/// A message of the server.
pub(super) struct Message<'m> {
    pub(super) severity: &'m str,
    pub(super) message: &'m str,
    pub(super) detail: Option<&'m str>,
    pub(super) program: Option<&'m str>,
    pub(super) user: Option<&'m str>,
}

impl Message<'_> {
    /// The statement that a message is about, where it says that one is run.
    pub(super) fn logged(&self, wanted: Wanted<'_>) -> Option<Logged> {
        let is_ours = match self.program {
            Some(program) if !program.is_empty() => program == "periplus",
            _ => wanted.is_own_role(self.user),
        };
        if self.severity != "LOG" || is_ours {
            return None;
        }
        // `duration: 0.1 ms  statement: …` where only slow ones are logged.
        let message = match self.message.strip_prefix("duration: ") {
            Some(rest) => rest.split_once(" ms  ").map(|(_, message)| message)?,
            None => self.message,
        };
        let sql = match message.strip_prefix("statement: ") {
            Some(sql) => sql,
            None => message.strip_prefix("execute ")?.split_once(": ")?.1,
        };
        let logged = Logged { user: self.user.map(str::to_owned), ..Logged::once(sql) };
        let parameters = self.detail.and_then(|detail| detail.trim_start().strip_prefix("parameters: "));
        let parameters = parameters.or_else(|| self.detail.and_then(|it| it.trim_start().strip_prefix("Parameters: ")));
        Some(match parameters {
            Some(parameters) => logged.with_parameters(&values(parameters)),
            None => logged,
        })
    }
}

/// `$1 = '5', $2 = NULL, $3 = 'it''s'`.
fn values(parameters: &str) -> Vec<Option<String>> {
    let mut values = Vec::new();
    let mut rest = parameters;
    while let Some((_, behind)) = rest.split_once(" = ") {
        if let Some(mut quoted) = behind.strip_prefix('\'') {
            let mut value = String::new();
            while let Some((part, behind)) = quoted.split_once('\'') {
                value.push_str(part);
                match behind.strip_prefix('\'') {
                    Some(behind) => {
                        value.push('\'');
                        quoted = behind;
                    }
                    None => {
                        quoted = behind;
                        break;
                    }
                }
            }
            values.push(Some(value));
            rest = quoted;
        } else {
            values.push(None);
            rest = behind;
        }
    }
    values
}

pub(super) fn csv<R: BufRead>(part: &mut Whole<R>, wanted: Wanted<'_>, take: &mut dyn FnMut(Logged)) -> io::Result<()> {
    let source = Counted { part, ends_a_line: false };
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source);
    let mut record = ByteRecord::new();
    let (mut last, mut whole) = (None, 0);
    while reader.read_byte_record(&mut record).map_err(io::Error::other)? {
        let read = (std::mem::take(&mut record), reader.position().byte());
        // What another one follows is whole.
        if let Some((before, end)) = last.replace(read) {
            take_record(before, wanted, take);
            whole = end;
        }
    }
    let source = reader.into_inner();
    // The last one is whole if its line has an end that isn't one inside a text: else more of it may follow.
    if let Some((last, end)) = last.filter(|(last, _)| source.ends_a_line && last.len() > PROGRAM) {
        take_record(last, wanted, take);
        whole = end;
    }
    source.part.read = whole;
    Ok(())
}

fn take_record(record: ByteRecord, wanted: Wanted<'_>, take: &mut dyn FnMut(Logged)) {
    let record = StringRecord::from_byte_record_lossy(record);
    let at = |place: usize| record.get(place).filter(|text| !text.is_empty());
    let (Some(severity), Some(message)) = (at(SEVERITY), at(MESSAGE)) else { return };
    if message.len() > LONGEST_ENTRY || !wanted.is_of_database(at(DATABASE)) {
        return;
    }
    let message = Message { severity, message, detail: at(DETAIL), program: at(PROGRAM), user: at(USER) };
    if let Some(logged) = message.logged(wanted) {
        take(Logged { at: at(TIME).and_then(time), ..logged });
    }
}

/// Remembers whether what was read so far ends a line.
struct Counted<'p, R> {
    part: &'p mut Whole<R>,
    ends_a_line: bool,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.part.inner.read(buffer)?;
        if let Some(last) = buffer[..size].last() {
            self.ends_a_line = *last == b'\n';
        }
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, values};
    use crate::logs::Wanted;

    #[test]
    fn parameters_are_read_with_their_quotes() {
        let read = values("$1 = 'O''Brien, Pat', $2 = NULL, $3 = ''");
        assert_eq!(read, [Some("O'Brien, Pat".to_owned()), None, Some(String::new())]);
    }

    #[test]
    fn a_message_tells_the_statement_that_is_run() {
        let wanted = Wanted { database: None, own_role: Some("reader"), logs: None };
        let logged = |message: &str, program, user| {
            let message = Message { severity: "LOG", message, detail: None, program, user };
            message.logged(wanted).map(|logged| logged.sql)
        };
        let one = Some("SELECT 1".to_owned());
        assert_eq!(logged("statement: SELECT 1", None, Some("ann")), one);
        assert_eq!(logged("execute <unnamed>: SELECT 1", None, None), one);
        assert_eq!(logged("duration: 0.131 ms  statement: SELECT 1", None, None), one);
        assert_eq!(logged("duration: 0.131 ms", None, None), None);
        assert_eq!(logged("duration: 0.131 ms  parse <unnamed>: SELECT 1", None, None), None);
        assert_eq!(logged("connection received: host=[local]", None, None), None);
        assert_eq!(logged("statement: SELECT 1", Some("periplus"), Some("ann")), None);
        // With a name of a program it counts that it is another one; without, whose role it is.
        assert_eq!(logged("statement: SELECT 1", Some("psql"), Some("reader")), one);
        assert_eq!(logged("statement: SELECT 1", None, Some("reader")), None);
    }
}
