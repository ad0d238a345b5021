//! What has been run over a table, in a few words for whoever writes a statement.

use super::{Share, TableUsage, Traffic, UsualFilter, UsualJoin, UsualMeasure};
use crate::model::structure::{Table, TableId};

impl TableUsage {
    /// What whoever writes a statement over the table should know of those that others wrote, the most usual first: conditions,
    /// and what is computed under a name.
    pub fn habits(&self) -> impl Iterator<Item = String> {
        let conditions = self.filters.iter().map(|filter| format!("usually {}", filter.in_words()));
        let named = self.measures.iter().map(|measure| format!("usually {}", measure.in_words()));
        conditions.chain(named)
    }

    /// Joins that no key tells of; `shown` names tables.
    pub fn joins_without_a_key(&self, table: &Table, shown: &dyn Fn(&TableId) -> String) -> Option<String> {
        let joins = self.joins.iter().filter(|join| !join.is_known_of(table));
        let joins: Vec<String> = joins.map(|join| join.in_words(&shown(&join.with))).collect();
        (!joins.is_empty()).then(|| format!("joined without a key: {}", joins.join("; ")))
    }

    /// How much it is read and written: `read in 212 statements of 31 users, 45120 times, last on 2026-11-27; written in 4`.
    pub fn traffic_in_words(&self) -> String {
        let writes = match self.writes.statements {
            0 => "no writing seen".to_owned(),
            _ => format!("written {}", self.writes.in_words()),
        };
        match self.reads.statements {
            0 => format!("no reading seen; {writes}"),
            _ => format!("read {}; {writes}", self.reads.in_words()),
        }
    }

    /// Columns that no statement names, where most are named.
    pub fn unnamed_in_words(&self) -> Option<String> {
        (!self.unnamed.is_empty()).then(|| format!("no statement names {}", self.unnamed.join(", ")))
    }
}

impl Traffic {
    fn in_words(&self) -> String {
        let users = if self.users == 0 { String::new() } else { format!(" of {}", counted(self.users, "user")) };
        let last = self.last.map(|last| format!(", last on {}", last.strftime("%Y-%m-%d"))).unwrap_or_default();
        let times = if self.runs == 1 { "once".to_owned() } else { format!("{} times", self.runs) };
        format!("in {}{users}, {times}{last}", counted(self.statements, "statement"))
    }
}

impl Share {
    /// `94 of 97 statements, 12 of 13 users`.
    pub fn in_words(&self) -> String {
        let users = match self.of_users {
            0 => String::new(),
            of => format!(", {} of {}", self.users, counted(of, "user")),
        };
        format!("{} of {}{users}", self.statements, counted(self.of_statements, "statement"))
    }
}

impl UsualFilter {
    /// `status <> 'cancelled' (94 of 97 statements, 12 of 13 users)`.
    pub fn in_words(&self) -> String {
        let where_it_holds = match &self.by_way_of {
            Some(other) => format!(", with {} joined", other.name),
            None if self.completing => " where rows of other tables are completed by it".to_owned(),
            None => String::new(),
        };
        let instead = match self.instead.as_slice() {
            [] => String::new(),
            columns => format!(", or a condition on {}", columns.join(" or ")),
        };
        format!("{}{instead}{where_it_holds} ({})", self.condition, self.share.in_words())
    }
}

impl UsualJoin {
    /// Whether a key of the table says that it is joined so; what keys of the other table say, these do.
    pub fn is_known_of(&self, table: &Table) -> bool {
        let is_of_a_key = |key: &crate::model::structure::ForeignKey| {
            let mut pairs = key.columns.iter().zip(&key.ref_columns);
            key.ref_table == self.with && pairs.any(|(own, other)| *own == self.column && *other == self.with_column)
        };
        table.primary_key.contains(&self.column) || table.foreign_keys.iter().any(is_of_a_key)
    }

    /// `customer_id = customers.id (40 statements)`; `with` is what the other table is called there.
    pub fn in_words(&self, with: &str) -> String {
        let statements = counted(self.statements, "statement");
        format!("{} = {with}.{} ({statements})", self.column, self.with_column)
    }
}

impl UsualMeasure {
    /// `revenue: sum(total_cents) / 100.0 (18 of 20 statements, 6 of 6 users)`.
    pub fn in_words(&self) -> String {
        format!("{}: {} ({})", self.name, self.expression, self.share.in_words())
    }
}

fn counted(number: u32, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}
