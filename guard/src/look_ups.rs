//! How many values of masked columns a caller has looked up in the last hour.
//!
//! A look-up tells whose a value is to who has it. Who has none and tries many would find some, so that there is a number
//! for each caller and hour. It is counted in the process that serves, and begins anew with it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const HOUR: Duration = Duration::from_secs(3_600);

/// The look-ups of all callers.
#[derive(Debug, Default)]
pub(crate) struct LookUps {
    by_caller: Mutex<HashMap<String, VecDeque<(Instant, usize)>>>,
}

impl LookUps {
    /// Counts so many look-ups of a caller, if there is room for them; else says how many there is room for.
    pub(crate) fn take(&self, caller: &str, count: usize, most: usize) -> Result<(), usize> {
        self.take_at(Instant::now(), caller, count, most)
    }

    fn take_at(&self, now: Instant, caller: &str, count: usize, most: usize) -> Result<(), usize> {
        let mut by_caller = self.by_caller.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever has done nothing for an hour is forgotten.
        for taken in by_caller.values_mut() {
            while taken.front().is_some_and(|(at, _)| now.saturating_duration_since(*at) >= HOUR) {
                taken.pop_front();
            }
        }
        by_caller.retain(|_, taken| !taken.is_empty());
        let taken: usize = by_caller.get(caller).into_iter().flatten().map(|(_, count)| count).sum();
        let left = most.saturating_sub(taken);
        if count > left {
            return Err(left);
        }
        by_caller.entry(caller.to_owned()).or_default().push_back((now, count));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_a_number_of_look_ups_an_hour() {
        let look_ups = LookUps::default();
        let begun = Instant::now();
        assert_eq!(look_ups.take_at(begun, "ann", 3, 5), Ok(()));
        assert_eq!(look_ups.take_at(begun, "ann", 3, 5), Err(2));
        assert_eq!(look_ups.take_at(begun, "ben", 3, 5), Ok(()));
        assert_eq!(look_ups.take_at(begun + HOUR / 2, "ann", 2, 5), Ok(()));
        assert_eq!(look_ups.take_at(begun + HOUR / 2, "ann", 1, 5), Err(0));
        assert_eq!(look_ups.take_at(begun + HOUR, "ann", 3, 5), Ok(()));
        assert_eq!(look_ups.take_at(begun + HOUR, "ann", 6, 5), Err(0));
    }
}
