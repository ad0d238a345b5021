//! Names: columns of what is in sight, names of the select list, whole rows.

use sqlparser::ast::Ident;

use super::bound::Bound;
use super::expression::listed;
use super::{ASSUMED_BYTES, Measure, stored};
use crate::parser::Idents as _;

impl Measure<'_, '_> {
    /// The columns of everything in sight, as one value.
    pub(super) fn whole_rows(&mut self) -> Bound {
        let relations = self.frames.iter().flat_map(|frame| &frame.relations);
        let columns = relations.flat_map(|relation| relation.columns.iter().map(|(_, bound)| bound.clone()));
        let columns: Vec<Bound> = columns.collect();
        self.budget = self.budget.saturating_sub(columns.len());
        row(&columns)
    }

    /// What a name stands for: the innermost frame that knows it says.
    pub(super) fn named(&mut self, idents: &[&Ident]) -> Bound {
        let parts: Vec<String> = idents.iter().map(|ident| self.syntax.fold(ident)).collect();
        let Some((name, qualifiers)) = parts.split_last() else { return stored(ASSUMED_BYTES) };
        for depth in (0..self.frames.len()).rev() {
            let mut found = self.column_in(depth, name, qualifiers.last().map(String::as_str));
            if qualifiers.is_empty()
                && let Some(alias) = self.alias_in(depth, name)
            {
                found = Some(found.map_or_else(|| alias.clone(), |bound| bound.or(&alias)));
            }
            if let Some(bound) = found {
                return bound;
            }
        }
        for frame in self.frames.iter().rev() {
            if let Some(open) = frame.relations.iter().rev().find_map(|relation| relation.open.clone()) {
                return open;
            }
        }
        // SQLite takes a name in double quotes that nothing has for a text.
        match idents {
            [only] if only.quote_style == Some('"') => Bound::text(&only.value),
            _ => stored(ASSUMED_BYTES),
        }
    }

    fn column_in(&self, depth: usize, name: &str, qualifier: Option<&str>) -> Option<Bound> {
        let relations = &self.frames[depth].relations;
        let mut found: Option<Bound> = None;
        for relation in relations {
            let called = |other: &str| self.syntax.same(&relation.name, other);
            // The whole row, or a field of a value that a function has made, where no column is called so.
            let has = |name: &str| {
                relation.columns.iter().any(|(it, _)| it.as_deref().is_some_and(|it| self.syntax.same(it, name)))
            };
            if qualifier.is_none() && called(name) && !has(name) {
                let columns: Vec<Bound> = relation.columns.iter().map(|(_, bound)| bound.clone()).collect();
                return Some(row(&columns));
            }
            if qualifier.is_some_and(|qualifier| !called(qualifier)) {
                continue;
            }
            let columns =
                relation.columns.iter().filter(|(it, _)| it.as_deref().is_some_and(|it| self.syntax.same(it, name)));
            let own = columns.map(|(_, bound)| bound.clone()).reduce(|left, right| left.or(&right));
            let own = own.or_else(|| relation.open.clone().filter(|_| qualifier.is_some()));
            found = match (found, own) {
                (Some(left), Some(right)) => Some(left.or(&right)),
                (left, right) => left.or(right),
            };
        }
        // `struct_column.field`.
        if found.is_none()
            && let Some(qualifier) = qualifier
        {
            return relations.iter().find_map(|relation| {
                let column = |(it, _): &&(Option<String>, Bound)| {
                    it.as_deref().is_some_and(|it| self.syntax.same(it, qualifier))
                };
                relation.columns.iter().find(column).map(|(_, bound)| bound.clone())
            });
        }
        found
    }

    fn alias_in(&mut self, depth: usize, name: &str) -> Option<Bound> {
        let syntax = self.syntax;
        let aliases = &mut self.frames[depth].aliases;
        let position = aliases.iter().position(|(alias, ..)| syntax.same(alias, name))?;
        if let Some(bound) = &aliases[position].2 {
            return Some(bound.clone());
        }
        // Reading it finds itself as whatever else has that name.
        let (alias, expression, _) = aliases[position].clone();
        aliases[position].0.clear();
        let inner = self.frames.split_off(depth + 1);
        let bound = self.value(expression);
        self.frames.extend(inner);
        if let Some(entry) = self.frames[depth].aliases.get_mut(position) {
            *entry = (alias, expression, Some(bound.clone()));
        }
        Some(bound)
    }

    /// The value of the select list that has this name, read once.
    pub(super) fn alias(&mut self, name: &str) -> Option<Bound> {
        let depth = self.frames.len().checked_sub(1)?;
        self.alias_in(depth, name)
    }
}

/// A whole row of columns: what of it is stored counts as such.
fn row(columns: &[Bound]) -> Bound {
    let data = columns.iter().map(|column| column.data).sum();
    Bound { data, ..listed(columns) }
}
