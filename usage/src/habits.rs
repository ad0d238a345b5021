//! What those who read a table usually do.
//!
//! A statement counts once for each who ran it, however often: a job that runs every minute is one voice. Of those who could do
//! something, most have to do it, by statements and by users; and a condition is a habit only where it isn't what a statement
//! is about, so who asks for cancelled orders is nobody who forgot to leave them out.

mod joins;
mod measures;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use catalog::{Catalog, Dialect, Entry, Exposure, Keeps, Share, TableId, TableUsage, Traffic, TypeClass, UsualFilter};

use self::joins::joins;
use self::measures::measures;
use crate::journal::Statement;
use crate::record::{KnownTest, TableRead};

/// Statements that must do something for it to be usual.
const LEAST_STATEMENTS: u32 = 5;
/// Users that must.
const LEAST_USERS: u32 = 3;
/// Statements that must, where logs don't tell users.
const LEAST_STATEMENTS_OF_UNKNOWN: u32 = 8;
/// The share of those who could, by statements and by users.
const LEAST_SHARE: f64 = 0.65;
/// The share of all who read the table, those among them who do something else with the column.
const LEAST_OF_ALL: f64 = 0.4;
/// Statements that would set two conditions together by chance, for it to say something that they don't.
const LEAST_BY_CHANCE: f64 = 3.0;
/// So many of these do, at most, where one condition stands for the other.
const MOST_TOGETHER: f64 = 0.2;
/// Those who leave values out, beside those who ask for them.
const LEAST_BESIDE_THOSE_WHO_ASK: f64 = 0.6;
/// What is kept of each kind for a table.
const MOST_OF_A_KIND: usize = 12;
/// Statements over a table, before a column counts as one that nobody names.
const LEAST_TO_MISS_A_COLUMN: u32 = 20;

/// A reading of a table, with the statement that it stands in.
#[derive(Clone, Copy)]
struct Vote<'s> {
    read: &'s TableRead,
    of: &'s Statement,
}

/// The statements over a table.
#[derive(Default)]
struct OverTable<'s> {
    votes: Vec<Vote<'s>>,
    reads: Vec<&'s Statement>,
    writes: Vec<&'s Statement>,
}

/// What a reading says about a habit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// It has it.
    Does,
    /// It asks for what the habit leaves out.
    Asks,
    /// It sets a condition that stands for it.
    Instead,
    /// It deals with the column in another way.
    Neutral,
    /// It doesn't think of it.
    Forgets,
}

/// What has been run over each table of a source.
pub(crate) fn usage_of(statements: &[&Statement], catalog: &Catalog, source: &str) -> Vec<TableUsage> {
    let mut by_table: HashMap<&TableId, OverTable<'_>> = HashMap::new();
    for statement in statements {
        for read in &statement.record.reads {
            let over = by_table.entry(&read.table).or_default();
            over.votes.push(Vote { read, of: statement });
            // A text of several statements may name it in each.
            if over.reads.last().is_none_or(|last| !std::ptr::eq(*last, *statement)) {
                over.reads.push(statement);
            }
        }
        statement.record.writes.iter().for_each(|table| by_table.entry(table).or_default().writes.push(statement));
    }
    let measures = measures(statements, catalog, catalog.dialect(source));
    let mut joins = joins(statements);
    let used = catalog.tables_of(source).filter_map(|entry| {
        let id = &entry.table.id;
        let OverTable { votes, reads, writes } = by_table.remove(id)?;
        let is_named = |column: &String| votes.iter().any(|vote| vote.read.named.contains(column));
        let columns = entry.table.columns.iter().map(|column| &column.name);
        let is_known_well = votes.len() >= LEAST_TO_MISS_A_COLUMN as usize;
        Some(TableUsage {
            table: id.clone(),
            reads: traffic(&reads),
            writes: traffic(&writes),
            filters: filters(entry, &votes, catalog, catalog.dialect(source)),
            joins: joins.remove(id).unwrap_or_default(),
            measures: measures.get(id).cloned().unwrap_or_default(),
            unnamed: columns.filter(|column| is_known_well && !is_named(column)).cloned().collect(),
        })
    });
    used.collect()
}

