//! Relations that a function or an array makes: table functions, UNNEST, ARRAY JOIN, and what their columns are called.

use std::rc::Rc;

use sqlparser::ast::{Expr, FunctionArg, Ident, JsonTableColumn, ObjectName, ObjectNamePart, TableAlias, TableFactor};

use super::Resolver;
use super::lookup::Position;
use super::scope::{Flow, Output, Relation};
use crate::parser::Idents as _;
use crate::reading::{Argument, EffectKind, FunctionPlace, FunctionUse};
use crate::span::Span;

/// Table functions whose columns are always the same.
const KNOWN_COLUMNS: [(&str, &[&str]); 9] = [
    ("json_each", &["key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root"]),
    ("json_tree", &["key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root"]),
    ("jsonb_each", &["key", "value"]),
    ("json_each_text", &["key", "value"]),
    ("jsonb_each_text", &["key", "value"]),
    ("pragma_table_info", &["cid", "name", "type", "notnull", "dflt_value", "pk"]),
    ("pragma_index_list", &["seq", "name", "unique", "origin", "partial"]),
    ("pragma_foreign_key_list", &["id", "seq", "table", "from", "to", "on_update", "on_delete", "match"]),
    ("numbers", &["number"]),
];

impl Resolver<'_> {
    /// A function that is called as a relation.
    pub(super) fn table_function(
        &mut self,
        name: &ObjectName,
        args: &[FunctionArg],
        alias: Option<&TableAlias>,
        ordinality: bool,
    ) {
        let mark = self.touched.len();
        let span = self.name_span(name);
        let (flow, arguments) = self.arguments(args);
        self.note_sizes(&flow);
        self.computes_columns(name, &arguments, span);
        let path: Vec<String> = self.parts(name).iter().map(|part| part.to_lowercase()).collect();
        let called = path.last().cloned().unwrap_or_default();
        self.note_name(&called);
        self.reading.functions.push(FunctionUse { path, place: FunctionPlace::Table, arguments, span });
        let known = KNOWN_COLUMNS.iter().find(|(known, _)| *known == called).map(|(_, columns)| *columns);
        let flow = flow.computed();
        let mut names: Vec<String> = known.unwrap_or_default().iter().map(|&name| name.to_owned()).collect();
        let mut open = known.is_none();
        let is_series = called == "generate_series" || called == "range";
        if is_series {
            names = vec!["value".to_owned(), "start".to_owned(), "stop".to_owned(), "step".to_owned(), called.clone()];
            open = false;
        }
        if self.syntax.function_alias_is_column
            && let Some(alias) = alias.filter(|alias| alias.columns.is_empty())
        {
            names.insert(0, self.syntax.fold(&alias.name));
        }
        if ordinality {
            names.push("ordinality".to_owned());
        }
        // Each value of a series stands once, where it isn't made for each row of another relation.
        let is_value = |name: &String| !["start", "stop", "step", "ordinality"].contains(&name.as_str());
        let of_series = is_series && flow.sources.is_empty();
        let keys =
            names.iter().enumerate().filter(|(_, name)| of_series && is_value(name)).map(|(place, _)| vec![place]);
        let keys: Vec<Vec<usize>> = keys.collect();
        let columns: Vec<Output> = names.into_iter().map(|name| named(name, &flow)).collect();
        let relation = Relation {
            name: called,
            columns: Rc::new(columns),
            keys: Rc::new(keys),
            open,
            unknown: flow,
            has_implicit: true,
            unfolds: !of_series,
            span,
            ..Relation::default()
        };
        self.add(relation, alias, mark);
    }

    /// Where a table function takes a text that says what columns there are, that can hold expressions, which nobody reads
    /// here: `values('a String, b String ALIAS f(a)', …)`.
    fn computes_columns(&mut self, name: &ObjectName, arguments: &[Argument], span: Option<Span>) {
        /// Words in such a text that don't belong to names and types alone.
        const CLAUSES: [&str; 12] = [
            "alias",
            "codec",
            "comment",
            "constraint",
            "default",
            "ephemeral",
            "index",
            "materialized",
            "projection",
            "settings",
            "statistics",
            "ttl",
        ];
        const TAKES_COLUMNS: [&str; 4] = ["format", "generaterandom", "null", "values"];
        let called = name.to_string().to_lowercase();
        if !self.syntax.tables_behind_in || !TAKES_COLUMNS.contains(&called.as_str()) {
            return;
        }
        let is_clause = |word: &str| CLAUSES.contains(&word.to_lowercase().as_str());
        let says_more = |text: &str| text.split(|it: char| !it.is_alphanumeric() && it != '_').any(is_clause);
        let columns = if called == "values" { arguments.get(..1).unwrap_or_default() } else { arguments };
        let is_unsure = columns.iter().any(|argument| match argument {
            Argument::Literal(literal) => says_more(&literal.text),
            Argument::Column(_) | Argument::Expression => true,
        });
        if is_unsure {
            let what = format!("`{called}` is given columns that can be computed: give it names and types alone");
            self.effect(EffectKind::NotUnderstood, what, span);
        }
    }

    /// UNNEST: rows of what is in arrays.
    pub(super) fn unnest(
        &mut self,
        arrays: &[Expr],
        alias: Option<&TableAlias>,
        offset: Option<&Ident>,
        ordinality: bool,
    ) {
        let mark = self.touched.len();
        let mut flow = Flow::default();
        for array in arrays {
            let part = self.expression(array);
            flow = flow.join(&part);
        }
        let flow = flow.computed();
        self.note_sizes(&flow);
        self.reading.functions.push(FunctionUse {
            path: vec!["unnest".to_owned()],
            place: FunctionPlace::Table,
            arguments: Vec::new(),
            span: None,
        });
        let mut columns = vec![named("unnest".to_owned(), &flow)];
        columns.extend(alias.filter(|it| it.columns.is_empty()).map(|it| named(self.syntax.fold(&it.name), &flow)));
        columns.extend(offset.map(|it| named(self.syntax.fold(it), &Flow::default())));
        columns.extend(ordinality.then(|| named("ordinality".to_owned(), &Flow::default())));
        let relation =
            Relation { name: "unnest".to_owned(), columns: Rc::new(columns), unfolds: true, ..Relation::default() };
        self.add(relation, alias, mark);
    }

    /// ClickHouse's `ARRAY JOIN column AS alias`: the relation is a column of what stands before.
    pub(super) fn array_join(&mut self, factor: &TableFactor) {
        self.note(factor);
        let mark = self.touched.len();
        let TableFactor::Table { name, alias, args, .. } = factor else {
            self.effect(EffectKind::NotUnderstood, "this ARRAY JOIN is not known".to_owned(), None);
            return;
        };
        let idents: Vec<Ident> = name.0.iter().filter_map(ObjectNamePart::as_ident).cloned().collect();
        let flow = match (args, idents.as_slice()) {
            (Some(call), _) => {
                let (flow, arguments) = self.arguments(&call.args);
                let path = self.parts(name).iter().map(|part| part.to_lowercase()).collect();
                let (place, span) = (FunctionPlace::Expression, self.name_span(name));
                self.reading.functions.push(FunctionUse { path, place, arguments, span });
                if call.settings.is_some() {
                    self.effect(EffectKind::Setting, "`SETTINGS` changes a setting".to_owned(), span);
                }
                flow
            }
            (None, [single]) => self.identifier(single, Position::Any),
            (None, several) if !several.is_empty() => self.compound(several),
            _ => Flow::default(),
        };
        let called = alias.as_ref().map(|alias| self.syntax.fold(&alias.name));
        let columns = called.map(|name| named(name, &flow.computed())).into_iter().collect();
        self.add(Relation { columns: Rc::new(columns), unfolds: true, ..Relation::default() }, None, mark);
    }
}

/// A column that is made from `flow`.
pub(super) fn named(name: String, flow: &Flow) -> Output {
    Output { name: Some(name), named: true, flow: flow.clone(), place: None }
}

/// The names of JSON_TABLE's columns, those of nested ones in their place.
pub(super) fn json_table_names<'t>(columns: &'t [JsonTableColumn], names: &mut Vec<&'t Ident>) {
    for column in columns {
        match column {
            JsonTableColumn::Named(column) => names.push(&column.name),
            JsonTableColumn::ForOrdinality(name) => names.push(name),
            JsonTableColumn::Nested(nested) => json_table_names(&nested.columns, names),
        }
    }
}
