//! FROM: tables, common table expressions, derived tables, and what stands in brackets. What joins them is in `join`, what
//! functions make is in `table_function`.

use std::rc::Rc;

use dialect::Clause;
use sqlparser::ast::{
    Expr, ObjectName, ObjectNamePart, TableAlias, TableFactor, TableSample, TableSampleKind, TableWithJoins,
};

use catalog::{Index, Table, TableKind, TypeClass};

use super::query::{mingle, mingle_namesakes, rename};
use super::scope::{CteState, Flow, Output, Relation, flow_of_all};
use super::table_function::{json_table_names, named};
use super::{MAXIMUM_RELATIONS, NAMES_A_UNIT, Resolver};
use crate::parser::Idents as _;
use crate::reading::{ColumnRef, EffectKind, ProblemKind, TableUse, TableUseKind};
use crate::schema::TableLookup;
use crate::span::Span;

impl Resolver<'_> {
    /// A relation and what is joined to it. Gives back the conditions that are still to be read: SQLite looks their names
    /// up in all relations of FROM, also in those that come later.
    pub(super) fn table_with_joins<'f>(&mut self, from: &'f TableWithJoins) -> Vec<&'f Expr> {
        let first = self.relation_count();
        let mut later = self.factor(&from.relation);
        for join in &from.joins {
            later.extend(self.join(join, first));
        }
        later
    }

    pub(super) fn relation_count(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.relations.len())
    }

    /// One relation of FROM, added to the innermost frame; the conditions of joins in brackets are given back, as by
    /// [`Self::table_with_joins`].
    pub(super) fn factor<'f>(&mut self, factor: &'f TableFactor) -> Vec<&'f Expr> {
        self.note(factor);
        if let TableFactor::NestedJoin { table_with_joins, alias } = factor {
            self.reading.unsure_names.extend(alias.as_ref().and_then(|alias| self.ident_span(&alias.name)));
            return self.nested(table_with_joins, alias.as_ref());
        }
        self.single_factor(factor);
        Vec::new()
    }

    /// One relation that is no join in brackets.
    fn single_factor(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args,
                with_hints,
                version,
                json_path,
                sample,
                with_ordinality,
                partitions,
                index_hints,
            } => {
                self.expressions(with_hints);
                self.sample(sample.as_ref());
                // To the parser, which doesn't know it, it is another name for the table.
                let merges = self.syntax.final_merges_rows && alias.as_ref().is_some_and(is_final);
                let alias = alias.as_ref().filter(|_| !merges);
                if version.is_some() || json_path.is_some() {
                    self.effect(EffectKind::NotUnderstood, "a version or path of a table is not known".into(), None);
                }
                match args {
                    Some(args) => {
                        for setting in args.settings.iter().flatten() {
                            let what = format!("`SETTINGS {}` changes a setting", setting.key.value);
                            self.effect(EffectKind::Setting, what, self.ident_span(&setting.key));
                            self.expression(&setting.value);
                        }
                        self.table_function(name, &args.args, alias, *with_ordinality);
                    }
                    None => self.named_table(name, alias),
                }
                if merges {
                    self.note_merged_rows();
                }
                if !partitions.is_empty() || !index_hints.is_empty() || sample.is_some() {
                    self.note_last_relation();
                }
            }
            TableFactor::Derived { lateral, subquery, alias, sample } => {
                self.sample(sample.as_ref());
                self.derived(*lateral, subquery, alias.as_ref());
                if sample.is_some() {
                    self.note_last_relation();
                }
            }
            TableFactor::TableFunction { expr, alias } => {
                let mark = self.touched.len();
                let unknown = self.expression(expr).computed();
                self.add(Relation { open: true, unknown, ..Relation::default() }, alias.as_ref(), mark);
            }
            TableFactor::Function { name, args, alias, with_ordinality, .. } => {
                self.table_function(name, args, alias.as_ref(), *with_ordinality);
            }
            TableFactor::UNNEST { alias, array_exprs, with_offset_alias, with_ordinality, .. } => {
                self.unnest(array_exprs, alias.as_ref(), with_offset_alias.as_ref(), *with_ordinality);
            }
            TableFactor::JsonTable { json_expr, columns, alias, .. } => {
                let mark = self.touched.len();
                let flow = self.expression(json_expr).computed();
                self.note_sizes(&flow);
                let mut names = Vec::new();
                json_table_names(columns, &mut names);
                let columns = names.iter().map(|it| named(self.syntax.fold(it), &flow)).collect();
                self.add(Relation { columns: Rc::new(columns), ..Relation::default() }, alias.as_ref(), mark);
            }
            TableFactor::NestedJoin { .. } => {}
            TableFactor::Pivot { table, aggregate_functions, value_column, value_source, alias, .. }
                if !self.is_strict() =>
            {
                self.pivoted(table, aggregate_functions, value_column, value_source, alias.as_ref());
            }
            TableFactor::Unpivot { table, value, name, columns, alias, .. } if !self.is_strict() => {
                self.unpivoted(table, value, name, columns, alias.as_ref());
            }
            TableFactor::OpenJsonTable { .. }
            | TableFactor::Pivot { .. }
            | TableFactor::Unpivot { .. }
            | TableFactor::UnpivotExpr { .. }
            | TableFactor::MatchRecognize { .. }
            | TableFactor::XmlTable { .. }
            | TableFactor::SemanticView { .. } => {
                self.effect(EffectKind::NotUnderstood, "this kind of relation in FROM is not known".into(), None);
                self.add(Relation { open: true, ..Relation::default() }, None, self.touched.len());
            }
        }
    }

    /// Rows with the same sorting key are made one, and a number or a time may say which of them is left.
    fn note_merged_rows(&mut self) {
        let last = self.frames.last().and_then(|frame| frame.relations.last());
        let table = last.and_then(|relation| self.schema.table(relation.table.as_ref()?));
        let plain = |table: &&Table| {
            table.kind == TableKind::Table
                && table.reads_from.is_empty()
                && table.indexes.iter().any(|index| index.name == Index::SORTING_KEY)
        };
        let Some(table) = table.filter(plain) else {
            let what = "FINAL is known behind a table with a sorting key, and nothing else".to_owned();
            return self.effect(EffectKind::NotUnderstood, what, None);
        };
        // Of a key that is computed, the text is known.
        let terms = table.indexes.iter().flat_map(|index| &index.columns);
        let is_key = |name: &String| terms.clone().any(|term| term.contains(name.as_str()));
        let may_choose = |class: TypeClass| {
            matches!(class, TypeClass::Integer | TypeClass::Boolean | TypeClass::Date | TypeClass::Timestamp)
        };
        let deciding = table.columns.iter().filter(|it| may_choose(it.type_class) || is_key(&it.name));
        let deciding: Vec<ColumnRef> =
            deciding.map(|it| ColumnRef { table: table.id.clone(), column: it.name.clone() }).collect();
        for column in deciding {
            let number = self.number(column);
            self.note_use(&Flow::column(number), None);
        }
    }

    fn sample(&mut self, sample: Option<&TableSampleKind>) {
        let sample: &TableSample = match sample {
            Some(TableSampleKind::BeforeTableAlias(sample) | TableSampleKind::AfterTableAlias(sample)) => sample,
            None => return,
        };
        self.expressions(sample.quantity.iter().map(|quantity| &quantity.value));
        self.expressions(sample.bucket.iter().filter_map(|bucket| bucket.on.as_ref()));
        self.expressions(&sample.offset);
    }

    /// Adds a relation under its alias, and links it with what its definition touched.
    pub(super) fn add(&mut self, mut relation: Relation, alias: Option<&TableAlias>, mark: usize) {
        if let Some(alias) = alias {
            relation.name = self.syntax.fold(&alias.name);
            relation.path = Vec::new();
            let names: Vec<String> = alias.columns.iter().map(|column| self.syntax.fold(&column.name)).collect();
            if !names.is_empty() && relation.table.is_some() {
                self.reading.unsure_names.extend(self.ident_span(&alias.name));
            }
            if !names.is_empty() {
                if relation.unsure_order {
                    mingle(Rc::make_mut(&mut relation.columns).as_mut_slice());
                }
                if relation.open && relation.columns.len() < names.len() {
                    let columns = names.iter().map(|name| named(name.clone(), &relation.unknown)).collect();
                    relation.columns = Rc::new(columns);
                    relation.open = false;
                } else {
                    rename(Rc::make_mut(&mut relation.columns).as_mut_slice(), &names);
                }
            }
            relation.span = relation.span.or_else(|| self.ident_span(&alias.name));
        }
        let is_renamed = alias.is_some_and(|alias| !alias.columns.is_empty());
        if self.is_strict()
            && (relation.table.is_none() || is_renamed)
            && self.afford(relation.columns.len() / NAMES_A_UNIT)
        {
            mingle_namesakes(&mut relation.columns);
        }
        if relation.open {
            self.reading.open_relations.push(relation.name.clone());
        }
        if self.relation_count() >= MAXIMUM_RELATIONS {
            return self.problem(ProblemKind::TooComplex, None);
        }
        let depth = self.frames.len().saturating_sub(1);
        let here: Vec<usize> =
            self.touched[mark..].iter().filter(|(frame, _)| *frame == depth).map(|(_, relation)| *relation).collect();
        if let Some(frame) = self.frames.last_mut() {
            let position = frame.relations.len();
            frame.relations.push(relation);
            frame.links.extend(here.into_iter().map(|other| (other, position)));
        }
    }

    fn named_table(&mut self, name: &ObjectName, alias: Option<&TableAlias>) {
        let mark = self.touched.len();
        let span = self.name_span(name);
        let parts = self.parts(name);
        for part in &name.0 {
            if let ObjectNamePart::Function(function) = part {
                self.arguments(&function.args);
                self.effect(EffectKind::NotUnderstood, "a function names a table".to_owned(), span);
            }
        }
        let quote = name.0.first().and_then(ObjectNamePart::as_ident).and_then(|ident| ident.quote_style);
        if quote == Some('\'') {
            let (kind, what) = if self.syntax.string_is_a_relation {
                (EffectKind::ExternalData, "names a file or an address, not a table")
            } else {
                (EffectKind::ForeignSyntax, "is a string where a table is expected")
            };
            self.effect(kind, format!("`'{}'` {what}", parts.join(".")), span);
            let relation = match self.is_strict() {
                true => Relation { open: true, ..Relation::default() },
                false => self.base_table(&parts, None, span),
            };
            return self.add(relation, alias, mark);
        }
        // One row of nothing, for statements that read no table.
        let is_dual = matches!(parts.as_slice(), [name] if name.eq_ignore_ascii_case("dual"));
        if is_dual && self.syntax.has_dual && quote.is_none() {
            return self.add(Relation { single_row: true, span, ..Relation::default() }, alias, mark);
        }
        let alias_name = alias.map(|alias| alias.name.value.clone());
        if let [single] = parts.as_slice()
            && let Some(relation) = self.common_table_named(single, alias_name.clone(), span)
        {
            return self.add(relation, alias, mark);
        }
        let relation = self.base_table(&parts, alias_name, span);
        self.add(relation, alias, mark);
    }

    /// The common table expression of that name, if one can be seen.
    fn common_table_named(&mut self, name: &str, alias: Option<String>, span: Option<Span>) -> Option<Relation> {
        let position = self
            .ctes
            .iter()
            .rposition(|cte| self.syntax.same(&cte.name, name) && !matches!(cte.state, CteState::Forming(None)))?;
        let cte = &mut self.ctes[position];
        cte.self_references += usize::from(matches!(cte.state, CteState::Forming(_)));
        self.cte_mentions[cte.number].mentions.push(self.reading.tables.len());
        let relation = match &cte.state {
            CteState::Ready(relation) => relation.as_ref().clone(),
            CteState::Forming(columns) => {
                Relation { columns: columns.clone().unwrap_or_default(), ..Relation::default() }
            }
        };
        self.reading.tables.push(TableUse {
            parts: vec![name.to_owned()],
            kind: TableUseKind::Cte,
            table: None,
            alias,
            span,
        });
        Some(Relation { name: name.to_owned(), path: vec![name.to_owned()], span, ..relation })
    }

    /// A table of the schema, as a relation; unknown ones are reported and take any column, so that one wrong name
    /// doesn't make a dozen findings.
    pub(super) fn base_table(&mut self, parts: &[String], alias: Option<String>, span: Option<Span>) -> Relation {
        let written: Vec<&str> = parts.iter().map(String::as_str).collect();
        let name = parts.last().cloned().unwrap_or_default();
        let lookup = self.schema.resolve_table(&written);
        let table = match lookup {
            TableLookup::Found(table) if self.syntax.same(&table.id.name, &name) => Some(table),
            TableLookup::Ambiguous(candidates) => {
                let kind = ProblemKind::AmbiguousTable { parts: parts.to_vec(), candidates: candidates.clone() };
                self.problem(kind, span);
                if !self.is_strict() {
                    return self.one_of_tables(parts, &candidates, alias.as_deref(), span);
                }
                None
            }
            TableLookup::Found(_) | TableLookup::Unknown => {
                self.problem(ProblemKind::UnknownTable { parts: parts.to_vec() }, span);
                None
            }
        };
        self.reading.tables.push(TableUse {
            parts: parts.to_vec(),
            kind: if table.is_some() { TableUseKind::Base } else { TableUseKind::Unknown },
            table: table.map_or_else(|| self.unlisted(parts), |table| Some(table.id.clone())),
            alias,
            span,
        });
        let path = parts.to_vec();
        let Some(table) = table else {
            let unknown = self.all_of_unlisted(parts);
            let has_implicit = self.unlisted_in.is_none();
            return Relation { name, path, open: true, unknown, has_implicit, span, ..Relation::default() };
        };
        let columns: Vec<Output> = table
            .columns
            .iter()
            .map(|column| {
                let reference = ColumnRef { table: table.id.clone(), column: column.name.clone() };
                let flow = Flow::column(self.number(reference));
                Output { name: Some(column.name.clone()), named: true, flow, place: None }
            })
            .collect();
        Relation {
            name,
            path,
            table: Some(table.id.clone()),
            columns: Rc::new(columns),
            has_implicit: table.kind == catalog::TableKind::Table,
            unsure_order: self.is_strict() && self.syntax.leaves_out_columns(table),
            has_hidden: self.syntax.double_quoted_fallback && matches!(table.kind, catalog::TableKind::Other(_)),
            span,
            ..Relation::default()
        }
    }

    /// A subquery in FROM. Unless it is lateral it doesn't see the relations beside it, but those of the queries further out.
    fn derived(&mut self, lateral: bool, subquery: &sqlparser::ast::Query, alias: Option<&TableAlias>) {
        let mark = self.touched.len();
        if lateral && !self.syntax.lateral {
            self.effect(EffectKind::NotUnderstood, "`LATERAL` is not known to this engine".to_owned(), None);
        }
        let lateral = lateral || self.syntax.subqueries_are_lateral;
        let hidden =
            if lateral { None } else { self.frames.last_mut().map(|frame| std::mem::take(&mut frame.relations)) };
        let shape = self.query(subquery);
        if let (Some(hidden), Some(frame)) = (hidden, self.frames.last_mut()) {
            frame.relations = hidden;
        }
        let relation = Relation::of(shape);
        // What was touched inside a subquery that sees nothing here is no link.
        let mark = if lateral { mark } else { self.touched.len() };
        self.add(relation, alias, mark);
    }

    /// `(a JOIN b)`; with an alias it is one relation, without one its relations stay visible.
    fn nested<'f>(&mut self, inner: &'f TableWithJoins, alias: Option<&TableAlias>) -> Vec<&'f Expr> {
        let first = self.relation_count();
        let later = self.table_with_joins(inner);
        let Some(alias) = alias else { return later };
        // Behind an alias nothing else can be seen.
        self.conditions(&later);
        let Some(frame) = self.frames.last_mut() else { return Vec::new() };
        let inside: Vec<Relation> = frame.relations.drain(first..).collect();
        frame.links.retain(|(left, right)| *left < first && *right < first);
        frame.equalities.retain(|pair| pair.iter().all(|(relation, _)| *relation < first));
        frame.fixed.retain(|((relation, _), _)| *relation < first);
        let mut columns: Vec<Output> = inside.iter().flat_map(|relation| relation.columns.iter().cloned()).collect();
        for name in &frame.merged_of_both {
            let both = flow_of_all(columns.iter(), self.syntax, name);
            let called = |column: &&mut Output| column.name.as_deref().is_some_and(|it| self.syntax.same(it, name));
            columns.iter_mut().filter(called).for_each(|column| column.flow = both.clone());
        }
        let open = inside.iter().any(|relation| relation.open);
        let unknown = inside.iter().fold(Flow::default(), |flow, relation| flow.join(&relation.unknown));
        // Merged columns stand in front, and once.
        let unsure_order = self.unlisted_in.is_none() && !frame.merged.is_empty()
            || inside.iter().any(|relation| relation.unsure_order);
        let relation = Relation { columns: Rc::new(columns), open, unknown, unsure_order, ..Relation::default() };
        self.add(relation, Some(alias), self.touched.len());
        Vec::new()
    }

    /// Conditions of joins.
    pub(super) fn conditions(&mut self, conditions: &[&Expr]) {
        self.enter(Clause::On);
        for condition in conditions {
            self.condition(condition);
        }
    }

    /// Notes that values of these columns decide how many rows there are.
    pub(super) fn note_sizes(&mut self, flow: &Flow) {
        let columns: Vec<ColumnRef> =
            flow.sources.iter().map(|&number| self.columns[number as usize].clone()).collect();
        self.reading.sizes.extend(columns);
    }
}

/// ClickHouse's FINAL behind the name of a table.
fn is_final(alias: &TableAlias) -> bool {
    !alias.explicit && alias.name.quote_style.is_none() && alias.name.value.eq_ignore_ascii_case("final")
}
