//! Looking a column name up in the frames.
//!
//! Innermost frame first. Within a frame: relations before names of the select list, but in ORDER BY the other way round;
//! then what the dialect adds. An open relation takes a name only where nothing else has it.

use dialect::{Clause, Syntax};
use sqlparser::ast::Ident;

use super::scope::{CteState, Flow, Frame, Relation};
use super::{NAMES_A_UNIT, Resolver};
use crate::parser::Idents as _;
use crate::reading::{ColumnRef, Fallback, FunctionPlace, FunctionUse, Through, Visible};
use crate::reading::{LiteralKind, LiteralValue, ProblemKind};

/// Bare words that are literals and call nothing.
const NUMBERS: [&str; 3] = ["inf", "infinity", "nan"];

/// What an identifier stands in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// Compared with a column: SQLite may well be meant to read `"x"` as a string.
    Value,
    /// Anywhere else.
    Any,
}

/// What a name was found to be.
enum Found {
    Column { frame: usize, relation: usize, flow: Flow },
    Result(Flow),
    Ambiguous { frame: usize, relations: Vec<usize>, flow: Flow },
    Row { frame: usize, relation: usize },
    Implicit { frame: usize, relation: usize },
}

impl Resolver<'_> {
    /// A name without a qualifier.
    pub(super) fn identifier(&mut self, ident: &Ident, position: Position) -> Flow {
        if self.syntax.is_value(ident) {
            return self.bare_word(ident).unwrap_or_else(|| {
                self.called_without_brackets(ident);
                Flow::default()
            });
        }
        self.name(ident, position)
    }

    /// A word that the parser takes for a value of the engine's own, where something in sight has that name: the engine
    /// takes it for that, unless it is one of the words that nothing can hide. `None` where nothing has the name.
    pub(super) fn bare_word(&mut self, ident: &Ident) -> Option<Flow> {
        if !self.is_visible(ident) {
            return None;
        }
        if self.syntax.is_value(ident) {
            self.called_without_brackets(ident);
            self.problem(ProblemKind::BareWord { name: self.syntax.fold(ident) }, self.ident_span(ident));
        }
        // What the engine's version makes of it isn't known here, so it counts as the column too.
        Some(self.name(ident, Position::Any))
    }

    fn called_without_brackets(&mut self, ident: &Ident) {
        let name = ident.value.to_lowercase();
        if !NUMBERS.contains(&name.as_str()) {
            let (path, place, span) = (vec![name], FunctionPlace::Expression, self.ident_span(ident));
            self.reading.functions.push(FunctionUse { path, place, arguments: Vec::new(), span });
        }
    }

    fn name(&mut self, ident: &Ident, position: Position) -> Flow {
        let name = self.syntax.fold(ident);
        self.note_name(&name);
        let span = self.ident_span(ident);
        let names: usize = self.frames.iter().map(Frame::names).sum();
        if !self.afford(names / NAMES_A_UNIT) {
            return Flow::default();
        }
        let found = (0..self.frames.len()).rev().find_map(|frame| find(self.syntax, &self.frames, frame, &name));
        let value = self.named_value(&name);
        match &found {
            Some(Found::Column { frame, .. } | Found::Ambiguous { frame, .. }) => {
                self.note_namesakes(*frame, &name, span)
            }
            Some(Found::Result(_)) => self.note_namesakes(self.frames.len().saturating_sub(1), &name, span),
            _ => {}
        }
        if let Some(value) = &value {
            self.note_use(value, span);
        }
        if let (None, Some(value)) = (&found, &value) {
            return value.clone();
        }
        let flow = match found {
            Some(Found::Column { frame, relation, flow }) => {
                self.touched.push((frame, relation));
                self.use_columns(&flow, Through::Name, self.clause(), span);
                let looks_out = self.syntax.having_looks_out && self.clause() == Clause::Having;
                match (self.may_be_missing(frame, relation) || looks_out).then(|| self.further_out(frame, &name, span))
                {
                    Some(Some(other)) => flow.join(&other),
                    _ => flow,
                }
            }
            Some(Found::Result(flow)) => {
                self.note_use(&flow, span);
                flow
            }
            Some(Found::Ambiguous { frame, relations, flow }) => {
                let candidates =
                    relations.iter().map(|&relation| self.frames[frame].relations[relation].visible()).collect();
                self.problem(ProblemKind::AmbiguousColumn { name: ident.value.clone(), candidates }, span);
                self.touched.extend(relations.into_iter().map(|relation| (frame, relation)));
                self.note_use(&flow, span);
                flow
            }
            Some(Found::Row { frame, relation }) => {
                self.touched.push((frame, relation));
                self.whole_row(frame, relation)
            }
            Some(Found::Implicit { frame, relation }) => {
                self.touched.push((frame, relation));
                self.implicit(frame, relation, &name, span)
            }
            None => self.unresolved(ident, position),
        };
        // It may hide what was found.
        match value {
            Some(value) => flow.join(&value),
            None => flow,
        }
    }

    /// Whether a column of a relation may not be there to the engine, since a `*` has brought it that may leave it out.
    fn may_be_missing(&self, frame: usize, relation: usize) -> bool {
        let relation = &self.frames[frame].relations[relation];
        relation.unsure_order && relation.table.is_none()
    }

    /// What a name means in the queries around that frame.
    fn further_out(&mut self, frame: usize, name: &str, span: Option<crate::span::Span>) -> Option<Flow> {
        let found = (0..frame).rev().find_map(|frame| find(self.syntax, &self.frames, frame, name));
        let Some(Found::Column { flow, .. } | Found::Ambiguous { flow, .. } | Found::Result(flow)) = found else {
            return None;
        };
        self.use_columns(&flow, Through::Name, self.clause(), span);
        Some(flow)
    }

    /// ClickHouse's `WITH value AS name`, which is read as a query of one row and column.
    fn named_value(&self, name: &str) -> Option<Flow> {
        let mut ctes = self.ctes.iter().rev().filter(|_| self.syntax.aliases_hide_columns);
        match &ctes.find(|cte| self.syntax.same(&cte.name, name))?.state {
            CteState::Ready(relation) if relation.single_row => match relation.columns.as_slice() {
                [only] => Some(only.flow.clone().computed()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether anything in sight has that name.
    pub(super) fn is_visible(&self, ident: &Ident) -> bool {
        let name = self.syntax.fold(ident);
        (0..self.frames.len()).any(|frame| find(self.syntax, &self.frames, frame, &name).is_some())
    }

    /// The flow of a column that every table has. The number of a row is its key, where that is one whole number, in SQLite
    /// and MySQL, and in MySQL the first unique column of a table without one; what tells in which part of a table a row
    /// lies may be made from any of its columns.
    fn implicit(&mut self, frame: usize, relation: usize, name: &str, span: Option<crate::span::Span>) -> Flow {
        let relation = &self.frames[frame].relations[relation];
        let table = relation.table.as_ref().and_then(|table| self.schema.table(table));
        let Some(table) = table else { return Flow::default() };
        if !self.is_strict() {
            let flow = Flow::column(self.number(ColumnRef { table: table.id.clone(), column: name.to_owned() }));
            self.use_columns(&flow, Through::Name, self.clause(), span);
            return flow;
        }
        let is = |it: &str| it.eq_ignore_ascii_case(name);
        let numbered_by: Vec<&String> = match table.primary_key.as_slice() {
            [key] if ["rowid", "_rowid_", "oid", "_rowid"].into_iter().any(is) => vec![key],
            [] if is("_rowid") => {
                let unique = table.indexes.iter().filter(|index| index.unique && index.columns.len() == 1);
                unique.flat_map(|index| &index.columns).collect()
            }
            _ => Vec::new(),
        };
        // Places in a partitioned table begin anew with each part, and what tells of the transaction that wrote a row tells
        // which rows an UPDATE picked.
        let is_part =
            ["tableoid", "ctid", "xmin", "xmax", "cmin", "cmax"].into_iter().any(is) || name.starts_with("_part");
        let is_meant = |column: &str| is_part || numbered_by.iter().any(|it| it.eq_ignore_ascii_case(column));
        let columns = relation.columns.iter().filter(|it| it.name.as_deref().is_some_and(is_meant));
        let flows: Vec<Flow> = columns.map(|column| column.flow.clone()).collect();
        let flow = match (flows.as_slice(), numbered_by.as_slice()) {
            ([only], [_]) => only.clone(),
            (several, _) => several.iter().fold(Flow::default(), |flow, it| flow.join(it)),
        };
        let since = self.uses_so_far();
        self.use_columns(&flow, Through::Name, self.clause(), span);
        if is_part {
            self.uses_are_of_parts(since);
        }
        flow
    }

    /// The flow of all columns of a relation, used as one value.
    pub(super) fn whole_row(&mut self, frame: usize, relation: usize) -> Flow {
        let columns = self.frames[frame].relations[relation].columns.clone();
        let mut all = self.frames[frame].relations[relation].unknown.clone();
        for column in columns.iter() {
            self.use_columns(&column.flow, Through::Implied, self.clause(), None);
            all = all.join(&column.flow);
        }
        let unknown = self.frames[frame].relations[relation].unknown.clone();
        self.note_use(&unknown, None);
        all.computed()
    }

    fn unresolved(&mut self, ident: &Ident, position: Position) -> Flow {
        let open = |frame: usize| {
            let relations = self.frames[frame].relations.iter().enumerate();
            relations.filter(|(_, relation)| relation.open).map(move |(position, _)| (frame, position))
        };
        let open: Vec<(usize, usize)> = (0..self.frames.len()).rev().flat_map(open).collect();
        if let Some(&place) = open.first() {
            self.touched.push(place);
            if self.unlisted_in.is_some() {
                return self.column_of_unlisted(place.0, ident);
            }
            let unknown = |(frame, relation): (usize, usize)| &self.frames[frame].relations[relation].unknown;
            let flow = open.into_iter().fold(Flow::default(), |flow, place| flow.join(unknown(place)));
            self.note_use(&flow, self.ident_span(ident));
            return flow;
        }
        // Unnamed expressions are called by their text, in a spelling we can't always foresee.
        if self.syntax.expressions_named_by_text && ident.value.contains(['(', '*', '+', '|', '/']) {
            let columns = || {
                let relations = self.frames.iter().flat_map(|frame| &frame.relations);
                relations.flat_map(|relation| relation.columns.iter())
            };
            if columns().any(|column| !column.named) {
                // It may be any of them.
                let flow = columns().fold(Flow::default(), |flow, column| flow.join(&column.flow));
                self.note_use(&flow, self.ident_span(ident));
                return flow;
            }
        }
        let quoted = self.syntax.double_quoted_fallback && ident.quote_style == Some('"');
        // A full-text index has a column of its own name.
        let is_its_name = |&(frame, relation): &(usize, usize)| {
            let relation = &self.frames[frame].relations[relation];
            relation.path.last().is_some_and(|name| self.syntax.same(name, &self.syntax.fold(ident)))
        };
        let hiding = self.hiding_relation();
        if let Some((frame, relation)) = hiding.filter(|place| quoted || is_its_name(place)) {
            self.touched.push((frame, relation));
            self.reading.has_hidden_names |= quoted;
            let since = self.uses_so_far();
            let flow = self.whole_row(frame, relation);
            // A full-text index searches by what its column is compared with.
            self.uses_are_of_parts(since);
            return flow;
        }
        let fallback = match (quoted, position) {
            (false, _) => Fallback::None,
            (true, Position::Value) => Fallback::StringValue,
            (true, Position::Any) => Fallback::String,
        };
        if self.has_enough_problems() {
            return Flow::default();
        }
        let visible = self.visible();
        let kind = ProblemKind::UnknownColumn { qualifier: None, name: ident.value.clone(), visible, fallback };
        self.problem(kind, self.ident_span(ident));
        Flow::default()
    }

    /// A relation in sight that may have a column of any name.
    fn hiding_relation(&self) -> Option<(usize, usize)> {
        let hides = |frame: usize| self.frames[frame].relations.iter().position(|relation| relation.has_hidden);
        (0..self.frames.len()).rev().find_map(|frame| Some((frame, hides(frame)?)))
    }

    /// What can be seen from here, innermost first.
    pub(super) fn visible(&self) -> Vec<Visible> {
        let relations = self.frames.iter().rev().flat_map(|frame| &frame.relations);
        // What a comma hides has left an empty place.
        relations.filter(|it| !it.name.is_empty() || !it.columns.is_empty()).map(Relation::visible).collect()
    }

    /// A dotted name.
    pub(super) fn compound(&mut self, parts: &[Ident]) -> Flow {
        let names: usize = self.frames.iter().map(Frame::names).sum();
        if !self.afford(names / NAMES_A_UNIT) {
            return Flow::default();
        }
        let folded: Vec<String> = parts.iter().map(|part| self.syntax.fold(part)).collect();
        if let Some(last) = folded.last() {
            self.note_name(last);
        }
        let since = self.uses_so_far();
        // `qualifier.column`, with as long a qualifier as fits; what follows are fields of a nested value.
        let longest = parts.len() - 1;
        for length in (1..=longest).rev() {
            if length < longest && !self.syntax.nested_fields {
                break;
            }
            if let Some(flow) = self.qualified(&folded[..length], &parts[length], &folded[length]) {
                if length == longest {
                    return flow;
                }
                self.uses_are_of_parts(since);
                return flow.computed();
            }
        }
        if self.syntax.nested_fields {
            let found =
                (0..self.frames.len()).rev().find_map(|frame| find(self.syntax, &self.frames, frame, &folded[0]));
            // A row has the fields that its relation has columns, and those would have been found.
            if found.is_some_and(|found| !matches!(found, Found::Row { .. })) {
                let flow = self.identifier(&parts[0], Position::Any).computed();
                self.uses_are_of_parts(since);
                return flow;
            }
        }
        self.unknown_compound(parts, &folded)
    }

    pub(super) fn qualified(&mut self, qualifier: &[String], ident: &Ident, name: &str) -> Option<Flow> {
        let mut further_in: Option<Flow> = None;
        for frame in (0..self.frames.len()).rev() {
            let of_that_name: Vec<usize> = relations_called(self.syntax, &self.frames[frame], qualifier);
            let mut with_column = of_that_name.iter().copied().filter_map(|relation| {
                let columns = &self.frames[frame].relations[relation].columns;
                let column = columns
                    .iter()
                    .find(|column| column.name.as_deref().is_some_and(|it| self.syntax.same(it, name)))?;
                Some((relation, column.flow.clone()))
            });
            if let Some((relation, flow)) = with_column.next() {
                let second = with_column.next().map(|(relation, _)| relation);
                if let Some(second) = second.filter(|_| !self.frames[frame].relations[relation].any_qualifier) {
                    let candidates = [relation, second].map(|it| self.frames[frame].relations[it].visible()).to_vec();
                    let name = format!("{}.{}", qualifier.join("."), ident.value);
                    self.problem(ProblemKind::AmbiguousColumn { name, candidates }, self.ident_span(ident));
                }
                self.touched.push((frame, relation));
                self.use_columns(&flow, Through::Name, self.clause(), self.ident_span(ident));
                let flow = match further_in.take() {
                    Some(inner) => inner.join(&flow),
                    None => flow,
                };
                if !self.may_be_missing(frame, relation) {
                    return Some(flow);
                }
                further_in = Some(flow);
                continue;
            }
            for relation in of_that_name {
                let candidate = &self.frames[frame].relations[relation];
                let (open, unknown) = (candidate.open, candidate.unknown.clone());
                let is_implicit = candidate.has_implicit && is_implicit(self.syntax, name);
                if open || is_implicit {
                    self.touched.push((frame, relation));
                    if is_implicit {
                        return Some(self.implicit(frame, relation, name, self.ident_span(ident)));
                    }
                    // Without a column of that name it is the call of a function.
                    if open && self.syntax.calls_by_dot {
                        self.called_by_dot(ident);
                    }
                    if self.unlisted_in.is_some() {
                        return Some(self.named_in(&unknown, ident));
                    }
                    self.note_use(&unknown, self.ident_span(ident));
                    return Some(unknown.computed());
                }
                // PostgreSQL looks no further out: what isn't a column of it is a function that is called with the row.
                let is_further_out = || {
                    (0..frame).any(|outer| !relations_called(self.syntax, &self.frames[outer], qualifier).is_empty())
                };
                if self.syntax.calls_by_dot && is_further_out() {
                    self.called_by_dot(ident);
                    let columns: Vec<Flow> = self.frames[frame].relations[relation]
                        .columns
                        .iter()
                        .map(|column| column.flow.clone())
                        .collect();
                    self.touched.push((frame, relation));
                    let row = columns.iter().fold(Flow::default(), |row, column| row.join(column)).computed();
                    self.note_use(&row, self.ident_span(ident));
                    return Some(row);
                }
            }
        }
        further_in
    }

    fn unknown_compound(&mut self, parts: &[Ident], folded: &[String]) -> Flow {
        if self.has_enough_problems() {
            return Flow::default();
        }
        let qualifier = &folded[..folded.len() - 1];
        let written: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
        let (Some((last, before)), Some(first)) = (written.split_last(), parts.first()) else { return Flow::default() };
        let named: Vec<(usize, usize)> = (0..self.frames.len())
            .rev()
            .flat_map(|frame| {
                relations_called(self.syntax, &self.frames[frame], qualifier)
                    .into_iter()
                    .map(move |relation| (frame, relation))
            })
            .collect();
        let span = parts.last().and_then(|part| self.ident_span(part));
        let lately_made = parts.last().and_then(|part| self.column_lately_made(named.first().copied(), part));
        if named.is_empty() {
            let kind = ProblemKind::UnknownAlias {
                qualifier: before.join("."),
                column: Some((*last).to_owned()),
                visible: self.visible(),
            };
            self.problem(kind, self.ident_span(first));
        } else {
            let visible = named.iter().map(|&(frame, relation)| self.frames[frame].relations[relation].visible());
            let kind = ProblemKind::UnknownColumn {
                qualifier: Some(before.join(".")),
                name: (*last).to_owned(),
                visible: visible.collect(),
                fallback: Fallback::None,
            };
            self.touched.extend(named);
            self.problem(kind, span);
        }
        lately_made.unwrap_or_default()
    }

    /// Whether an identifier is, by SQLite's rule, a string; its value then.
    pub(super) fn string_by_fallback(&self, ident: &Ident) -> Option<LiteralValue> {
        if !self.syntax.double_quoted_fallback || ident.quote_style != Some('"') {
            return None;
        }
        let name = self.syntax.fold(ident);
        let known = (0..self.frames.len()).any(|frame| find(self.syntax, &self.frames, frame, &name).is_some());
        let open = self.frames.iter().any(|frame| frame.relations.iter().any(|relation| relation.open));
        (!known && !open && self.hiding_relation().is_none())
            .then(|| LiteralValue { text: ident.value.clone(), kind: LiteralKind::DoubleQuoted })
    }
}

/// Relations that a qualifier means, by alias or by the end of their own name.
pub(super) fn relations_called(syntax: &Syntax, frame: &Frame, qualifier: &[String]) -> Vec<usize> {
    let matches = |relation: &Relation| match qualifier {
        _ if relation.any_qualifier => true,
        [alias] => !relation.name.is_empty() && syntax.same(&relation.name, alias),
        several => {
            let path = &relation.path;
            let schema = relation.table.as_ref().and_then(|table| table.schema.clone());
            let full: Vec<String> = match (path.len(), schema) {
                (1, Some(schema)) => vec![schema, path[0].clone()],
                (1, None) => vec![several[0].clone(), path[0].clone()],
                _ => path.clone(),
            };
            !path.is_empty()
                && full.len() >= several.len()
                && full[full.len() - several.len()..].iter().zip(several).all(|(left, right)| syntax.same(left, right))
        }
    };
    (0..frame.relations.len()).filter(|&position| matches(&frame.relations[position])).collect()
}

pub(super) fn is_implicit(syntax: &Syntax, name: &str) -> bool {
    syntax.implicit_columns.iter().any(|column| column.eq_ignore_ascii_case(name))
}

/// Looks a name up in one frame.
fn find(syntax: &Syntax, frames: &[Frame], frame: usize, name: &str) -> Option<Found> {
    let level = &frames[frame];
    let result = || {
        if !syntax.sees_aliases(level.clause) {
            return None;
        }
        let plain_names = level.clause == Clause::OrderBy && syntax.plain_names_in_order_by;
        let usable = |named: bool| named || plain_names;
        level
            .results
            .iter()
            .find(|output| usable(output.named) && output.name.as_deref().is_some_and(|it| syntax.same(it, name)))
            .map(|output| Found::Result(output.flow.clone()))
    };
    if level.clause == Clause::OrderBy
        && let Some(found) = result()
    {
        return Some(found);
    }
    in_relations(syntax, level, frame, name).or_else(result).or_else(|| {
        if is_implicit(syntax, name)
            && let Some(relation) = level.relations.iter().position(|relation| relation.has_implicit)
        {
            return Some(Found::Implicit { frame, relation });
        }
        if !syntax.whole_row {
            return None;
        }
        let relation = level.relations.iter().position(|relation| syntax.same(&relation.name, name))?;
        Some(Found::Row { frame, relation })
    })
}

fn in_relations(syntax: &Syntax, level: &Frame, frame: usize, name: &str) -> Option<Found> {
    let mut having: Vec<(usize, &Flow)> = Vec::new();
    for (position, relation) in level.relations.iter().enumerate() {
        let column =
            relation.columns.iter().find(|column| column.name.as_deref().is_some_and(|it| syntax.same(it, name)));
        having.extend(column.map(|column| (position, &column.flow)));
    }
    let (relation, flow) = *having.first()?;
    let merged = level.merged.iter().any(|it| syntax.same(it, name));
    if having.len() > 1 && !merged {
        let relations = having.iter().map(|(position, _)| *position).collect();
        return Some(Found::Ambiguous { frame, relations, flow: flow.clone() });
    }
    if level.merged_of_both.iter().any(|it| syntax.same(it, name)) {
        return Some(Found::Column { frame, relation, flow: level.flow_of_both(syntax, name) });
    }
    Some(Found::Column { frame, relation, flow: flow.clone() })
}
