//! Queries from a grammar: joins, common table expressions, set operations, subqueries, windows.
//!
//! Names are in scope and kinds of values fit, mostly, so that many of the queries run. Invariant: a query that was asked
//! to be hostile has one hostile part, in a place where the engine would act on it.

use fastrand::Rng;

use super::words::{Kind, Words};

/// A name that values are taken from, with its columns.
#[derive(Clone)]
struct Source {
    alias: String,
    columns: Vec<(String, Kind)>,
}

/// Makes one query.
pub(super) struct Grammar<'a> {
    words: &'static Words,
    rng: &'a mut Rng,
    /// How many more parts there may be; without it a query could grow for ever.
    room: u32,
    /// Common table expressions that may be named.
    ctes: Vec<Source>,
    /// What is to be put in the place of a value, or of a relation, as soon as there is one.
    pending_expression: Option<&'static str>,
    pending_source: Option<&'static str>,
    names: u32,
}

impl<'a> Grammar<'a> {
    pub(super) fn new(words: &'static Words, rng: &'a mut Rng) -> Self {
        let room = rng.u32(4..40);
        Self { words, rng, room, ctes: Vec::new(), pending_expression: None, pending_source: None, names: 0 }
    }

    /// A query that only reads, as far as it says.
    pub(super) fn query(mut self) -> String {
        let query = self.statement();
        let query = if self.chance(6) {
            let wrapping = self.choice(self.words.wrappings);
            wrapping.replace("{q}", &query)
        } else {
            query
        };
        self.disguised(query)
    }

    /// A query with something in it that acts, or reads what nobody may read.
    pub(super) fn hostile_query(mut self) -> String {
        let hostile = self.words.hostile;
        let query = match self.rng.u8(0..3) {
            0 => {
                let wrapping = self.choice(hostile.wrappings);
                let query = self.statement();
                wrapping.replace("{q}", &query)
            }
            1 => {
                self.pending_expression = Some(self.choice(hostile.expressions));
                let query = self.statement();
                match self.pending_expression.take() {
                    Some(left) => format!("SELECT {left}, q.* FROM ({query}) q"),
                    None => query,
                }
            }
            _ => {
                self.pending_source = Some(self.choice(hostile.sources));
                let query = self.statement();
                match self.pending_source.take() {
                    Some(left) => format!("SELECT 1 FROM {left} WHERE EXISTS ({query})"),
                    None => query,
                }
            }
        };
        self.disguised(query)
    }

    /// One time in `of`.
    fn chance(&mut self, of: u32) -> bool {
        self.rng.u32(0..of) == 0
    }

