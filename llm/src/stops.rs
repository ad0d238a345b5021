//! Stop strings in text that comes in pieces: shows what is safe to show, holds back what may become a stop string.
//!
//! Invariant: what [`StopGate::push`] and [`StopGate::finish`] release joins up to the text before the first stop
//! string, however the text was cut into pieces.

/// A gate that text passes on its way to the reader.
#[derive(Debug)]
pub(crate) struct StopGate<'a> {
    stops: &'a [String],
    held: String,
    closed: bool,
}

impl<'a> StopGate<'a> {
    /// Empty stop strings are ignored.
    pub(crate) fn new(stops: &'a [String]) -> Self {
        Self { stops, held: String::new(), closed: false }
    }

    /// Takes a piece and gives what may be shown now.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        if self.closed {
            return String::new();
        }
        self.held.push_str(piece);
        let found = self.stops.iter().filter(|stop| !stop.is_empty()).filter_map(|stop| self.held.find(stop)).min();
        if let Some(start) = found {
            self.closed = true;
            self.held.truncate(start);
            return std::mem::take(&mut self.held);
        }
        let kept = self.stops.iter().map(|stop| beginning_at_end(&self.held, stop)).max().unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - kept);
        std::mem::replace(&mut self.held, rest)
    }

    /// True after a stop string.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// What was held back, when no more text comes.
    pub(crate) fn finish(self) -> String {
        if self.closed { String::new() } else { self.held }
    }
}

/// The bytes of the longest proper beginning of `stop` that `text` ends in.
fn beginning_at_end(text: &str, stop: &str) -> usize {
    (1..stop.len().min(text.len() + 1))
        .rev()
        .filter(|&length| stop.is_char_boundary(length))
        .find(|&length| text.ends_with(&stop[..length]))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts `text` at every possible place, in two and into single characters, and expects the same every time.
    fn check(stops: &[&str], text: &str, expect: &str) {
        let stops: Vec<String> = stops.iter().map(|&stop| stop.to_owned()).collect();
        let run = |pieces: &[&str]| {
            let mut gate = StopGate::new(&stops);
            let mut shown: String = pieces.iter().map(|piece| gate.push(piece)).collect();
            shown.push_str(&gate.finish());
            shown
        };
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            assert_eq!(run(&[&text[..cut], &text[cut..]]), expect, "cut at {cut}");
        }
        let characters: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(run(&characters.iter().map(String::as_str).collect::<Vec<_>>()), expect);
    }

    #[test]
    fn text_ends_before_the_first_stop_string_however_it_is_cut() {
        check(&["```"], "SELECT 1\n```\nmore", "SELECT 1\n");
        check(&[";", "\n\n"], "a\n\nb; c", "a");
        check(&["abab"], "aabaababx", "aaba");
        check(&["é!"], "caféé! ", "café");
    }

    #[test]
    fn text_without_a_stop_string_passes_whole() {
        check(&["```", ""], "a ` b `` c", "a ` b `` c");
        check(&[], "anything", "anything");
    }

    #[test]
    fn only_what_may_become_a_stop_string_is_held_back() {
        let stops = vec!["\n\n".to_owned()];
        let mut gate = StopGate::new(&stops);
        assert_eq!(gate.push("one\n"), "one");
        assert_eq!(gate.push("two"), "\ntwo");
    }
}
