//! What statements make of what they read: the tables that are created, filled and changed, and what their columns are made
//! from.

use std::ops::Range;

use catalog::TableId;
use dialect::Clause;
use sqlparser::ast::{
    AlterTableOperation, Assignment, AssignmentTarget, ConflictTarget, CopySource, CreateTable, CreateTableLikeKind,
    CreateView, Delete, Expr, FromTable, Insert, Merge, MergeAction, MergeInsertExpr, MergeInsertKind, MergeUpdateKind,
    ObjectName, ObjectType, OnConflictAction, OnInsert, Query, RenameTableNameKind, SelectInto, SetExpr, Statement,
    TableFactor, TableObject, TableWithJoins, Update, UpdateTableFromKind,
};

use super::Resolver;
use super::scope::{Flow, Frame, Output, Relation};
use super::unlisted::ALL_COLUMNS;
use crate::parser::Idents as _;
use crate::reading::{ColumnRef, Origin};
use crate::schema::TableLookup;

/// Where a common table expression is named, and which tables it names, by their places among all that are named.
#[derive(Clone, Debug, Default)]
pub(super) struct CteMentions {
    /// What its body names.
    pub(super) tables: Range<usize>,
    /// Where it is named.
    pub(super) mentions: Vec<usize>,
}

/// What a statement makes of a table, or the result of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The table that is created, filled or changed; `None` for the result of a query.
    pub table: Option<TableId>,
    /// Its columns, as far as the statement makes them.
    pub columns: Vec<MadeColumn>,
    /// What becomes of the table.
    pub change: TableChange,
}

/// What becomes of a table that a statement makes something of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableChange {
    /// It is created, so that it has these columns and rows and no others.
    Created,
    /// The same, and it lasts no longer than the session.
    Staged,
    /// It gets rows.
    Filled,
    /// Rows that it has are changed or taken away.
    Changed,
}

/// A column, and what a statement makes it from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeColumn {
    /// Its name; `None` for all columns of tables whose columns aren't known, and where only the engine knows.
    pub name: Option<String>,
    /// The columns that it is made from. One whose table has no name is of one of several, see the statement's problems; one
    /// called `*` stands for all of a table's.
    pub sources: Vec<ColumnRef>,
    /// How.
    pub origin: Origin,
    /// The expression that it is, where it isn't a column unchanged.
    pub expression: Option<String>,
    /// Whether it is a count and nothing besides, which holds nothing of what is counted.
    pub is_count: bool,
}

impl TableChange {
    /// Whether the table has these columns and rows and no others.
    pub fn creates(self) -> bool {
        matches!(self, Self::Created | Self::Staged)
    }

    fn staged_if(self, is_temporary: bool) -> Self {
        if is_temporary { Self::Staged } else { self }
    }
}

