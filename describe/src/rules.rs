//! Descriptions by deterministic rules: no model, no network, the same text for the same catalog every time.
//!
//! They hold what retrieval and a model need most: the words behind abbreviated names, what one row is, what each
//! column is for, which values it holds and how tables join. A comment in the database is taken over as it stands,
//! since somebody meant it; one that is worded like instructions to an agent is quoted among the notes instead, so that no
//! description begins with it.

mod column;
mod dates;
mod granularity;
mod money;
mod queries;
mod role;
mod view;

use catalog::{Catalog, Entry, Exactness, Granularity, KeyOrigin, TableDescription, TableKind};
use jiff::Timestamp;

pub(crate) use column::{Domain, domain, first_values, one_line, shortened};
use dates::{event_time, period};
pub(crate) use role::{ColumnFacts, Role, columns_of};

use crate::basis::{basis, referencing};
use crate::vocabulary::{capitalised, plural, said, singular, spoken, with_article};

/// What the rules say about a table. `now` is recorded as the time of writing and has no other influence.
pub fn by_rules(entry: &Entry, catalog: &Catalog, now: Timestamp) -> TableDescription {
    let columns = columns_of(entry);
    let noun = row_noun(entry);
    let parents = referencing(catalog, &entry.table.id);
    let kind = granularity::granularity(entry, &columns, &spoken(&entry.table.id.name), parents.len());
    let reads = view::reads(entry, catalog);
    let subject = Subject { entry, columns: &columns, noun: &noun, kind: &kind, referenced_by: &parents, reads };
    TableDescription {
        table: entry.table.id.clone(),
        summary: subject.summary(),
        purpose: subject.purpose(),
        row_meaning: subject.row_meaning(),
        also_called: Vec::new(),
        when_to_use: subject.when_to_use(),
        questions: subject.questions(),
        business_context: subject.business_context(),
        columns: columns.iter().map(|facts| column::describe_column(facts, &noun)).collect(),
        queries: queries::patterns(entry, &columns, catalog),
        notes: subject.notes(),
        granularity: kind,
        author: catalog::Author::Rules,
        written_at: now,
        basis: basis(entry, catalog),
        unseen: entry.closed_columns().map(str::to_owned).collect(),
        failure: None,
    }
}

/// The singular noun for one row: `order`, `customer master`; the name in backquotes where it isn't English; `row` where
/// it has no letters.
pub(crate) fn row_noun(entry: &Entry) -> String {
    let name = entry.table.id.name.as_str();
    let bare = ["v_", "vw_", "view_"].iter().find_map(|prefix| name.strip_prefix(prefix));
    let noun = singular(&said(bare.filter(|bare| is_view(entry) && !bare.is_empty()).unwrap_or(name)));
    if noun.is_empty() { "row".to_owned() } else { noun }
}

fn is_view(entry: &Entry) -> bool {
    matches!(entry.table.kind, TableKind::View | TableKind::MaterializedView)
}

/// A table with everything the sentences about it need.
struct Subject<'a> {
    entry: &'a Entry,
    columns: &'a [ColumnFacts<'a>],
    noun: &'a str,
    kind: &'a Granularity,
    referenced_by: &'a [&'a Entry],
    /// What a view reads.
    reads: Vec<String>,
}

