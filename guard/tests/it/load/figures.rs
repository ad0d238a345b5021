//! Calls by kind, and how long they took.
//!
//! Invariant: what is kept doesn't grow with the number of calls, since the memory of the process is looked at.

use std::collections::BTreeMap;
use std::time::Duration;

/// What kind of statement a caller sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Honest,
    Wrong,
    Hostile,
    Endless,
}

/// What callers got.
#[derive(Default)]
pub(super) struct Figures {
    times: BTreeMap<Kind, Times>,
    /// From the first call to the last answer.
    lasted: Duration,
    /// What came out otherwise than it should.
    pub(super) complaints: Vec<String>,
}

impl Figures {
    pub(super) fn count(&mut self, kind: Kind, took: Duration, complaint: Option<String>) {
        self.times.entry(kind).or_default().count(took);
        self.complaints.extend(complaint);
    }

    pub(super) fn add(&mut self, other: Self) {
        for (kind, times) in other.times {
            self.times.entry(kind).or_default().add(&times);
        }
        self.complaints.extend(other.complaints);
        self.lasted += other.lasted;
    }

    pub(super) fn lasted(&mut self, time: Duration) {
        self.lasted = time;
    }

    pub(super) fn count_of(&self, kind: Kind) -> u64 {
        self.times.get(&kind).map_or(0, Times::all)
    }

    /// The time within which so many of a hundred calls had their answer.
    pub(super) fn percentile(&self, kind: Kind, of_hundred: u64) -> Duration {
        self.times.get(&kind).map_or(Duration::ZERO, |times| times.percentile(of_hundred))
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (kind, times) in &self.times {
            let millis = |of_hundred| times.percentile(of_hundred).as_secs_f64() * 1000.0;
            let (count, longest) = (times.all(), millis(100));
            let rate = count as f64 / self.lasted.as_secs_f64();
            write!(f, "{kind:?} {count} ({rate:.1}/s, p50 {:.1} ms, p99 {:.1} ms, ", millis(50), millis(99))?;
            write!(f, "longest {longest:.0} ms), ")?;
        }
        write!(f, "{} not as expected", self.complaints.len())
    }
}

/// How often something took how long, to the next two hundredths.
struct Times(Vec<u64>);

/// Each step is so much longer than the one before; the first is a microsecond, and the last more than a day.
const STEP: f64 = 1.02;
const STEPS: usize = 1300;

impl Default for Times {
    fn default() -> Self {
        Self(vec![0; STEPS])
    }
}

impl Times {
    fn count(&mut self, took: Duration) {
        let step = (took.as_secs_f64() * 1e6).max(1.0).log(STEP).ceil() as usize;
        self.0[step.min(STEPS - 1)] += 1;
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(count, more)| *count += more);
    }

    fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    fn percentile(&self, of_hundred: u64) -> Duration {
        let wanted = (self.all() * of_hundred).div_ceil(100).max(1);
        let mut so_far = 0;
        let step = self.0.iter().position(|count| {
            so_far += count;
            so_far >= wanted
        });
        step.map_or(Duration::ZERO, |step| Duration::from_secs_f64(STEP.powi(step as i32) / 1e6))
    }
}

#[test]
fn percentiles_are_those_of_the_calls_that_were_counted() {
    let mut figures = Figures::default();
    for millis in 1..=100 {
        figures.count(Kind::Honest, Duration::from_millis(millis), None);
    }
    for (of_hundred, expected) in [(50, 0.050), (99, 0.099), (100, 0.100)] {
        let found = figures.percentile(Kind::Honest, of_hundred).as_secs_f64();
        assert!(found >= expected && found <= expected * STEP, "{of_hundred}: {found}");
    }
    assert_eq!((figures.count_of(Kind::Honest), figures.count_of(Kind::Wrong)), (100, 0));
    assert_eq!(figures.percentile(Kind::Wrong, 50), Duration::ZERO);
}