fn traffic(statements: &[&Statement]) -> Traffic {
    let mut traffic = Traffic::default();
    let mut users: BTreeSet<&String> = BTreeSet::new();
    for statement in statements {
        traffic.runs += statement.runs;
        traffic.statements += statement.voices();
        traffic.last = traffic.last.max(statement.last);
        users.extend(&statement.users);
    }
    traffic.users = count(users.len());
    traffic
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// How usual a habit is, by what each vote says of it; `None` where it isn't.
fn share(votes: &[Vote<'_>], said: &[Says]) -> Option<Share> {
    let (mut does, mut forgets, mut asks, mut instead, mut all) = (0, 0, 0, 0, 0);
    let mut users: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    for (vote, said) in votes.iter().zip(said) {
        let voices = vote.of.voices();
        all += voices;
        match said {
            Says::Does => does += voices,
            Says::Forgets => forgets += voices,
            Says::Asks => asks += voices,
            Says::Instead => instead += voices,
            Says::Neutral => {}
        }
        let place = match said {
            Says::Does | Says::Instead => 0,
            Says::Forgets => 1,
            Says::Asks | Says::Neutral => continue,
        };
        vote.of.users.iter().for_each(|user| users.entry(user).or_default()[place] += 1);
    }
    let could = count(users.len());
    let do_it = count(users.values().filter(|[does, forgets]| does >= forgets).count());
    let enough = match could {
        0 => does >= LEAST_STATEMENTS_OF_UNKNOWN,
        _ => does >= LEAST_STATEMENTS && do_it >= LEAST_USERS && f64::from(do_it) >= LEAST_SHARE * f64::from(could),
    };
    let most = f64::from(does) >= LEAST_SHARE * f64::from(does + forgets)
        && f64::from(does) >= LEAST_BESIDE_THOSE_WHO_ASK * f64::from(does + asks)
        && f64::from(does + instead) >= LEAST_OF_ALL * f64::from(all);
    let share = Share { statements: does, of_statements: does + forgets, users: do_it, of_users: could };
    (enough && most).then_some(share)
}

/// The usual conditions on a table and on those that it is joined with, the most usual first.
fn filters(entry: &Entry, votes: &[Vote<'_>], catalog: &Catalog, dialect: &Dialect) -> Vec<UsualFilter> {
    let of_many = |completing: bool| -> Vec<Vote<'_>> {
        votes.iter().filter(|vote| vote.read.completes == completing && !vote.read.of_one).copied().collect()
    };
    let (own, completing) = (of_many(false), of_many(true));
    let mut filters = filters_on(entry, &own, dialect);
    filters
        .extend(filters_on(entry, &completing, dialect).into_iter().map(|it| UsualFilter { completing: true, ..it }));
    filters.extend(filters_by_way(&own, catalog, dialect));
    filters.sort_by_key(|filter: &UsualFilter| std::cmp::Reverse(filter.share.statements));
    filters.truncate(MOST_OF_A_KIND);
    filters
}

/// The usual conditions on a table among those who read it so; of those that stand for each other one is told, with the columns
/// of the others.
fn filters_on(entry: &Entry, votes: &[Vote<'_>], dialect: &Dialect) -> Vec<UsualFilter> {
    let columns: BTreeSet<&str> =
        votes.iter().flat_map(|vote| &vote.read.tests).map(|tested| tested.column.as_str()).collect();
    let columns: Vec<&str> = columns.into_iter().filter(|column| *entry.exposure(column) == Exposure::Open).collect();
    let on_column = |column: &&str| {
        let others = columns.iter().copied().filter(|other| other != column);
        let instead: Vec<&str> = others.filter(|other| stands_for(other, column, votes)).collect();
        filter_on(entry, column, &instead, votes, dialect)
    };
    let mut filters: Vec<UsualFilter> = columns.iter().filter_map(on_column).collect();
    filters.sort_by_key(|filter| std::cmp::Reverse(filter.share.statements));
    let mut told: Vec<UsualFilter> = Vec::new();
    for filter in filters {
        if !told.iter().any(|other| other.instead.contains(&filter.column)) {
            told.push(filter);
        }
    }
    told
}

/// The usual conditions on tables that complete the rows of the one that is read: lines of orders that aren't cancelled. Who
/// doesn't join the other table forgets them too.
fn filters_by_way(votes: &[Vote<'_>], catalog: &Catalog, dialect: &Dialect) -> Vec<UsualFilter> {
    let completes = |vote: &Vote<'_>| {
        let reads = vote.of.record.reads.iter();
        let others = reads.filter(|read| read.completes && !read.tests.is_empty() && read.table != vote.read.table);
        others.map(|read| read.table.clone()).collect::<Vec<_>>()
    };
    let others: BTreeSet<TableId> = votes.iter().flat_map(completes).collect();
    let mut filters = Vec::new();
    for other in others {
        let Some(entry) = catalog.entry(&other) else { continue };
        let not_joined = TableRead::of_nothing(&other);
        let by_way = votes.iter().filter_map(|vote| {
            let read = vote.of.record.reads.iter().find(|read| read.table == other).unwrap_or(&not_joined);
            (!read.of_one).then_some(Vote { read, of: vote.of })
        });
        let by_way: Vec<Vote<'_>> = by_way.collect();
        let name = dialect.identifier(&other.name);
        filters.extend(filters_on(entry, &by_way, dialect).into_iter().map(|filter| UsualFilter {
            condition: match filter.keeps {
                Keeps::Untold => filter.condition,
                _ => format!("{name}.{}", filter.condition),
            },
            by_way_of: Some(other.clone()),
            ..filter
        }));
    }
    filters
}

/// Whether a condition on one column is set in the place of one on another: `cancelled_at IS NULL` where others write
/// `status <> 'cancelled'`. Both are then set by many, and hardly ever together, which by chance they would be.
fn stands_for(other: &str, column: &str, votes: &[Vote<'_>]) -> bool {
    let tests = |vote: &&Vote<'_>, column: &str| vote.read.tests.iter().any(|tested| tested.column == column);
    let of = |column: &str| votes.iter().filter(|vote| tests(vote, column)).count() as f64;
    let both = votes.iter().filter(|vote| tests(vote, column) && tests(vote, other)).count() as f64;
    let by_chance = of(column) * of(other) / votes.len() as f64;
    by_chance >= LEAST_BY_CHANCE && both <= by_chance * MOST_TOGETHER
}

/// The most usual condition on a column.
fn filter_on(
    entry: &Entry,
    column: &str,
    instead: &[&str],
    votes: &[Vote<'_>],
    dialect: &Dialect,
) -> Option<UsualFilter> {
    let name = dialect.identifier(column);
    let stands_instead = |read: &TableRead| read.tests.iter().any(|tested| instead.contains(&tested.column.as_str()));
    let share_of = |says: &dyn Fn(&TableRead) -> Says| {
        let said = votes.iter().map(|vote| match says(vote.read) {
            Says::Forgets if stands_instead(vote.read) => Says::Instead,
            said => said,
        });
        share(votes, &said.collect::<Vec<_>>())
    };
    let found = |keeps: Keeps, condition: String, share: Share| {
        let instead = instead.iter().map(|column| (*column).to_owned()).collect();
        let column = column.to_owned();
        Some(UsualFilter { column, keeps, completing: false, by_way_of: None, condition, instead, share })
    };
    if let Some(share) = share_of(&|read| says_of(read, column, |test| *test == KnownTest::Null)) {
        return found(Keeps::Empty, format!("{name} IS NULL"), share);
    }
    let values = Values::of(entry, column, votes);
    let usual: Vec<(&String, Share)> = values
        .left_out
        .iter()
        .filter_map(|value| Some((value, share_of(&|read| values.says(read, column, value))?)))
        .collect();
    if let Some(share) = usual.iter().map(|(_, share)| *share).min_by_key(|share| share.statements) {
        let left_out: Vec<String> = usual.iter().map(|(value, _)| (*value).clone()).collect();
        let condition = condition_without(entry, column, &left_out, &values.all, dialect);
        return found(Keeps::Without(left_out), condition, share);
    }
    let bounds: BTreeSet<&String> = tests_on(votes, column)
        .filter_map(|test| match test {
            KnownTest::Ordered(bound) => Some(bound),
            _ => None,
        })
        .collect();
    for bound in bounds {
        let says = |read: &TableRead| says_of(read, column, |test| *test == KnownTest::Ordered(bound.clone()));
        if let Some(share) = share_of(&says) {
            return found(Keeps::Ordered(bound.clone()), format!("{name} {bound}"), share);
        }
    }
    // Whatever is compared has a value.
    let has_a_value =
        |test: &KnownTest| matches!(test, KnownTest::NotNull | KnownTest::Ordered(_) | KnownTest::NoneOf { .. });
    let says_it = tests_on(votes, column).any(|test| *test == KnownTest::NotNull);
    if let Some(share) = share_of(&|read| says_of(read, column, has_a_value)).filter(|_| says_it) {
        return found(Keeps::Filled, format!("{name} IS NOT NULL"), share);
    }
    let tells_nothing = |test: &KnownTest| match test {
        KnownTest::OneOf { values, .. } | KnownTest::NoneOf { values, .. } => values.is_empty(),
        _ => false,
    };
    if !tests_on(votes, column).all(tells_nothing) {
        return None;
    }
    let share = share_of(&|read| says_of(read, column, |_| true))?;
    found(Keeps::Untold, format!("a condition on {name}"), share)
}

/// What a reading says about a condition on a column.
fn says_of(read: &TableRead, column: &str, is_it: impl Fn(&KnownTest) -> bool) -> Says {
    let mut tests = read.tests.iter().filter(|tested| tested.column == column).map(|tested| &tested.test);
    match tests.next() {
        None if names(read, column) => Says::Neutral,
        None => Says::Forgets,
        Some(first) if std::iter::once(first).chain(tests).any(is_it) => Says::Does,
        Some(_) => Says::Asks,
    }
}

fn names(read: &TableRead, column: &str) -> bool {
    read.named.iter().any(|named| named == column)
}

fn tests_on<'v>(votes: &'v [Vote<'_>], column: &str) -> impl Iterator<Item = &'v KnownTest> {
    let tests = votes.iter().flat_map(|vote| &vote.read.tests);
    tests.filter(move |tested| tested.column == column).map(|tested| &tested.test)
}

/// The values of a column, as far as they are known, and those that somebody leaves out in so many words.
struct Values {
    all: Vec<String>,
    left_out: Vec<String>,
}

impl Values {
    fn of(entry: &Entry, column: &str, votes: &[Vote<'_>]) -> Self {
        let all: Vec<String> = entry.all_values(column).unwrap_or_default().into_iter().map(str::to_owned).collect();
        let mut left_out: BTreeSet<String> = BTreeSet::new();
        for test in tests_on(votes, column) {
            match test {
                KnownTest::NoneOf { values, .. } => left_out.extend(values.iter().cloned()),
                // Of two, who takes one leaves out the other.
                KnownTest::OneOf { values, .. } if all.len() == 2 => {
                    left_out.extend(all.iter().filter(|value| !values.contains(value)).cloned());
                }
                _ => {}
            }
        }
        // Where nearly all who choose ask for the same ones, they leave out the others.
        if let Some(wanted) = most_wanted(column, votes).filter(|_| left_out.is_empty() && !all.is_empty()) {
            left_out.extend(all.iter().filter(|value| !wanted.contains(value)).cloned());
        }
        Self { all, left_out: left_out.into_iter().collect() }
    }

    /// What a reading says about leaving out a value.
    fn says(&self, read: &TableRead, column: &str, value: &String) -> Says {
        let mut tests =
            read.tests.iter().filter(|tested| tested.column == column).map(|tested| &tested.test).peekable();
        if tests.peek().is_none() {
            return if names(read, column) { Says::Neutral } else { Says::Forgets };
        }
        let mut says = Says::Neutral;
        for test in tests {
            match test {
                KnownTest::NoneOf { values, .. } if values.contains(value) => return Says::Does,
                KnownTest::OneOf { values, untold: false } if values.contains(value) => says = Says::Asks,
                // Who lists all others leaves it out; who asks for some of them has another question.
                KnownTest::OneOf { values, untold: false } if self.lists_the_others(values) => return Says::Does,
                _ => {}
            }
        }
        says
    }

    fn lists_the_others(&self, values: &[String]) -> bool {
        let mut others = self.all.iter().filter(|value| !self.left_out.contains(value)).peekable();
        let of_two = self.all.len() == 2;
        of_two || others.peek().is_some() && others.all(|value| values.contains(value))
    }
}

/// The values that most of those ask for who choose by a column.
fn most_wanted<'v>(column: &str, votes: &'v [Vote<'_>]) -> Option<&'v Vec<String>> {
    let mut asked: BTreeMap<&Vec<String>, u32> = BTreeMap::new();
    let mut all = 0;
    for test in tests_on(votes, column) {
        all += 1;
        if let KnownTest::OneOf { values, untold: false } = test {
            *asked.entry(values).or_default() += 1;
        }
    }
    let (wanted, count) = asked.into_iter().max_by_key(|(_, count)| *count)?;
    (f64::from(count) >= LEAST_BESIDE_THOSE_WHO_ASK * f64::from(all)).then_some(wanted)
}

/// The condition that leaves out these values, as most would write it.
fn condition_without(entry: &Entry, column: &str, left_out: &[String], all: &[String], dialect: &Dialect) -> String {
    let name = dialect.identifier(column);
    let class = entry.table.column(column).map(|column| column.type_class);
    let literal = |value: &str| match class {
        Some(TypeClass::Boolean) => match value {
            "true" | "t" | "1" => "TRUE".to_owned(),
            _ => "FALSE".to_owned(),
        },
        Some(class) if class.is_numeric() => value.to_owned(),
        _ => dialect.literal(value),
    };
    let others: Vec<&String> = all.iter().filter(|value| !left_out.contains(value)).collect();
    match (left_out, others.as_slice()) {
        (_, [only]) => format!("{name} = {}", literal(only)),
        ([only], _) => format!("{name} <> {}", literal(only)),
        (several, _) => {
            let values: Vec<String> = several.iter().map(|value| literal(value)).collect();
            format!("{name} NOT IN ({})", values.join(", "))
        }
    }
}
