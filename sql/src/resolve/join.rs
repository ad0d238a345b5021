//! Joins: their conditions, and the columns that USING and NATURAL make one.

use dialect::Clause;
use sqlparser::ast::{Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectNamePart};

use super::Resolver;
use super::scope::{Flow, Output, Relation};
use crate::parser::Idents as _;
use crate::reading::{Fallback, JoinUse, ProblemKind, Through};

impl Resolver<'_> {
    /// A relation that is joined to those from `first` on; gives back its condition, as [`Self::table_with_joins`] does.
    pub(super) fn join<'f>(&mut self, join: &'f Join, first: usize) -> Vec<&'f Expr> {
        let before = self.relation_count();
        if matches!(
            join.join_operator,
            JoinOperator::ArrayJoin | JoinOperator::LeftArrayJoin | JoinOperator::InnerArrayJoin
        ) {
            self.array_join(&join.relation);
            return Vec::new();
        }
        let mut later = self.factor(&join.relation);
        if matches!(
            join.join_operator,
            JoinOperator::Semi(_)
                | JoinOperator::LeftSemi(_)
                | JoinOperator::Anti(_)
                | JoinOperator::LeftAnti(_)
                | JoinOperator::AsOf { .. }
        ) && let Some(frame) = self.frames.last_mut()
        {
            frame.relations.iter_mut().skip(before).for_each(|relation| relation.filters = true);
        }
        let constraint = match &join.join_operator {
            JoinOperator::Join(constraint)
            | JoinOperator::Inner(constraint)
            | JoinOperator::Left(constraint)
            | JoinOperator::LeftOuter(constraint)
            | JoinOperator::Right(constraint)
            | JoinOperator::RightOuter(constraint)
            | JoinOperator::FullOuter(constraint)
            | JoinOperator::CrossJoin(constraint)
            | JoinOperator::Semi(constraint)
            | JoinOperator::LeftSemi(constraint)
            | JoinOperator::RightSemi(constraint)
            | JoinOperator::Anti(constraint)
            | JoinOperator::LeftAnti(constraint)
            | JoinOperator::RightAnti(constraint)
            | JoinOperator::StraightJoin(constraint) => constraint,
            JoinOperator::AsOf { match_condition, constraint } => {
                self.enter(Clause::On);
                self.on(match_condition, first);
                constraint
            }
            JoinOperator::CrossApply
            | JoinOperator::OuterApply
            | JoinOperator::ArrayJoin
            | JoinOperator::LeftArrayJoin
            | JoinOperator::InnerArrayJoin => &JoinConstraint::None,
        };
        match constraint {
            JoinConstraint::On(condition) if self.syntax.on_sees_all => later.push(condition),
            JoinConstraint::On(condition) => {
                self.enter(Clause::On);
                self.on(condition, first);
            }
            constraint => {
                let of_both = matches!(
                    join.join_operator,
                    JoinOperator::Right(_)
                        | JoinOperator::RightOuter(_)
                        | JoinOperator::RightSemi(_)
                        | JoinOperator::RightAnti(_)
                        | JoinOperator::FullOuter(_)
                );
                self.constraint(constraint, before, of_both);
            }
        }
        self.enter(Clause::From);
        later
    }

    /// A condition of a join to relations from `first` on. What stands in front of those, before a comma, keeps its place.
    fn on(&mut self, condition: &Expr, first: usize) {
        let before = if self.syntax.comma_hides_from_on { first } else { 0 };
        let relations = self.frames.last_mut().map(|frame| &mut frame.relations[..before]);
        let hidden: Vec<Relation> = relations.into_iter().flatten().map(std::mem::take).collect();
        self.condition(condition);
        if let Some(frame) = self.frames.last_mut() {
            frame.relations.iter_mut().zip(hidden).for_each(|(place, relation)| *place = relation);
        }
    }

    /// Makes one column of those that USING or NATURAL names. `of_both`: the join keeps rows of its right side that have no
    /// partner on the left.
    fn constraint(&mut self, constraint: &JoinConstraint, first_right: usize, of_both: bool) {
        let merged = self.frames.last().map_or(0, |frame| frame.merged.len());
        self.enter(Clause::On);
        match constraint {
            JoinConstraint::Using(names) => {
                for name in names {
                    if let Some(ObjectNamePart::Identifier(ident)) = name.0.last() {
                        self.note_name(&ident.value);
                        self.merge(&self.syntax.fold(ident), Some(ident), first_right);
                    }
                }
            }
            JoinConstraint::Natural => {
                for name in self.common_columns(first_right) {
                    self.merge(&name, None, first_right);
                }
            }
            JoinConstraint::On(_) | JoinConstraint::None => {}
        }
        if let Some(frame) = self.frames.last_mut().filter(|_| of_both) {
            let names: Vec<String> = frame.merged[merged..].to_vec();
            frame.merged_of_both.extend(names);
        }
    }

    /// Names that a relation on either side of a NATURAL JOIN has.
    fn common_columns(&self, first_right: usize) -> Vec<String> {
        let Some(frame) = self.frames.last() else { return Vec::new() };
        let names = |relations: &[Relation]| -> Vec<String> {
            relations.iter().flat_map(|it| it.columns.iter().filter_map(|column| column.name.clone())).collect()
        };
        let (left, right) = frame.relations.split_at(first_right.min(frame.relations.len()));
        let left = names(left);
        names(right).into_iter().filter(|name| left.iter().any(|other| self.syntax.same(other, name))).collect()
    }

    /// Makes one column of those that the two sides of a join call by a name.
    fn merge(&mut self, name: &str, written: Option<&Ident>, first_right: usize) {
        let Some(depth) = self.frames.len().checked_sub(1) else { return };
        let span = written.and_then(|ident| self.ident_span(ident));
        let mut sides: [Option<(usize, Flow)>; 2] = [None, None];
        let mut open = false;
        for (position, relation) in self.frames[depth].relations.iter().enumerate() {
            open |= relation.open;
            let side = usize::from(position >= first_right);
            let column =
                relation.columns.iter().find(|it| it.name.as_deref().is_some_and(|it| self.syntax.same(it, name)));
            if let (Some(column), None) = (column, &sides[side]) {
                sides[side] = Some((position, column.flow.clone()));
            }
        }
        let through = if written.is_some() { Through::Name } else { Through::Implied };
        let mut since = Vec::new();
        for (_, flow) in sides.iter().flatten() {
            since.push(self.uses_so_far());
            self.use_columns(flow, through, Clause::On, span);
        }
        match (&sides, since.as_slice()) {
            ([Some((_, left)), Some((_, right))], &[first, second]) if self.merges_two_tables(name, written) => {
                self.equated_uses((left, first), (right, second));
            }
            // Which of them the engine equates depends on what else stands in FROM: it may be any.
            _ => self.note_columns_called(name, span),
        }
        match &sides {
            [Some((left, left_flow)), Some((right, right_flow))] => {
                let pair = (self.direct(left_flow).cloned(), self.direct(right_flow).cloned());
                if let (Some(left), Some(right)) = pair {
                    self.reading.joins.push(JoinUse { left, right, span });
                }
                let places = [*left, *right].map(|relation| {
                    let columns = &self.frames[depth].relations[relation].columns;
                    let called = |it: &Output| it.name.as_deref().is_some_and(|it| self.syntax.same(it, name));
                    columns.iter().position(called).map(|column| (relation, column))
                });
                if let [Some(left), Some(right)] = places {
                    self.frames[depth].equalities.push([left, right]);
                }
                self.frames[depth].links.push((*left, *right));
            }
            _ if open => self.frames[depth].links.extend((first_right > 0).then(|| (first_right - 1, first_right))),
            _ => {
                if let Some(ident) = written {
                    let kind = ProblemKind::UnknownColumn {
                        qualifier: None,
                        name: ident.value.clone(),
                        visible: self.visible(),
                        fallback: Fallback::None,
                    };
                    self.problem(kind, span);
                }
            }
        }
        self.frames[depth].merged.push(name.to_owned());
    }

    /// Whether no more than two columns can be meant by a name that USING or NATURAL make one, both of tables.
    fn merges_two_tables(&self, name: &str, written: Option<&Ident>) -> bool {
        let relations = self.frames.last().map(|frame| frame.relations.as_slice()).unwrap_or_default();
        let called = |it: &Output| it.name.as_deref().is_some_and(|it| self.syntax.same(it, name));
        let columns = relations.iter().flat_map(|it| it.columns.iter()).filter(|it| called(it)).count();
        let are_two = if written.is_some() { columns == 2 } else { relations.len() == 2 };
        are_two && relations.iter().all(|it| it.table.is_some())
    }
}