impl Resolver<'_> {
    /// Reads a statement of any kind, and says what it makes, parts of it that write rows included.
    pub(crate) fn all_made(&mut self, statement: &Statement) -> Vec<Made> {
        let mut made = self.made(statement);
        made.append(&mut self.made_inside);
        made
    }

    pub(super) fn made(&mut self, statement: &Statement) -> Vec<Made> {
        match statement {
            Statement::Query(query) => self.made_by_query(query),
            Statement::CreateView(view) => self.made_view(view),
            Statement::CreateTable(table) => {
                let made = self.made_table(table);
                vec![Made { change: made.change.staged_if(table.temporary), ..made }]
            }
            Statement::AlterView { name, columns, query, .. } => {
                let names: Vec<String> = columns.iter().map(|column| self.syntax.fold(column)).collect();
                vec![self.made_of(name, &names, query)]
            }
            Statement::Cache { table_name, query: Some(query), .. } => vec![self.made_of(table_name, &[], query)],
            Statement::Insert(insert) => self.inserted(insert),
            Statement::Update(update) => self.updated(update),
            Statement::Delete(delete) => self.deleted(delete),
            Statement::Merge(merge) => vec![self.merged(merge)],
            Statement::Explain { statement, .. } | Statement::Prepare { statement, .. } => self.made(statement),
            Statement::RenameTable(renamed) => {
                renamed.iter().map(|it| self.taken_over(&it.old_name, &it.new_name)).collect()
            }
            Statement::AlterTable(altered) => altered
                .operations
                .iter()
                .filter_map(|operation| match operation {
                    AlterTableOperation::RenameTable {
                        table_name: RenameTableNameKind::As(name) | RenameTableNameKind::To(name),
                    } => Some(self.taken_over(&altered.name, &beside(&altered.name, name))),
                    AlterTableOperation::SwapWith { table_name } => Some(self.taken_over(table_name, &altered.name)),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The tables that are read, each once, in order of appearance: not those that only common table expressions name which
    /// nothing names.
    pub(crate) fn tables_read(&self) -> Vec<TableId> {
        let mut unused: Vec<&CteMentions> = Vec::new();
        for cte in self.cte_mentions.iter().rev() {
            let counts = |mention: &usize| unused.iter().all(|it| !it.tables.contains(mention));
            if !cte.mentions.iter().any(|mention| !cte.tables.contains(mention) && counts(mention)) {
                unused.push(cte);
            }
        }
        let mut read: Vec<TableId> = Vec::new();
        for (place, used) in self.reading.tables.iter().enumerate() {
            let is_read = !self.not_read.contains(&place) && unused.iter().all(|it| !it.tables.contains(&place));
            read.extend(used.table.clone().filter(|table| is_read && !read.contains(table)));
        }
        read
    }

    /// The tables that a statement takes away, empties or alters without making anything of others.
    pub(crate) fn changed(&self, statement: &Statement) -> Vec<TableId> {
        let named =
            |names: &mut dyn Iterator<Item = &ObjectName>| names.filter_map(|it| self.table_named(it)).collect();
        match statement {
            Statement::Drop { object_type: ObjectType::Table | ObjectType::View, names, .. } => {
                named(&mut names.iter())
            }
            Statement::Truncate(truncate) => named(&mut truncate.table_names.iter().map(|target| &target.name)),
            Statement::AlterTable(altered) if !altered.operations.iter().any(renames) => {
                named(&mut std::iter::once(&altered.name))
            }
            Statement::Copy { source: CopySource::Table { table_name, .. }, to: false, .. } => {
                named(&mut std::iter::once(table_name))
            }
            _ => Vec::new(),
        }
    }

    /// The table that a name stands for, which the statement may be about to make.
    pub(super) fn table_named(&self, name: &ObjectName) -> Option<TableId> {
        let parts = self.parts(name);
        let written: Vec<&str> = parts.iter().map(String::as_str).collect();
        match self.schema.resolve_table(&written) {
            TableLookup::Found(table) => Some(table.id.clone()),
            _ => self.unlisted(&parts),
        }
    }

    /// The names of a table's columns, where they are known.
    fn columns_of(&self, table: Option<&TableId>) -> Vec<String> {
        let table = table.and_then(|table| self.schema.table(table));
        table.map_or_else(Vec::new, |table| table.columns.iter().map(|column| column.name.clone()).collect())
    }

    fn made_by_query(&mut self, query: &Query) -> Vec<Made> {
        if let SetExpr::Insert(inner) | SetExpr::Update(inner) | SetExpr::Delete(inner) | SetExpr::Merge(inner) =
            query.body.as_ref()
        {
            let outer_ctes = self.ctes.len();
            query.with.iter().for_each(|with| self.with(with));
            let made = self.made(inner);
            self.ctes.truncate(outer_ctes);
            return made;
        }
        let into = into_of(&query.body);
        let Some(name) = into.and_then(|into| into.targets.first()).and_then(name_of) else {
            let columns = self.columns_made_by(query, &[]);
            return vec![Made { table: None, columns, change: TableChange::Created }];
        };
        let made = self.made_of(&name, &[], query);
        let change = made.change.staged_if(into.is_some_and(|into| into.temporary));
        vec![Made { change, ..made }]
    }

    /// A table that is made by a query, under these names of columns where they are given.
    fn made_of(&mut self, name: &ObjectName, names: &[String], query: &Query) -> Made {
        let table = self.table_named(name);
        let columns = self.columns_made_by(query, names);
        Made { table, columns, change: TableChange::Created }
    }

    fn columns_made_by(&mut self, query: &Query, names: &[String]) -> Vec<MadeColumn> {
        let outputs = self.query(query).outputs;
        self.named_in_order(outputs, names)
    }

    /// Results under the names that they are given, by position.
    fn named_in_order(&self, outputs: Vec<Output>, names: &[String]) -> Vec<MadeColumn> {
        let sure = outputs.iter().take_while(|output| !self.is_all(output)).count();
        let count = outputs.len();
        // Behind the last `*` places count from the end.
        let behind = outputs.iter().rposition(|output| self.is_all(output)).map_or(0, |place| place + 1);
        let column = |(place, output): (usize, Output)| {
            let from_end = || names.len().checked_sub(count - place).filter(|_| place >= behind);
            let place = if place < sure { Some(place) } else { from_end() };
            let given = place.and_then(|place| names.get(place)).cloned();
            self.column(given.or(output.name), &output.flow)
        };
        outputs.into_iter().enumerate().map(column).collect()
    }

    /// Whether a result stands for all columns of a table.
    fn is_all(&self, output: &Output) -> bool {
        let is_all = |&number: &u32| self.columns[number as usize].column == ALL_COLUMNS;
        output.name.is_none() && output.flow.sources.iter().any(is_all)
    }

    fn column(&self, name: Option<String>, flow: &Flow) -> MadeColumn {
        MadeColumn {
            name,
            sources: flow.sources.iter().map(|&number| self.columns[number as usize].clone()).collect(),
            origin: flow.origin(),
            expression: flow.text.as_deref().map(str::to_owned),
            is_count: flow.is_count,
        }
    }

    fn made_view(&mut self, view: &CreateView) -> Vec<Made> {
        let names: Vec<String> = view.columns.iter().map(|column| self.syntax.fold(&column.name)).collect();
        let made = self.made_of(&view.name, &names, &view.query);
        let made = Made { change: made.change.staged_if(view.temporary), ..made };
        // ClickHouse's materialised view fills another table.
        let filled = view.to.as_ref().map(|to| Made {
            table: self.table_named(to),
            change: TableChange::Filled,
            ..made.clone()
        });
        std::iter::once(made).chain(filled).collect()
    }

    fn made_table(&mut self, table: &CreateTable) -> Made {
        let names: Vec<String> = table.columns.iter().map(|column| self.syntax.fold(&column.name)).collect();
        if let Some(query) = &table.query {
            return self.made_of(&table.name, &names, query);
        }
        let like = table.like.as_ref().map(|like| match like {
            CreateTableLikeKind::Parenthesized(like) | CreateTableLikeKind::Plain(like) => &like.name,
        });
        if let Some(model) = table.clone.as_ref().or(like) {
            return self.taken_over(model, &table.name);
        }
        let columns = names.into_iter().map(|name| self.column(Some(name), &Flow::default())).collect();
        Made { table: self.table_named(&table.name), columns, change: TableChange::Created }
    }

    /// A table that gets all columns of another one.
    fn taken_over(&mut self, from: &ObjectName, to: &ObjectName) -> Made {
        let relation = self.base_table(&self.parts(from), None, self.name_span(from));
        let outputs = self.outputs_of(&relation);
        let columns = self.named_in_order(outputs, &[]);
        Made { table: self.table_named(to), columns, change: TableChange::Created }
    }

    /// What `*` of a relation brings.
    fn outputs_of(&self, relation: &Relation) -> Vec<Output> {
        let mut outputs = relation.columns.as_ref().clone();
        if relation.open && !relation.unknown.sources.is_empty() {
            outputs.push(Output { flow: relation.unknown.clone(), ..Output::default() });
        }
        outputs
    }

    fn inserted(&mut self, insert: &Insert) -> Vec<Made> {
        let table = match &insert.table {
            TableObject::TableName(name) => self.table_named(name),
            TableObject::TableFunction(_) => None,
            TableObject::TableQuery(query) => {
                self.query(query);
                None
            }
        };
        let mut names: Vec<String> = insert.columns.iter().filter_map(|name| self.parts(name).pop()).collect();
        if names.is_empty() {
            names = insert.after_columns.iter().map(|name| self.syntax.fold(name)).collect();
        }
        if names.is_empty() {
            names = self.columns_of(table.as_ref());
            self.partitions_last(&mut names, insert.partitioned.as_deref().unwrap_or_default());
        }
        let outputs = match &insert.source {
            Some(query) => self.query(query).outputs,
            None => Vec::new(),
        };
        let mut columns = self.named_in_order(outputs.clone(), &names);
        // Rows that are there already may be changed instead.
        let excluded =
            outputs.into_iter().zip(&columns).map(|(output, column)| Output { name: column.name.clone(), ..output });
        let excluded: Vec<Output> = excluded.collect();
        // Which of several rows is kept tells of what they agree in.
        if keeps_one(insert) {
            let key = self.key_of(insert, table.as_ref());
            let is_part = |output: &&Output| match (&key, &output.name) {
                (Some(key), Some(name)) => key.iter().any(|part| self.syntax.same(part, name)),
                _ => true,
            };
            let computed: Vec<Flow> = excluded.iter().filter(is_part).map(|output| output.flow.clone()).collect();
            computed.iter().filter(|flow| flow.origin() != Origin::Column).for_each(|flow| self.note_use(flow, None));
        }
        let assignments = match &insert.on {
            Some(OnInsert::DuplicateKeyUpdate(assignments)) => assignments.as_slice(),
            Some(OnInsert::OnConflict(conflict)) => match &conflict.action {
                OnConflictAction::DoUpdate(update) => update.assignments.as_slice(),
                OnConflictAction::DoNothing => &[],
            },
            _ => &[],
        };
        if let TableObject::TableName(name) = &insert.table
            && (!assignments.is_empty() || !insert.assignments.is_empty())
        {
            self.frames.push(Frame::new(Clause::Select));
            self.own_relation(name);
            let excluded = Relation { name: "excluded".to_owned(), columns: excluded.into(), ..Relation::default() };
            self.add(excluded, None, self.touched.len());
            if let Some(OnInsert::OnConflict(conflict)) = &insert.on
                && let OnConflictAction::DoUpdate(update) = &conflict.action
            {
                self.enter(Clause::Where);
                update.selection.iter().for_each(|condition| self.condition(condition));
                self.enter(Clause::Select);
            }
            for assignment in assignments.iter().chain(&insert.assignments) {
                columns.extend(self.assigned(assignment).into_iter().map(|(_, column)| column));
            }
            self.frames.pop();
        }
        let mut made = vec![Made { table, columns, change: TableChange::Filled }];
        for into in &insert.multi_table_into_clauses {
            let names: Vec<String> = into.columns.iter().map(|name| self.syntax.fold(name)).collect();
            let outputs = insert.source.as_ref().map(|query| self.query(query).outputs).unwrap_or_default();
            let columns = self.named_in_order(outputs, &names);
            made.push(Made { table: self.table_named(&into.table_name), columns, change: TableChange::Filled });
        }
        made.retain(|it| it.table.is_some() || made_by_function(insert));
        made
    }

    /// The columns by which rows of a table are told apart, where these are known.
    fn key_of(&self, insert: &Insert, table: Option<&TableId>) -> Option<Vec<String>> {
        if let Some(OnInsert::OnConflict(conflict)) = &insert.on
            && let Some(ConflictTarget::Columns(columns)) = &conflict.conflict_target
        {
            return Some(columns.iter().map(|column| self.syntax.fold(column)).collect());
        }
        let table = self.schema.table(table?)?;
        let unique = table.indexes.iter().filter(|index| index.unique).flat_map(|index| &index.columns);
        let key: Vec<String> = table.primary_key.iter().chain(unique).cloned().collect();
        (!key.is_empty()).then_some(key)
    }

    /// Hive: columns that a partition is told by come last, and not at all where a value is given.
    fn partitions_last(&self, names: &mut Vec<String>, partitioned: &[Expr]) {
        for part in partitioned {
            let (ident, has_value) = match part {
                Expr::Identifier(ident) => (ident, false),
                Expr::BinaryOp { left, .. } => match left.as_ref() {
                    Expr::Identifier(ident) => (ident, true),
                    _ => continue,
                },
                _ => continue,
            };
            let name = self.syntax.fold(ident);
            if let Some(place) = names.iter().position(|it| self.syntax.same(it, &name)) {
                let name = names.remove(place);
                names.extend((!has_value).then_some(name));
            }
        }
    }

    /// The table that a statement changes, as a relation that its expressions can name; it isn't read for that.
    pub(super) fn own_relation(&mut self, name: &ObjectName) {
        let before = self.reading.tables.len();
        let relation = self.base_table(&self.parts(name), None, self.name_span(name));
        self.reading.tables.truncate(before);
        self.add(relation, None, self.touched.len());
    }

    /// What an assignment makes: each column with the qualifier that it stands behind.
    fn assigned(&mut self, assignment: &Assignment) -> Vec<(Vec<String>, MadeColumn)> {
        let targets: Vec<&ObjectName> = match &assignment.target {
            AssignmentTarget::ColumnName(name) => vec![name],
            AssignmentTarget::Tuple(names) => names.iter().collect(),
        };
        let flows: Vec<Flow> = match (&assignment.value, targets.len()) {
            (Expr::Subquery(query), 2..) => self.query(query).outputs.into_iter().map(|output| output.flow).collect(),
            (Expr::Tuple(values), 2..) => values.iter().map(|value| self.passed(value)).collect(),
            (value, _) => {
                let flow = self.passed(value);
                vec![self.with_text(flow, value)]
            }
        };
        let named = |(name, flow): (&ObjectName, Flow)| {
            let mut parts = self.parts(name);
            let name = parts.pop();
            (parts, self.column(name, &flow))
        };
        targets.into_iter().zip(flows).map(named).collect()
    }

    fn updated(&mut self, update: &Update) -> Vec<Made> {
        self.frames.push(Frame::new(Clause::From));
        let before = self.reading.tables.len();
        let from = match &update.from {
            Some(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from)) => from.as_slice(),
            None => &[],
        };
        // T-SQL's names the table by its alias, which comes later.
        let later = match self.is_alias_in(&update.table, from) {
            true => Vec::new(),
            false => self.table_with_joins(&update.table),
        };
        let more: Vec<&Expr> = from.iter().flat_map(|from| self.table_with_joins(from)).collect();
        self.conditions(&later);
        self.conditions(&more);
        self.enter(Clause::Select);
        let mut made: Vec<Made> = Vec::new();
        let own = self.changed_table(&update.table, before);
        for assignment in &update.assignments {
            for (qualifier, column) in self.assigned(assignment) {
                // MySQL changes any table of a join, told by the qualifier.
                let table = match qualifier.is_empty() {
                    true => self.table_with(column.name.as_deref(), own.as_ref()),
                    false => self.table_behind(&qualifier).or_else(|| own.clone()),
                };
                match made.iter_mut().find(|made| made.table == table) {
                    Some(made) => made.columns.push(column),
                    None => made.push(Made { table, columns: vec![column], change: TableChange::Changed }),
                }
            }
        }
        self.enter(Clause::Where);
        update.selection.iter().for_each(|condition| self.condition(condition));
        self.frames.pop();
        // What is only changed isn't read.
        let changed: Vec<&TableId> = made.iter().filter_map(|made| made.table.as_ref()).collect();
        self.forget_own_mention(before, &changed);
        made
    }

    /// The table that an unqualified column is of which an UPDATE sets: the first one, unless that is known not to have it and
    /// another one of the join has.
    fn table_with(&self, column: Option<&str>, own: Option<&TableId>) -> Option<TableId> {
        let has = |columns: &[String]| column.is_none_or(|name| columns.iter().any(|it| self.syntax.same(it, name)));
        let columns = self.columns_of(own);
        if columns.is_empty() || has(&columns) {
            return own.cloned();
        }
        let relations = self.frames.last().map(|frame| frame.relations.as_slice()).unwrap_or_default();
        let mut others = relations.iter().filter_map(|relation| relation.table.as_ref());
        others.find(|table| has(&self.columns_of(Some(table)))).or(own).cloned()
    }

    /// The table that a statement names first, also by an alias.
    fn changed_table(&self, from: &TableWithJoins, before: usize) -> Option<TableId> {
        let TableFactor::Table { name, .. } = &from.relation else { return None };
        let parts = self.parts(name);
        let by_alias = self.reading.tables[before..].iter().find(|used| {
            used.alias
                .as_deref()
                .is_some_and(|alias| matches!(parts.as_slice(), [only] if self.syntax.same(only, alias)))
        });
        by_alias.and_then(|used| used.table.clone()).or_else(|| self.table_named(name))
    }

    /// Whether the name of a table is an alias in a FROM.
    fn is_alias_in(&self, table: &TableWithJoins, from: &[TableWithJoins]) -> bool {
        let TableFactor::Table { name, alias: None, .. } = &table.relation else { return false };
        let parts = self.parts(name);
        let factors =
            from.iter().flat_map(|it| std::iter::once(&it.relation).chain(it.joins.iter().map(|it| &it.relation)));
        let aliases = factors.filter_map(|factor| match factor {
            TableFactor::Table { alias: Some(alias), .. } => Some(self.syntax.fold(&alias.name)),
            _ => None,
        });
        let mut aliases = aliases.into_iter();
        aliases.any(|alias| matches!(parts.as_slice(), [only] if self.syntax.same(only, &alias)))
    }

    /// The table of the relation in sight that a qualifier means.
    fn table_behind(&self, qualifier: &[String]) -> Option<TableId> {
        let frame = self.frames.last()?;
        let relation = *super::lookup::relations_called(self.syntax, frame, qualifier).first()?;
        let relation = &frame.relations[relation];
        let unlisted = || {
            let all = relation.unknown.sources.iter().map(|&number| &self.columns[number as usize]);
            all.filter(|column| column.column == ALL_COLUMNS).map(|column| column.table.clone()).next()
        };
        relation.table.clone().or_else(unlisted)
    }

    /// Takes back that the tables were named which a statement changes, once each.
    fn forget_own_mention(&mut self, before: usize, changed: &[&TableId]) {
        for table in changed {
            let named = |used: &crate::reading::TableUse| used.table.as_ref() == Some(*table);
            let place = self.reading.tables[before..].iter().position(named);
            self.not_read.extend(place.map(|place| before + place));
        }
    }

    fn deleted(&mut self, delete: &Delete) -> Vec<Made> {
        self.frames.push(Frame::new(Clause::From));
        let before = self.reading.tables.len();
        let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
        let tables = from.iter().chain(delete.using.iter().flatten());
        let later: Vec<&Expr> = tables.flat_map(|from| self.table_with_joins(from)).collect();
        self.conditions(&later);
        self.enter(Clause::Where);
        delete.selection.iter().for_each(|condition| self.condition(condition));
        let named: Vec<TableId> = match delete.tables.as_slice() {
            [] => from.first().and_then(|from| self.changed_table(from, before)).into_iter().collect(),
            several => several.iter().filter_map(|it| self.table_behind(&self.parts(it))).collect(),
        };
        self.frames.pop();
        self.forget_own_mention(before, &named.iter().collect::<Vec<_>>());
        named
            .into_iter()
            .map(|table| Made { table: Some(table), columns: Vec::new(), change: TableChange::Changed })
            .collect()
    }

    fn merged(&mut self, merge: &Merge) -> Made {
        self.frames.push(Frame::new(Clause::From));
        let before = self.reading.tables.len();
        let later = self.factor(&merge.table);
        self.conditions(&later);
        let table = match &merge.table {
            TableFactor::Table { name, .. } => self.table_named(name),
            _ => None,
        };
        self.forget_own_mention(before, &table.iter().collect::<Vec<_>>());
        let first = self.relation_count();
        let later = self.factor(&merge.source);
        self.conditions(&later);
        self.enter(Clause::On);
        self.condition(&merge.on);
        let mut columns: Vec<MadeColumn> = Vec::new();
        for clause in &merge.clauses {
            self.enter(Clause::Where);
            clause.predicate.iter().for_each(|condition| self.condition(condition));
            self.enter(Clause::Select);
            match &clause.action {
                MergeAction::Insert(insert) => {
                    let inserted = self.inserted_by_merge(insert, table.as_ref(), first);
                    columns.extend(inserted);
                }
                MergeAction::Update(update) => match &update.kind {
                    MergeUpdateKind::Set(assignments) => {
                        for assignment in assignments {
                            columns.extend(self.assigned(assignment).into_iter().map(|(_, column)| column));
                        }
                    }
                    MergeUpdateKind::Wildcard => columns.extend(self.all_from(first)),
                },
                MergeAction::Delete { .. } | MergeAction::DoNothing { .. } => {}
            }
        }
        self.frames.pop();
        columns.dedup();
        Made { table, columns, change: TableChange::Filled }
    }

    fn inserted_by_merge(
        &mut self,
        insert: &MergeInsertExpr,
        table: Option<&TableId>,
        first: usize,
    ) -> Vec<MadeColumn> {
        let mut names: Vec<String> = insert.columns.iter().filter_map(|name| self.parts(name).pop()).collect();
        if names.is_empty() {
            names = self.columns_of(table);
        }
        let MergeInsertKind::Values(values) = &insert.kind else { return self.all_from(first) };
        let mut columns = Vec::new();
        for row in &values.rows {
            for (place, value) in row.content.iter().enumerate() {
                let flow = self.passed(value);
                let flow = self.with_text(flow, value);
                columns.push(self.column(names.get(place).cloned(), &flow));
            }
        }
        columns
    }

    /// What the relations of this FROM from that one on have.
    fn all_from(&self, first: usize) -> Vec<MadeColumn> {
        let relations = self.frames.last().map(|frame| &frame.relations[first.min(frame.relations.len())..]);
        let outputs = relations.into_iter().flatten().flat_map(|relation| self.outputs_of(relation)).collect();
        self.named_in_order(outputs, &[])
    }
}

/// Whether a table gets another name, or the rows of another one.
fn renames(operation: &AlterTableOperation) -> bool {
    matches!(operation, AlterTableOperation::RenameTable { .. } | AlterTableOperation::SwapWith { .. })
}

/// Whether of rows that agree in a key only one is kept.
fn keeps_one(insert: &Insert) -> bool {
    insert.on.is_some() || insert.or.is_some() || insert.ignore || insert.replace_into
}

/// Whether rows are written to what a function names.
fn made_by_function(insert: &Insert) -> bool {
    matches!(insert.table, TableObject::TableFunction(_))
}

/// The name of a table beside another one, in whose schema it is unless it says otherwise.
fn beside(table: &ObjectName, name: &ObjectName) -> ObjectName {
    match (table.0.as_slice(), name.0.as_slice()) {
        ([schema @ .., _], [only]) => ObjectName(schema.iter().chain([only]).cloned().collect()),
        _ => name.clone(),
    }
}

/// The INTO of a query's first select.
fn into_of(body: &SetExpr) -> Option<&SelectInto> {
    match body {
        SetExpr::Select(select) => select.into.as_ref(),
        SetExpr::Query(query) => into_of(&query.body),
        SetExpr::SetOperation { left, .. } => into_of(left),
        _ => None,
    }
}

/// An expression that is a name.
fn name_of(expression: &Expr) -> Option<ObjectName> {
    match expression {
        Expr::Identifier(name) => Some(ObjectName::from(name.clone())),
        Expr::CompoundIdentifier(parts) => Some(ObjectName::from(parts.clone())),
        _ => None,
    }
}
