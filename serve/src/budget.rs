//! Keeping a reply small: items are taken until the budget is spent, and what was left out is said.
//!
//! A client cuts a reply that is too long without telling the agent what is missing; we cut it where it makes sense
//! and say how to ask for less.

use index::estimate_tokens;
use schemars::JsonSchema;
use serde::Serialize;

/// What is kept back for the frame of a reply: its field names, the note that it was cut, the marks around rows.
const FRAME: usize = 220;

/// Tokens that may still be spent.
#[derive(Debug)]
pub(crate) struct Budget {
    left: usize,
}

/// What was left out of a reply, and how to see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Cut {
    /// How many were left out.
    pub(crate) omitted: usize,
    /// Of what.
    pub(crate) what: &'static str,
    /// How to ask for less.
    pub(crate) narrow: &'static str,
}

impl Cut {
    /// The note, where something was left out.
    pub(crate) fn of(omitted: usize, what: &'static str, narrow: &'static str) -> Option<Self> {
        (omitted > 0).then_some(Self { omitted, what, narrow })
    }
}

impl Budget {
    pub(crate) fn new(tokens: usize) -> Self {
        Self { left: tokens.saturating_sub(FRAME) }
    }

    /// Tokens that may still be spent.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Counts what is in the reply in any case.
    pub(crate) fn spend(&mut self, part: &impl Serialize) {
        self.left = self.left.saturating_sub(cost(part));
    }

    /// The first items that fit, and how many didn't. The order is kept: after one that is too long nothing follows,
    /// so that a list never has a hole in it.
    pub(crate) fn take<T: Serialize>(&mut self, items: Vec<T>) -> (Vec<T>, usize) {
        self.take_share(items, 1.0)
    }

    /// The same with at most this share of what is left, 0 to 1.
    pub(crate) fn take_share<T: Serialize>(&mut self, items: Vec<T>, share: f64) -> (Vec<T>, usize) {
        let allowed = (self.left as f64 * share) as usize;
        let total = items.len();
        let mut spent = 0;
        let mut taken = Vec::new();
        for item in items {
            let cost = cost(&item) + 1;
            if spent + cost > allowed {
                break;
            }
            spent += cost;
            taken.push(item);
        }
        self.left -= spent;
        let omitted = total - taken.len();
        (taken, omitted)
    }

    /// The names of a result's columns, which are counted: where they would take more than half of what is left, each is
    /// cut to its share, so that a column is never without one.
    pub(crate) fn names(&mut self, names: Vec<String>) -> Vec<String> {
        let mut letters = guard::LONGEST_NAME;
        let mut fitting = names.clone();
        while letters > 1 && cost(&fitting) > self.left / 2 {
            letters /= 2;
            fitting = names.iter().map(|name| name.chars().take(letters).collect()).collect();
        }
        self.spend(&fitting);
        fitting
    }

    /// Whether the part fits; if it does, it is counted.
    pub(crate) fn fits(&mut self, part: &impl Serialize) -> bool {
        let cost = cost(part);
        let fits = cost <= self.left;
        if fits {
            self.left -= cost;
        }
        fits
    }
}

/// Estimated tokens of the part as compact JSON.
pub(crate) fn cost(part: &impl Serialize) -> usize {
    serde_json::to_string(part).map_or(usize::MAX / 2, |json| estimate_tokens(&json))
}

#[cfg(test)]
mod tests {
    use super::{Budget, FRAME, cost};

    #[test]
    fn items_are_taken_in_order_until_the_budget_is_spent() {
        let words = |count: usize| vec!["word"; count];
        let each = cost(&"word") + 1;
        let mut budget = Budget::new(FRAME + 3 * each);
        assert_eq!(budget.take(words(5)), (words(3), 2));
        assert_eq!(budget.take(words(1)), (vec![], 1));
        let mut budget = Budget::new(FRAME + 4 * each);
        assert_eq!(budget.take_share(words(5), 0.5), (words(2), 3));
        assert!(budget.fits(&"word") && budget.fits(&"word") && !budget.fits(&"word word word"));
    }

    #[test]
    fn names_of_columns_leave_room_for_rows() {
        let mut budget = Budget::new(FRAME + 1_000);
        let names = budget.names(vec!["n".repeat(500_000), "id".to_owned()]);
        assert!(names[0].len() <= guard::LONGEST_NAME && names[1] == "id", "{}", names[0].len());
        let mut budget = Budget::new(FRAME + 1_000);
        let many = budget.names(vec!["a_long_name_of_a_column".to_owned(); 100]);
        assert_eq!(many.len(), 100);
        assert!(cost(&many) <= 500 && budget.left() >= 500, "{}", cost(&many));
    }

    #[test]
    fn no_item_is_taken_after_one_that_is_too_long() {
        let mut budget = Budget::new(FRAME + 20);
        let long = "x ".repeat(200);
        assert_eq!(budget.take(vec!["a", long.as_str(), "b"]), (vec!["a"], 2));
    }
}