    fn choice<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.usize(0..from.len())]
    }

    /// One of several lists, taken together.
    fn choice_of_all<T: Copy>(&mut self, lists: &[&[T]]) -> T {
        let count = lists.iter().map(|list| list.len()).sum();
        let place = self.rng.usize(0..count);
        *lists.iter().copied().flatten().nth(place).unwrap()
    }

    /// Takes one part from the room that is left.
    fn may_grow(&mut self) -> bool {
        self.room = self.room.saturating_sub(1);
        self.room > 0
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn quoted(&self, name: &str) -> String {
        let quote = self.words.quote;
        format!("{quote}{name}{quote}")
    }

    /// A name as it may be written; one that isn't a word has to be quoted.
    fn written(&mut self, name: &str) -> String {
        let word = name.chars().all(|it| it.is_ascii_lowercase() || it == '_' || it.is_ascii_digit());
        if !word || name == "select" || self.chance(8) { self.quoted(name) } else { name.to_owned() }
    }

    /// The same statement with other white space, comments and cases of keywords.
    fn disguised(&mut self, query: String) -> String {
        let query = match self.rng.u8(0..12) {
            0 => query.replace("SELECT ", "SELECT\n\t"),
            1 => query.replacen("SELECT ", "select /* ; DROP TABLE orders */ ", 1),
            2 => query.replacen(" FROM ", " -- ; DELETE FROM orders\n FROM ", 1),
            3 => query.replace("SELECT ", "sElEcT ").replace(" FROM ", " fRoM "),
            4 => format!("  {query}  "),
            _ => query,
        };
        if self.chance(20) { format!("({query})") } else { query }
    }

    fn statement(&mut self) -> String {
        let mut with = String::new();
        let mut recursive = false;
        while self.ctes.len() < 3 && self.chance(3) {
            let name = self.name("c");
            let (columns, body, is_recursive) = self.cte(&name);
            recursive |= is_recursive;
            with.push_str(if with.is_empty() { "" } else { ", " });
            with.push_str(&body);
            self.ctes.push(Source { alias: name, columns });
        }
        let with = match (with.is_empty(), recursive) {
            (true, _) => String::new(),
            (false, true) => format!("WITH RECURSIVE {with} "),
            (false, false) => format!("WITH {with} "),
        };
        let width = self.rng.usize(1..4);
        let body = self.body(width, &[]);
        let order = if self.chance(3) { format!(" ORDER BY {}", self.rng.usize(1..=width)) } else { String::new() };
        let limit = match self.rng.u8(0..6) {
            0 => " LIMIT 5",
            1 => " LIMIT 3 OFFSET 1",
            _ => "",
        };
        format!("{with}{body}{order}{limit}")
    }

    /// A common table expression, its columns, and whether it is recursive.
    fn cte(&mut self, name: &str) -> (Vec<(String, Kind)>, String, bool) {
        if self.chance(3) {
            let most = self.rng.u32(2..40);
            let step = self.choice(&["n + 1", "n * 2", "n + 2 /* up */"]);
            let union = self.choice(&["UNION ALL", "UNION"]);
            let body = format!("{name}(n) AS (SELECT 1 {union} SELECT {step} FROM {name} WHERE n < {most})");
            return (vec![("n".to_owned(), Kind::Number)], body, true);
        }
        let kinds: Vec<Kind> = (0..self.rng.usize(1..3)).map(|_| self.kind()).collect();
        let columns: Vec<(String, Kind)> = kinds.iter().enumerate().map(|(i, kind)| (format!("x{i}"), *kind)).collect();
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let body = self.select(&kinds, &[]);
        let body = format!("{name}({}) AS ({body})", names.join(", "));
        (columns, body, false)
    }

    fn kind(&mut self) -> Kind {
        if self.rng.bool() { Kind::Number } else { Kind::Text }
    }

    /// One SELECT, or several as a set, of so many columns.
    fn body(&mut self, width: usize, outer: &[Source]) -> String {
        let kinds: Vec<Kind> = (0..width).map(|_| self.kind()).collect();
        let first = self.select(&kinds, outer);
        if !self.chance(4) || !self.may_grow() {
            return first;
        }
        let operator = self.choice(self.words.operators);
        let second = if self.chance(5) {
            let cells: Vec<&str> = kinds.iter().map(|kind| plain(*kind)).collect();
            format!("VALUES ({})", cells.join(", "))
        } else {
            self.select(&kinds, outer)
        };
        format!("{first} {operator} {second}")
    }

    fn select(&mut self, kinds: &[Kind], outer: &[Source]) -> String {
        let (from, sources) = self.from(outer);
        let grouped = self.chance(4);
        let mut scope = sources.clone();
        scope.extend(outer.iter().cloned());
        let mut keys = Vec::new();
        let items: Vec<String> = kinds
            .iter()
            .map(|kind| {
                let item = match (grouped, kind) {
                    (true, Kind::Number) if self.rng.bool() => self.filled(self.words.aggregates, &scope),
                    (true, _) => {
                        let pending = (self.pending_expression, self.pending_source);
                        let mut key = self.value(*kind, &scope);
                        if !self.words.repeated_subqueries && key.contains("SELECT") {
                            key = plain(*kind).to_owned();
                            // What was to be put in has gone with it.
                            (self.pending_expression, self.pending_source) = pending;
                        }
                        // A number alone would be the place of a column.
                        if key.parse::<f64>().is_err() {
                            keys.push(key.clone());
                        }
                        key
                    }
                    (false, Kind::Number) if self.chance(8) && self.may_grow() => {
                        self.filled(self.words.windows, &scope)
                    }
                    (false, _) => self.value(*kind, &scope),
                };
                match self.chance(5) {
                    true => format!("{item} AS {}", self.name("v")),
                    false => item,
                }
            })
            .collect();
        let distinct = if self.chance(8) { "DISTINCT " } else { "" };
        let condition = if self.chance(2) { format!(" WHERE {}", self.condition(&scope)) } else { String::new() };
        let mut group = String::new();
        if grouped && !keys.is_empty() {
            group = format!(" GROUP BY {}", keys.join(", "));
            if self.chance(3) {
                group.push_str(" HAVING count(*) > 0");
            }
        }
        format!("SELECT {distinct}{}{from}{condition}{group}", items.join(", "))
    }

    /// The relations of a SELECT, and what they give.
    fn from(&mut self, outer: &[Source]) -> (String, Vec<Source>) {
        if self.chance(12) && self.pending_source.is_none() {
            return (String::new(), Vec::new());
        }
        let (mut text, first) = self.relation(&[]);
        let mut sources = vec![first];
        while sources.len() < 4 && self.chance(3) && self.may_grow() {
            let (relation, source) = self.relation(if self.words.lateral { &sources } else { &[] });
            let equal = |grammar: &mut Self, source: &Source| {
                let left = grammar.column(Kind::Number, &sources);
                let right = grammar.column(Kind::Number, std::slice::from_ref(source));
                format!("{} = {}", left.unwrap_or_else(|| "1".to_owned()), right.unwrap_or_else(|| "1".to_owned()))
            };
            let joined = match self.rng.u8(0..8) {
                0 => format!(", {relation}"),
                1 => format!(" CROSS JOIN {relation}"),
                2 => format!(" LEFT JOIN {relation} ON {}", equal(self, &source)),
                3 if self.words.full_joins => format!(" FULL JOIN {relation} ON {}", equal(self, &source)),
                4 => format!(" NATURAL JOIN {relation}"),
                _ => format!(" JOIN {relation} ON {}", equal(self, &source)),
            };
            text.push_str(&joined);
            sources.push(source);
        }
        let _ = outer;
        (format!(" FROM {text}"), sources)
    }

    /// A relation with an alias; `beside` is what a lateral one may name.
    fn relation(&mut self, beside: &[Source]) -> (String, Source) {
        let alias = self.name("r");
        if let Some(hostile) = self.pending_source
            && self.chance(2)
        {
            self.pending_source = None;
            // One that names its columns can't have another name.
            let text = if hostile.contains(" AS ") { hostile.to_owned() } else { format!("{hostile} {alias}") };
            return (text, Source { alias, columns: Vec::new() });
        }
        match self.rng.u8(0..10) {
            0 if self.may_grow() => {
                let kind = self.kind();
                let body = self.select(&[kind], &[]);
                let lateral = if self.words.lateral && self.chance(3) { "LATERAL " } else { "" };
                // The name of its column is anybody's guess, so none is taken from it.
                (format!("{lateral}({body}) {alias}"), Source { alias, columns: Vec::new() })
            }
            1 | 2 if !self.ctes.is_empty() => {
                let place = self.rng.usize(0..self.ctes.len());
                let cte = self.ctes[place].clone();
                (format!("{} {alias}", cte.alias), Source { alias, columns: cte.columns })
            }
            3 if self.may_grow() => {
                let (template, columns) = self.choice(self.words.sources);
                let text = self.fill(template, beside);
                let columns = columns.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
                let text = match text.contains("{alias}") {
                    true => text.replace("{alias}", &alias),
                    false => format!("{text} {alias}"),
                };
                (text, Source { alias, columns })
            }
            _ => {
                let lists = self.words.relations;
                let count = lists.iter().map(|list| list.len()).sum();
                let place = self.rng.usize(0..count);
                let relation = lists.iter().copied().flatten().nth(place).unwrap();
                let name = self.written(relation.name);
                let r#as = if self.chance(3) { "AS " } else { "" };
                let columns = relation.columns.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
                (format!("{name} {as}{alias}", as = r#as), Source { alias, columns })
            }
        }
    }

    fn column(&mut self, kind: Kind, scope: &[Source]) -> Option<String> {
        let fitting: Vec<(&str, &str)> = scope
            .iter()
            .flat_map(|source| source.columns.iter().map(move |column| (source.alias.as_str(), column)))
            .filter(|(_, (_, found))| *found == kind)
            .map(|(alias, (name, _))| (alias, name.as_str()))
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let (alias, name) = self.choice(&fitting);
        let name = self.written(name);
        Some(format!("{alias}.{name}"))
    }

    fn value(&mut self, kind: Kind, scope: &[Source]) -> String {
        if let Some(hostile) = self.pending_expression
            && self.chance(4)
        {
            self.pending_expression = None;
            return hostile.to_owned();
        }
        if !self.chance(3)
            && let Some(column) = self.column(kind, scope)
        {
            return column;
        }
        if !self.may_grow() {
            return plain(kind).to_owned();
        }
        if self.chance(10) {
            let inner = self.select(&[kind], scope);
            return format!("({inner} LIMIT 1)");
        }
        let lists = if kind == Kind::Number { self.words.numbers } else { self.words.texts };
        let template = self.choice_of_all(lists);
        self.fill(template, scope)
    }

    fn condition(&mut self, scope: &[Source]) -> String {
        if !self.may_grow() {
            return "1 = 1".to_owned();
        }
        if self.chance(8) {
            let number = self.value(Kind::Number, scope);
            let inner = self.select(&[Kind::Number], scope);
            return format!("{number} IN ({inner})");
        }
        let template = self.choice_of_all(self.words.conditions);
        self.fill(template, scope)
    }

    fn filled(&mut self, from: &[&'static str], scope: &[Source]) -> String {
        let template = self.choice(from);
        self.fill(template, scope)
    }

    /// The template with values in its places.
    fn fill(&mut self, template: &str, scope: &[Source]) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some(place) = rest.find('{') {
            let (before, from) = rest.split_at(place);
            filled.push_str(before);
            let value = match from.get(..3) {
                Some("{n}") => self.value(Kind::Number, scope),
                Some("{t}") => self.value(Kind::Text, scope),
                Some("{c}") => self.condition(scope),
                // A brace of the template's own.
                _ => {
                    filled.push('{');
                    rest = &from[1..];
                    continue;
                }
            };
            filled.push_str(&value);
            rest = &from[3..];
        }
        filled + rest
    }
}

/// A value that can stand anywhere.
fn plain(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "1",
        Kind::Text => "'a'",
    }
}