impl Subject<'_> {
    fn summary(&self) -> String {
        let comment = column::taken_over(self.entry.table.comment.as_deref());
        let many = capitalised(&plural(self.noun));
        let mut text = match comment {
            Some(comment) => format!("{many}: {}.", comment.trim_end_matches('.')),
            None if !self.reads.is_empty() => format!("View that reads {}.", listed(&self.reads, "and")),
            None => match self.kind {
                Granularity::Bridge => format!("{many}: links {}.", listed(&self.targets(), "and")),
                Granularity::Lookup => format!("{many}: a short list of codes that other tables refer to."),
                Granularity::Fact | Granularity::Dimension | Granularity::Other => {
                    format!("One row for each {}{}{}.", self.noun, self.key(), self.of_parents())
                }
            },
        };
        let telling: Vec<String> = self
            .columns
            .iter()
            .filter(|facts| !matches!(facts.role, Role::Identifier | Role::ForeignKey | Role::Binary))
            .filter(|facts| !facts.said.is_empty())
            .map(|facts| facts.said.clone())
            .take(8)
            .collect();
        if !telling.is_empty() {
            text.push_str(&format!(" Holds {}.", listed(&telling, "and")));
        }
        text
    }

    fn purpose(&self) -> String {
        let mut sentences = Vec::new();
        match self.kind {
            Granularity::Bridge => {
                sentences.push(format!("Says which {} belong together.", listed(&self.targets(), "and")));
            }
            Granularity::Lookup => {
                sentences.push(format!("Gives the {} that other tables refer to by code.", plural(self.noun)));
            }
            Granularity::Fact | Granularity::Dimension | Granularity::Other => sentences.extend(self.extent()),
        }
        if !self.referenced_by.is_empty() && *self.kind != Granularity::Bridge {
            let names: Vec<String> = self.referenced_by.iter().take(6).map(|other| other.table.id.local()).collect();
            let rest = self.referenced_by.len().saturating_sub(names.len());
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            let names = if rest > 0 { names.join(", ") } else { listed(&names, "and") };
            sentences.push(format!("Referred to by {names}{more}."));
        }
        sentences.join(" ")
    }

    /// How many rows there are and which days they cover: `About 24000 rows, ordered at from 2021-01-02 to 2026-06-30.`
    fn extent(&self) -> Option<String> {
        let rows = self.entry.table.row_count.map(|count| match count.exactness {
            Exactness::Exact => format!("{} rows", count.value),
            Exactness::Estimate => format!("about {} rows", count.value),
        });
        let covered = event_time(self.columns).and_then(|time| {
            let (first, last) = period(time)?;
            Some(format!("{} from {first} to {last}", time.said))
        });
        let parts: Vec<String> = rows.into_iter().chain(covered).collect();
        (!parts.is_empty()).then(|| format!("{}.", capitalised(&parts.join(", "))))
    }

    /// What identifies a row, where that is one column.
    fn key(&self) -> String {
        match self.entry.table.primary_key.as_slice() {
            [key] if !one_line(key).is_empty() => format!(", identified by {}", one_line(key)),
            _ => String::new(),
        }
    }

    fn row_meaning(&self) -> String {
        match self.kind {
            Granularity::Bridge => {
                let ones: Vec<String> = self.targets().iter().map(|name| with_article(&singular(name))).collect();
                format!("one link between {}", listed(&ones, "and"))
            }
            _ => match self.grain_columns() {
                Some(grain) => format!("one {} for each {grain}", self.noun),
                None => format!("one {}", self.noun),
            },
        }
    }

    /// The parts of a composite key in words, since together they are what one row is.
    fn grain_columns(&self) -> Option<String> {
        let keys: Vec<String> = self
            .columns
            .iter()
            .filter(|facts| facts.in_primary_key)
            .map(|facts| facts.said.strip_suffix(" id").unwrap_or(&facts.said).to_owned())
            .filter(|name| !name.is_empty())
            .collect();
        (keys.len() > 1).then(|| listed(&keys, "and"))
    }

    fn when_to_use(&self) -> Vec<String> {
        let many = plural(self.noun);
        let mut uses = Vec::new();
        let of = |role: Role| self.columns.iter().filter(move |facts| facts.role == role && facts.masked().is_none());
        if let Some(measure) = queries::main_measure(self.columns) {
            uses.push(format!("You need the {} of {many}.", measure.said));
        }
        let groups: Vec<String> =
            of(Role::Category).chain(of(Role::Flag)).map(|facts| facts.said.clone()).take(3).collect();
        if !groups.is_empty() {
            uses.push(format!("You filter or group {many} by {}.", listed(&groups, "or")));
        }
        if *self.kind == Granularity::Bridge {
            uses.push(format!("You join {}.", listed(&self.targets(), "with")));
        }
        uses
    }

    fn questions(&self) -> Vec<String> {
        let many = plural(self.noun);
        let first = |role: Role| self.columns.iter().find(|facts| facts.role == role && facts.masked().is_none());
        let mut questions = Vec::new();
        match first(Role::Category) {
            Some(group) => questions.push(format!("How many {many} are there for each {}?", group.said)),
            None => questions.push(format!("How many {many} are there?")),
        }
        if let Some(measure) = queries::main_measure(self.columns) {
            let figure = queries::figure(if queries::is_additive(measure) { "total" } else { "average" }, measure);
            match event_time(self.columns) {
                Some(_) => questions.push(format!("What is the {figure} of {many} for each month?")),
                None => questions.push(format!("What is the {figure} of the {many}?")),
            }
        }
        if let Some(target) = self.targets().first() {
            let one = singular(target);
            questions.push(format!("Which {many} belong to a given {one}, and which {one} has the most?"));
        }
        if let Some(name) = first(Role::Name) {
            questions.push(format!("Which {} has a given {}?", self.noun, name.said));
        }
        questions
    }

    fn business_context(&self) -> String {
        let mut sentences = Vec::new();
        let personal: Vec<String> =
            self.columns.iter().filter(|facts| facts.personal).map(|facts| facts.said.clone()).take(8).collect();
        if !personal.is_empty() {
            sentences.push(format!("Holds personal or sensitive data: {}.", listed(&personal, "and")));
        }
        if self.entry.is_stale() {
            sentences.push("Not updated for over a year: check whether another table replaced it.".to_owned());
        }
        sentences.join(" ")
    }

    fn notes(&self) -> String {
        let mut sentences = Vec::new();
        let empty: Vec<String> = self
            .columns
            .iter()
            .filter(|facts| {
                facts.profile.and_then(|profile| profile.null_fraction).is_some_and(|share| share >= 0.9995)
            })
            .map(|facts| facts.column.name.clone())
            .take(10)
            .collect();
        if !empty.is_empty() {
            sentences.push(format!("Always empty: {}.", listed(&empty, "and")));
        }
        sentences.extend(column::quoted("The table", self.entry.table.comment.as_deref()));
        for facts in self.columns {
            sentences.extend(column::quoted(&facts.column.name, facts.column.comment.as_deref()));
            if let Some(variants) = case_variants(facts) {
                sentences.push(format!("The values of {} differ in case only: {variants}.", facts.column.name));
            }
        }
        let inferred =
            self.entry.table.foreign_keys.iter().filter(|key| matches!(key.origin, KeyOrigin::Inferred(_))).count();
        if inferred > 0 {
            sentences.push(format!("{inferred} of its foreign keys are inferred from names and values, not declared."));
        }
        if let Some(reason) = self.entry.profile().and_then(|profile| profile.skipped.as_deref()) {
            sentences.push(format!("Its values were not looked at: {}.", one_line(reason)));
        }
        sentences.join(" ")
    }

    /// The tables it points to, in words, each once, without itself.
    fn targets(&self) -> Vec<String> {
        let mut targets: Vec<String> = Vec::new();
        for key in &self.entry.table.foreign_keys {
            let name = said(&key.ref_table.name);
            if key.ref_table != self.entry.table.id && !name.is_empty() && !targets.contains(&name) {
                targets.push(name);
            }
        }
        targets
    }

    fn of_parents(&self) -> String {
        let targets: Vec<String> = self.targets().iter().map(|name| singular(name)).take(4).collect();
        if targets.is_empty() { String::new() } else { format!(", linked to {}", listed(&targets, "and")) }
    }
}

/// Values of one column that are equal but for upper and lower case, first group found.
fn case_variants(facts: &ColumnFacts<'_>) -> Option<String> {
    let values = facts.all_values()?;
    let twin = |value: &&str| {
        let same: Vec<String> = values
            .iter()
            .filter(|other| other.to_lowercase() == value.to_lowercase())
            .map(|other| shortened(other))
            .collect();
        (same.len() > 1).then(|| same.join(", "))
    };
    values.iter().find_map(twin)
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., tail] => format!("{} {last} {tail}", head.join(", ")),
    }
}

#[cfg(test)]
mod tests;
