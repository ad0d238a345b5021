//! What somebody wrote of a table, held against what is known of it now.
//!
//! A text that was right when it was written is wrong once a status is added, a column is renamed or the table is in use again.
//! Nothing is overwritten: what contradicts is told with the evidence, and whoever wrote it decides. Only what can be seen in
//! the text and in the data is told: names that nothing has, values and lists, NULLs, repetitions, rows, units, whether the
//! table is still written to, and from what it is made.

use catalog::{Catalog, Encoding, Entry, Exactness, Exposure, LastUpdate, TableId};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// Values of a column up to which a text may be meant to list all.
const LISTED: usize = 12;
/// A number of rows that is told differs by this factor from what there are now, before it is worth a word.
const TIMES: f64 = 3.0;
/// A table that was written to within so many days before the source's newest write is in use.
const IN_USE: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Stands for whoever edits the Markdown.
pub(crate) const PEOPLE: &str = "people";
/// From this share of different values on a column is as good as a key.
const KEY: f64 = 0.999;

/// A text that what is known speaks against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contradiction {
    /// Where it stands: `purpose`, `columns.status.description`.
    pub field: String,
    /// Who wrote it: `people`, or the name of the model or the agent.
    pub author: String,
    /// The sentence.
    pub said: String,
    /// What is known: `the column holds ‘refunded’ as well`.
    pub known: String,
}

impl Contradiction {
    /// In one line: `“one of open, paid” (people): it holds refunded as well`.
    pub fn in_words(&self) -> String {
        format!("“{}” ({}): {}", self.said, self.author, self.known)
    }
}

/// All tables that a table is made from, at any distance; none where that isn't known.
pub type MadeFrom<'m> = &'m dyn Fn(&TableId) -> Vec<TableId>;

/// All that can be told of one table, in the order of its fields.
pub fn contradictions(entry: &Entry, catalog: &Catalog, made_from: MadeFrom<'_>) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for (field, author, text) in texts(entry) {
        let column = field.strip_prefix("columns.").and_then(|rest| rest.rsplit_once('.')).map(|(column, _)| column);
        for sentence in sentences(&text) {
            let read = Sentence { text: sentence, lower: sentence.to_lowercase(), entry, catalog, made_from };
            let of_column =
                column.and_then(|name| entry.table.column(name)).and_then(|column| read.against_column(column));
            let known = read.names_nothing().or(of_column).or_else(|| read.against_table(&field));
            found.extend(known.map(|known| Contradiction {
                field: field.clone(),
                author: author.clone(),
                said: sentence.to_owned(),
                known,
            }));
        }
    }
    found
}

/// What people, a model or an agent wrote: where, who, the text.
fn texts(entry: &Entry) -> Vec<(String, String, String)> {
    let people = |key: &String| !key.starts_with("facts.") && key != "queries";
    let mut texts: Vec<(String, String, String)> = entry
        .overrides
        .0
        .iter()
        .filter(|(key, _)| people(key))
        .map(|(key, text)| (key.clone(), PEOPLE.to_owned(), text.clone()))
        .collect();
    let Some(authored) = entry.authored() else { return texts };
    let author = match &authored.author {
        catalog::Author::Model(name) | catalog::Author::Agent(name) => name.clone(),
        catalog::Author::Rules => return texts,
    };
    let mut add = |key: String, text: &str| {
        // What people wrote stands in its place.
        if !text.trim().is_empty() && !entry.overrides.0.contains_key(&key) {
            texts.push((key, author.clone(), text.to_owned()));
        }
    };
    add("purpose".to_owned(), &authored.purpose);
    add("row_meaning".to_owned(), &authored.row_meaning);
    add("business_context".to_owned(), &authored.business_context);
    add("notes".to_owned(), &authored.notes);
    for column in authored.columns.iter().filter(|column| column.is_authored) {
        add(format!("columns.{}.description", column.column), &column.description);
    }
    texts
}

/// The sentences of a text, without what is crossed out and without blocks of code.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    let lines = text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence && !line.contains("~~")
    });
    lines.flat_map(|line| line.split_inclusive(". ")).map(str::trim).filter(|sentence| !sentence.is_empty())
}

struct Sentence<'s> {
    text: &'s str,
    lower: String,
    entry: &'s Entry,
    catalog: &'s Catalog,
    made_from: MadeFrom<'s>,
}

