//! Which tables a question calls by their names, and which member of a family it asks for.

use std::collections::{HashMap, HashSet};

use catalog::{Catalog, TableId};
use index::{Index, UnitNumber};

use crate::numbering::ListBy;
use crate::numbers::{Numbered, YEARS, numbers_of};

/// What a question says of tables by their names.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    /// The members that stand for their units in this answer, where these aren't the newest: positions in their families.
    members: HashMap<UnitNumber, usize>,
    /// Units that are called by a name.
    named: HashSet<UnitNumber>,
    /// Families of years that lack the year asked about.
    lacking: HashMap<UnitNumber, u32>,
}

impl Mentions {
    /// What the question says of an index's units; `numbers` are those in the units' names.
    pub(crate) fn new(question: &str, index: &Index, numbers: &ListBy<UnitNumber, Numbered>) -> Self {
        let mut mentions = Self::default();
        let (mentioned, identifiers) = (numbers_of(question), identifiers(question));
        let year = mentioned.iter().copied().find(|number| YEARS.contains(number));
        for (number, unit) in index.numbered_units() {
            let numbers = &numbers[number];
            let is_named = |id: &TableId| identifiers.iter().any(|name| id.name.eq_ignore_ascii_case(name));
            let named = if identifiers.is_empty() { None } else { unit.members.iter().position(is_named) };
            let member = named.or_else(|| numbers.asked_for(&mentioned));
            if named.is_some() {
                mentions.named.insert(number);
            }
            if let Some(member) = member.filter(|&member| member + 1 < unit.members.len()) {
                mentions.members.insert(number, member);
            }
            if let Some(year) = year.filter(|_| member.is_none() && numbers.are_years()) {
                mentions.lacking.insert(number, year);
            }
        }
        mentions
    }

    /// The table that the unit is shown as.
    pub(crate) fn id<'i>(&self, unit: UnitNumber, index: &'i Index) -> &'i TableId {
        let whole = index.unit(unit);
        self.members.get(&unit).map_or(&whole.table, |&member| &whole.members[member])
    }

    /// Units that the question calls by a name.
    pub(crate) fn named(&self) -> &HashSet<UnitNumber> {
        &self.named
    }

    /// The year asked about, where the unit is a family of years without it.
    pub(crate) fn lacks(&self, unit: UnitNumber) -> Option<u32> {
        self.lacking.get(&unit).copied()
    }

    /// Whether what was found in the member that stands for the unit is known to be in the one that is shown.
    pub(crate) fn is_in_shown(
        &self,
        unit: UnitNumber,
        index: &Index,
        catalog: &Catalog,
        column: &str,
        value: &str,
    ) -> bool {
        if !self.members.contains_key(&unit) {
            return true;
        }
        let Some(profile) = catalog.entry(self.id(unit, index)).and_then(|entry| entry.profile()) else {
            return false;
        };
        profile.column(column).is_some_and(|column| {
            let frequent = column.most_common.iter().map(|frequent| &frequent.value);
            column.values.as_slice().iter().chain(frequent).any(|known| known == value)
        })
    }
}

/// What in a text can only be the name of something: written with `_` or a digit among its letters, or in backticks.
fn identifiers(text: &str) -> Vec<&str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let plain = text.split(|character| !is_part(character)).filter(|word| {
        let has_letter = word.chars().any(char::is_alphabetic);
        has_letter && word.chars().any(|character| character == '_' || character.is_ascii_digit())
    });
    let quoted = text.split('`').skip(1).step_by(2).filter_map(|name| name.rsplit('.').next());
    plain.chain(quoted).collect()
}

#[cfg(test)]
mod tests {
    use super::identifiers;

    #[test]
    fn names_are_told_from_words() {
        for (text, expected) in [
            ("rows of products_23 in 2020", &["products_23"][..]),
            ("join `orders` with shop.order_items.", &["order_items", "orders"]),
            ("how many orders in 2020?", &[]),
            ("the `shop.orders` table", &["orders"]),
            ("", &[]),
        ] {
            assert_eq!(identifiers(text), expected, "{text}");
        }
    }
}