impl Sentence<'_> {
    fn says(&self, phrases: &[&str]) -> bool {
        let plain: String = self.lower.chars().map(|it| if it.is_alphanumeric() { it } else { ' ' }).collect();
        let plain = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
        phrases.iter().any(|phrase| plain.contains(&format!(" {phrase} ")))
    }

    /// A name in it that nothing has: what is written in backticks, or with `_` in it.
    fn names_nothing(&self) -> Option<String> {
        let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
        let quoted = self.text.split('`').skip(1).step_by(2).filter(|name| name.chars().all(is_part));
        let plain = self.text.split(|it: char| !is_part(it)).filter(|word| word.trim_matches('_').contains('_'));
        let mut names = quoted.chain(plain).map(|name| name.trim_matches(['.', '_'])).filter(|name| {
            // `20260101` and `v2.1` are no names of columns.
            name.starts_with(char::is_alphabetic) && !name.is_empty()
        });
        let missing = names.find(|name| !self.is_there(name))?;
        Some(format!("no table, column or value is called {missing}"))
    }

    fn is_there(&self, name: &str) -> bool {
        let source = &self.entry.table.id.source;
        let (qualifier, last) = name.rsplit_once('.').map_or((None, name), |(before, last)| (Some(before), last));
        let has_column =
            |entry: &Entry, name: &str| entry.table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
        if let Some(qualifier) = qualifier {
            let is_place = |id: &catalog::TableId| {
                id.schema.as_deref().is_some_and(|schema| schema.eq_ignore_ascii_case(qualifier))
                    || id.source.eq_ignore_ascii_case(qualifier)
            };
            return match self.catalog.find(qualifier, Some(source)).first() {
                Some(entry) => has_column(entry, last),
                None => {
                    !self.catalog.find(name, Some(source)).is_empty()
                        || self.catalog.find(last, Some(source)).iter().any(|entry| is_place(&entry.table.id))
                }
            };
        }
        !self.catalog.find(name, Some(source)).is_empty()
            || !self.catalog.find(last, Some(source)).is_empty()
            || has_column(self.entry, last)
            || self.catalog.sources().iter().any(|source| source.name.eq_ignore_ascii_case(name))
            || self.catalog.tables_of(source).any(|entry| has_column(entry, last))
            || self.entry.table.columns.iter().any(|column| {
                // Of values that aren't all known, any may be there.
                let facts = self.entry.facts(column);
                facts.values.is_empty() && !column.type_class.is_numeric()
                    || facts.values.iter().any(|value| value.eq_ignore_ascii_case(name))
            })
    }

    fn against_column(&self, column: &catalog::Column) -> Option<String> {
        if *self.entry.exposure(&column.name) != Exposure::Open {
            return None;
        }
        let profile = self.entry.profile()?.column(&column.name)?;
        let percent = |share: f64| match share * 100.0 {
            share if share < 1.0 => "less than 1 %".to_owned(),
            share => format!("{share:.0} %"),
        };
        let never_empty = [
            "always filled",
            "always set",
            "always there",
            "always present",
            "never empty",
            "never null",
            "not null",
            "mandatory",
            "required",
        ];
        if self.says(&never_empty)
            && let Some(share) = profile.null_fraction.filter(|share| *share > 0.0)
        {
            return Some(format!("{} of the rows have no value", percent(share)));
        }
        if self.says(&["unique", "no duplicates", "never repeats"])
            && !self.says(&["unique within", "unique per", "not unique", "unique in combination"])
            && let Some(share) = profile.distinct_ratio.filter(|share| *share < KEY)
        {
            return Some(format!("values repeat: {} of them are different", percent(share)));
        }
        let in_units = ["in dollars", "in usd", "in euros", "in euro", "in eur", "in pounds", "in gbp", "in francs"];
        let described = self.entry.description().and_then(|described| described.column(&column.name));
        let encoding = described.and_then(|described| described.encoding);
        if self.says(&in_units) && !self.lower.contains("cent") && encoding == Some(Encoding::Cents) {
            return Some("its amounts are hundredths: cents and the like".to_owned());
        }
        self.against_values(&self.entry.all_values(&column.name)?)
    }

    /// Against all values of a column: one that is named in quotes and isn't there, or a list that lacks one.
    fn against_values(&self, all: &[&str]) -> Option<String> {
        let quoted =
            |mark: char| self.text.split(mark).skip(1).step_by(2).filter(|it| !it.contains(' ') && !it.is_empty());
        // An apostrophe is no quotation mark.
        let is_pair = |mark: char| self.text.matches(mark).count().is_multiple_of(2);
        let named: Vec<&str> = ['"', '\''].into_iter().filter(|mark| is_pair(*mark)).flat_map(quoted).collect();
        let holds = |value: &str| all.iter().any(|known| known.eq_ignore_ascii_case(value));
        if all.len() <= LISTED
            && let Some(gone) = named.iter().find(|value| !holds(value) && all.len() > 1)
        {
            return Some(format!("no row holds {gone}"));
        }
        let is_said = |value: &&&str| !value.is_empty() && self.says(&[&value.to_lowercase().replace(['_', '-'], " ")]);
        let (said, unsaid): (Vec<&&str>, Vec<&&str>) = all.iter().partition(is_said);
        let lists = self.says(&["one of", "either", "values are", "possible values"]) || self.lower.contains(": ");
        (lists && said.len() >= 2 && all.len() <= LISTED && !unsaid.is_empty() && unsaid.len() < said.len()).then(
            || {
                let values: Vec<&str> = unsaid.into_iter().copied().collect();
                format!("it holds {} as well", values.join(", "))
            },
        )
    }

    fn against_table(&self, field: &str) -> Option<String> {
        let is_of_table = !field.starts_with("columns.");
        let known = || {
            let of_rows = || self.against_rows().or_else(|| self.against_one_row());
            self.against_use().or_else(of_rows).or_else(|| self.against_origin())
        };
        is_of_table.then(known)?
    }

    /// Whether it is made from other tables than those that are named.
    fn against_origin(&self) -> Option<String> {
        const MADE: [&str; 9] = [
            "aggregated from",
            "built from",
            "calculated from",
            "computed from",
            "copied from",
            "copy of",
            "derived from",
            "filled from",
            "made from",
        ];
        let at = MADE.iter().filter_map(|made| self.lower.find(made).map(|at| at + made.len())).min()?;
        let source = Some(self.entry.table.id.source.as_str());
        let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
        let words = self.lower[at..].split(|it: char| !is_part(it)).map(|word| word.trim_matches('.'));
        let named = words.flat_map(|word| self.catalog.find(word, source)).map(|entry| &entry.table.id);
        let named: Vec<&TableId> = named.filter(|id| **id != self.entry.table.id).collect();
        let origins = (self.made_from)(&self.entry.table.id);
        let is_right = |id: &&TableId| origins.contains(id);
        if named.is_empty() || origins.is_empty() || named.iter().any(is_right) {
            return None;
        }
        let origins: Vec<String> = origins.iter().take(LISTED).map(TableId::local).collect();
        Some(format!("it is made from {}", origins.join(", ")))
    }

    /// Whether it is used, by its last write and by the query logs.
    fn against_use(&self) -> Option<String> {
        let is_of_the_past = [
            "no longer used",
            "no longer updated",
            "no longer written",
            "not used any more",
            "abandoned",
            "deprecated",
            "obsolete",
            "out of use",
            "retired",
            "unused",
            "dead table",
        ];
        let is_of_now = [
            "updated daily",
            "updated hourly",
            "updated every day",
            "refreshed daily",
            "kept current",
            "always current",
        ];
        if self.says(&is_of_the_past) && !self.says(&["replaces", "successor"]) {
            let newest = newest_write(self.catalog, &self.entry.table.id.source)?;
            let own = written_at(self.entry)?;
            let usage = self.catalog.usage_of(self.entry).and_then(|usage| usage.writes.last);
            let last = usage.map_or(own, |usage| usage.max(own));
            let is_in_use = newest.duration_since(last) <= IN_USE;
            return is_in_use.then(|| format!("it was written to on {}", last.strftime("%Y-%m-%d")));
        }
        if self.says(&is_of_now) && self.entry.is_stale() {
            return self.entry.staleness();
        }
        None
    }

    /// The number of rows that it tells.
    fn against_rows(&self) -> Option<String> {
        let (before, _) = self.lower.split_once(" rows")?;
        let mut words = before.rsplit(' ');
        let last = words.next()?;
        let (number, factor) = match last {
            "million" => (words.next()?, 1e6),
            "thousand" => (words.next()?, 1e3),
            number => (number, 1.0),
        };
        let said =
            number.replace([',', '\''], "").parse::<f64>().ok().filter(|it| *it >= 100.0 || factor > 1.0)? * factor;
        let count = self.entry.table.row_count.filter(|_| !self.entry.rows_are_decided())?;
        let now = count.value as f64;
        let about = if count.exactness == Exactness::Exact { "" } else { "about " };
        (now > said * TIMES || now * TIMES < said).then(|| format!("it has {about}{} rows", count.value))
    }

    /// What one row is said to be: one a customer, where customers repeat.
    fn against_one_row(&self) -> Option<String> {
        let phrase = ["one row per ", "one row for each ", "one row for every ", "one row a "]
            .iter()
            .find_map(|phrase| self.lower.split_once(phrase).map(|(_, behind)| behind))?;
        let things = words::in_text(phrase);
        // `one row per customer and month` is about both.
        if self.says(&["and", "by", "within", "on which", "for which"]) || phrase.contains(',') {
            return None;
        }
        let thing = words::singular(things.first()?);
        let refers = |column: &&catalog::Column| {
            let key = self.entry.table.foreign_keys.iter().find(|key| key.columns == [column.name.clone()]);
            let words = words::in_identifier(&column.name);
            // When something was sold is no lot that was.
            let is_time = column.type_class.is_temporal()
                || words.last().is_some_and(|last| ["at", "on", "am", "date", "time"].contains(&last.as_str()));
            let is_called =
                words.first().is_some_and(|word| words::singular(word) == thing) && words.len() <= 2 && !is_time;
            key.is_some_and(|key| words::singular(&key.ref_table.name.to_lowercase()) == thing) || is_called
        };
        let own = words::singular(words::in_identifier(&self.entry.table.id.name).last()?);
        if own == thing {
            return None;
        }
        let column = self.entry.table.columns.iter().find(refers)?;
        let profile = self.entry.profile()?.column(&column.name)?;
        let share = profile.distinct_ratio.filter(|share| *share < 0.9)?;
        Some(format!("{} repeats: {:.0} of 100 values are different", column.name, share * 100.0))
    }
}

fn written_at(entry: &Entry) -> Option<Timestamp> {
    entry.last_update().map(|LastUpdate { at, .. }| *at)
}

/// When anything of a source was last written to.
fn newest_write(catalog: &Catalog, source: &str) -> Option<Timestamp> {
    catalog.tables_of(source).filter_map(written_at).max()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use catalog::{Catalog, ColumnProfile, Entry, KnownValues, Overrides, RowCount, TableId};
    use jiff::Timestamp;

    use super::contradictions;
    use crate::testing::{catalog, profiled, table};

    fn orders(field: &str, text: &str) -> Catalog {
        let columns = [("id", "INTEGER"), ("customer_id", "INTEGER"), ("status", "TEXT"), ("note", "TEXT")];
        let mut orders = table("orders", &columns, &["id"], &[("customer_id", "customers", "id")]);
        orders.row_count = Some(RowCount { value: 8_000, exactness: catalog::Exactness::Exact });
        let at: Timestamp = "2026-06-30T10:00:00Z".parse().unwrap();
        orders.last_update = Some(catalog::LastUpdate::of_engine(at));
        let values = ["open", "paid", "sent", "refunded"].map(str::to_owned).to_vec();
        let status = ColumnProfile {
            values: KnownValues::All(values),
            null_fraction: Some(0.02),
            ..ColumnProfile::empty("status")
        };
        let customer = ColumnProfile { distinct_ratio: Some(0.3), ..ColumnProfile::empty("customer_id") };
        let others = ["id", "note"]
            .map(|name| ColumnProfile { values: KnownValues::All(vec!["x".to_owned()]), ..ColumnProfile::empty(name) });
        let mut entry: Entry = profiled(orders, [vec![status, customer], others.to_vec()].concat());
        entry.overrides = Overrides(BTreeMap::from([(field.to_owned(), text.to_owned())]));
        let others =
            ["customers", "orders_archive"].map(|name| Entry::bare(table(name, &[("id", "INTEGER")], &["id"], &[])));
        catalog([vec![entry], others.to_vec()].concat())
    }

    #[test]
    fn what_came_since_is_held_against_what_was_written() {
        let of_status = "columns.status.description";
        for (field, text, known) in [
            (
                "purpose",
                "Orders of the shop. Totals are in `total_cents`.",
                Some("no table, column or value is called total_cents"),
            ),
            ("purpose", "Join it with customers on customer_id.", None),
            ("purpose", "See `customers.id` and `orders`.", None),
            ("purpose", "See qc_runs.id.", Some("no table, column or value is called qc_runs.id")),
            ("purpose", "See s.orders and `orders.customer_id`.", None),
            (of_status, "One of open, paid, sent.", Some("it holds refunded as well")),
            (of_status, "One of open, paid, sent, refunded.", None),
            (of_status, "Where it stands; \"cancelled\" leaves reports.", Some("no row holds cancelled")),
            (of_status, "It's the customer's view of it: open or done.", None),
            (of_status, "Always set by the web shop.", Some("2 % of the rows have no value")),
            ("purpose", "One row per customer.", Some("customer_id repeats: 30 of 100 values are different")),
            ("purpose", "One row per order.", None),
            ("notes", "Deprecated since the move.", Some("it was written to on 2026-06-30")),
            ("notes", "About 500 rows, all of them old.", Some("it has 8000 rows")),
            ("notes", "About 6,000 rows.", None),
            ("notes", "Copied from customers every night.", Some("it is made from orders_archive")),
            ("notes", "Computed from orders_archive, without customers.", None),
            ("notes", "A copy of what the shop sends.", None),
            ("notes", "~~Deprecated~~", None),
            ("notes", "```\nDROP x_y\n```", None),
        ] {
            let catalog = orders(field, text);
            let entry = catalog.entry(&TableId::new("s", "orders")).unwrap();
            let archive = |_: &TableId| vec![TableId::new("s", "orders_archive")];
            let found = contradictions(entry, &catalog, &archive);
            let told: Vec<&str> = found.iter().map(|it| it.known.as_str()).collect();
            assert_eq!(told, known.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }
}
