//! A reading in lines, one for each thing that it says.

use catalog::{Catalog, Column, Table, TableId, TableKind};
use dialect::Case;
use sql::{
    AggregateUse, Argument, CatalogSchema, ColumnRef, Comparison, Fallback, Folding, FunctionPlace, FunctionUse,
    LiteralKind, LiteralUse, LiteralValue, Manner, Operand, Origin, OutputColumn, Problem, ProblemKind, RecursionBound,
    ResolvedStatement, Restriction, TableUse, TableUseKind, Test, Through, Visible,
};

use crate::schema::{SOURCE, empty_table};

/// The lists that a spec can show.
pub(crate) const LISTS: [&str; 22] = [
    "aggregates",
    "columns",
    "compared",
    "conditions",
    "divisions",
    "functions",
    "growth",
    "joins",
    "literals",
    "open",
    "outputs",
    "recursions",
    "restrictions",
    "rows",
    "selections",
    "sizes",
    "statement",
    "tables",
    "ungrouped",
    "unjoined",
    "uses",
    "view",
];

/// What a reading says of these lists, and all its problems and effects.
pub(crate) fn facts(reading: &ResolvedStatement, lists: &[String], sql: &str, catalog: &Catalog) -> Vec<String> {
    let mut facts: Vec<String> = reading.problems.iter().map(|it| problem(it, sql)).collect();
    facts.extend(reading.effects.iter().map(|effect| format!("effect: {:?}", effect.kind)));
    for list in lists {
        facts.extend(facts_of(reading, list, sql, catalog));
    }
    facts
}

fn facts_of(reading: &ResolvedStatement, list: &str, sql: &str, catalog: &Catalog) -> Vec<String> {
    let lines = |lines: &mut dyn Iterator<Item = String>| lines.collect::<Vec<String>>();
    match list {
        "outputs" => {
            let ignores_case = catalog.dialect(SOURCE).syntax().case == Case::Insensitive;
            let unsure = reading.unsure_order.then(|| "output: in an order that only the engine knows".to_owned());
            lines(&mut reading.outputs.iter().map(|it| output(it, ignores_case)).chain(unsure))
        }
        "tables" => lines(&mut reading.tables.iter().map(table)),
        "columns" => lines(&mut reading.columns.iter().map(|it| {
            let through = match it.through {
                Through::Name => "",
                Through::Star => ", by a star",
                Through::Implied => ", implied",
                Through::LeftOut => ", left out",
            };
            format!("column: {} in {}{through}", column(&it.column), format!("{:?}", it.clause).to_lowercase())
        })),
        "uses" => lines(&mut reading.uses.iter().map(|it| {
            let manner = match &it.manner {
                Manner::Passed => "passed on".to_owned(),
                Manner::Counted => "counted".to_owned(),
                Manner::NullTested => "tested for null".to_owned(),
                Manner::Constants(number) => format!("one of {number} constants"),
                Manner::Equated(other) => format!("equated with {}", column(other)),
                Manner::Other => "used otherwise".to_owned(),
            };
            format!("use: {} {manner}{}", column(&it.column), if it.is_carried { ", carried" } else { "" })
        })),
        "functions" => lines(&mut reading.functions.iter().map(function)),
        "literals" => lines(&mut reading.literals.iter().map(literal_use)),
        "compared" => lines(
            &mut reading
                .compared
                .iter()
                .map(|it| format!("compared: {} {} {}", operand(&it.left), operator(it.operator), operand(&it.right)))
                .chain(reading.wrapped.iter().map(|it| format!("wrapped: {} by {}", column(&it.column), it.by))),
        ),
        "conditions" => lines(&mut reading.conditions.iter().map(|it| format!("condition: {}", column(&it.column)))),
        "restrictions" => lines(&mut reading.restrictions.iter().map(restriction)),
        "selections" => lines(&mut sql::selections(reading, &CatalogSchema::new(catalog, SOURCE)).iter().map(|it| {
            let says = [(it.completes, "completes others"), (it.of_one, "of one")];
            let says = says.iter().filter(|(is_so, _)| *is_so).map(|(_, word)| format!(", {word}"));
            format!("selection: {}{}", it.table.name, says.collect::<String>())
        })),
        "ungrouped" => lines(&mut reading.ungrouped.iter().map(|it| format!("ungrouped: {}", it.name))),
        "sizes" => lines(&mut reading.sizes.iter().map(|it| format!("size: {}", column(it)))),
        "joins" => {
            lines(&mut reading.joins.iter().map(|it| format!("join: {} = {}", column(&it.left), column(&it.right))))
        }
        "aggregates" => lines(&mut reading.aggregates.iter().map(aggregate)),
        "divisions" => lines(&mut reading.divisions.iter().map(|it| {
            let needs =
                if it.columns.is_empty() { String::new() } else { format!(" if {} are whole", columns(&it.columns)) };
            format!("division: {}{needs}", it.text)
        })),
        "unjoined" => lines(
            &mut reading
                .unjoined
                .iter()
                .map(|it| format!("unjoined: {} from {}", it.loose.join(", "), it.connected.join(", "))),
        ),
        "recursions" => lines(&mut reading.recursions.iter().map(|it| {
            let number = |number: Option<u64>| number.map_or_else(String::new, |it| format!(" {it}"));
            let bound = match it.bound {
                RecursionBound::None => "nothing".to_owned(),
                RecursionBound::Condition(most) => format!("a condition{}", number(most)),
                RecursionBound::Limit(most) => format!("a limit{}", number(most)),
                RecursionBound::Walk => "the rows it walks".to_owned(),
            };
            format!("recursion: {} ends by {bound}", it.name)
        })),
        "growth" => lines(&mut reading.growth.iter().map(|it| {
            let of_data = if it.of_data > 0.0 { format!(", {:.1e} of it stored", it.of_data) } else { String::new() };
            format!("growth: {:?} of {} {:.1e}{of_data}", it.kind, it.what, it.amount)
        })),
        "open" => lines(&mut reading.open_relations.iter().map(|it| format!("open: {it}"))),
        "rows" => {
            let limit = reading.limit.map(|limit| format!("rows: at most {limit}"));
            let flags = [
                (reading.has_limit && limit.is_none(), "limited"),
                (reading.has_order_by, "ordered"),
                (reading.is_aggregate, "aggregated"),
            ];
            let flags = flags.iter().filter(|(is_so, _)| *is_so).map(|(_, word)| format!("rows: {word}"));
            lines(&mut limit.into_iter().chain(flags))
        }
        "statement" => vec![format!("statement: {:?}, {} in all", reading.kind, reading.statements)],
        "view" => view(reading, sql, catalog),
        other => panic!("`{other}` is no list"),
    }
}

fn problem(problem: &Problem, sql: &str) -> String {
    let seen = |visible: &[Visible]| {
        let names: Vec<&str> = visible.iter().map(|it| it.name.as_str()).filter(|name| !name.is_empty()).collect();
        if names.is_empty() { String::new() } else { format!(" in {}", names.join(", ")) }
    };
    let what = match &problem.kind {
        ProblemKind::Empty => "there is no statement".to_owned(),
        ProblemKind::TooLong { .. } => "too long".to_owned(),
        ProblemKind::TooDeep => "too deep".to_owned(),
        ProblemKind::TooComplex => "too complex".to_owned(),
        // What the parser says is the parser's.
        ProblemKind::ParseError { .. } => "not parsed".to_owned(),
        ProblemKind::UnknownTable { parts } => format!("no table {}", parts.join(".")),
        ProblemKind::AmbiguousTable { parts, candidates } => {
            format!("table {} may be {}", parts.join("."), joined(candidates.iter().map(TableId::local)))
        }
        ProblemKind::UnknownAlias { qualifier, visible, .. } => format!("no relation {qualifier}{}", seen(visible)),
        ProblemKind::UnknownColumn { qualifier, name, visible, fallback } => {
            let qualifier = qualifier.as_ref().map(|it| format!("{it}.")).unwrap_or_default();
            let fallback = match fallback {
                Fallback::None => "",
                Fallback::StringValue => ", a text beside a value",
                Fallback::String => ", a text",
            };
            format!("no column {qualifier}{name}{}{fallback}", seen(visible))
        }
        ProblemKind::BareWord { name } => format!("the engine's own {name}"),
        ProblemKind::QuotedLikeAColumn { name } => format!("a text like the column {name}"),
        ProblemKind::AmbiguousColumn { name, candidates } => {
            format!("column {name} may be of {}", joined(candidates.iter().map(|it| it.name.clone())))
        }
    };
    let place = problem.span.map(|span| format!(" at `{}`", span.text(sql))).unwrap_or_default();
    format!("problem: {what}{place}")
}

/// Where names are compared in any case, engines differ in which they give a result.
fn output(output: &OutputColumn, ignores_case: bool) -> String {
    let sources = columns(&output.sources);
    let made = match (output.origin, sources.is_empty()) {
        (Origin::Column, _) => sources,
        (Origin::Computed, true) => "computed".to_owned(),
        (Origin::Computed, false) => format!("computed from {sources}"),
        (Origin::Aggregated, true) => "aggregated".to_owned(),
        (Origin::Aggregated, false) => format!("aggregated from {sources}"),
    };
    let name = output.name.as_deref().unwrap_or("(no name)");
    let name = if ignores_case { name.to_ascii_lowercase() } else { name.to_owned() };
    format!("output: {name} = {made}")
}

fn table(table: &TableUse) -> String {
    let alias = table.alias.as_ref().map(|alias| format!(" as {alias}")).unwrap_or_default();
    let is = match (table.kind, &table.table) {
        (TableUseKind::Base, Some(id)) => id.local(),
        (TableUseKind::Cte, None) => "a common table expression".to_owned(),
        (TableUseKind::Unknown, None) => "unknown".to_owned(),
        other => panic!("{other:?}"),
    };
    format!("table: {}{alias} = {is}", table.parts.join("."))
}

fn function(function: &FunctionUse) -> String {
    let place = match function.place {
        FunctionPlace::Expression => "",
        FunctionPlace::Window => " over a window",
        FunctionPlace::Table => " as a table",
    };
    let argument = |argument: &Argument| match argument {
        Argument::Literal(value) => literal(value),
        Argument::Column(of) => column(of),
        Argument::Expression => "…".to_owned(),
    };
    format!("function: {}({}){place}", function.path.join("."), joined(function.arguments.iter().map(argument)))
}

fn literal_use(it: &LiteralUse) -> String {
    let of = column(&it.column);
    let of = match it.folding {
        Folding::None => of,
        Folding::Lower => format!("lower({of})"),
        Folding::Upper => format!("upper({of})"),
        Folding::IgnoresCase => format!("{of} in any case"),
        Folding::Date => format!("date({of})"),
    };
    let among = if it.among > 1 { format!(" of {}", it.among) } else { String::new() };
    let clause = format!("{:?}", it.clause).to_lowercase();
    format!("literal: {of} {} {}{among} in {clause}", operator(it.operator), literal(&it.value))
}

fn restriction(it: &Restriction) -> String {
    let list = |values: &[LiteralValue]| joined(values.iter().map(literal));
    let test = match &it.test {
        Test::OneOf(values) => format!("one of {}", list(values)),
        Test::NoneOf(values) => format!("none of {}", list(values)),
        Test::Null => "null".to_owned(),
        Test::NotNull => "not null".to_owned(),
        Test::Ordered(comparison, value) => {
            format!("{} {}", operator(*comparison), value.as_ref().map_or_else(|| "…".to_owned(), literal))
        }
        Test::Matches { pattern, is_regular, negated } => {
            let (not, form) = (if *negated { "not " } else { "" }, if *is_regular { "regular " } else { "" });
            format!("{not}of {form}'{pattern}'")
        }
    };
    let ignores_case = if it.ignores_case { ", in any case" } else { "" };
    format!("restriction: {} {}{ignores_case}", column(&it.column), test.trim_end())
}

fn literal(value: &LiteralValue) -> String {
    match value.kind {
        LiteralKind::Text => format!("'{}'", value.text),
        LiteralKind::DoubleQuoted => format!("\"{}\"", value.text),
        LiteralKind::Number | LiteralKind::Boolean => value.text.clone(),
        LiteralKind::Bytes => format!("X'{}'", value.text),
        LiteralKind::Null => "NULL".to_owned(),
    }
}

fn operand(operand: &Operand) -> String {
    match operand {
        Operand::Column(it) => column(it),
        Operand::Literal(value) => literal(value),
        Operand::Typed(name) => format!("a {name}"),
    }
}

fn operator(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
        Comparison::Like => "LIKE",
        Comparison::NotLike => "NOT LIKE",
        Comparison::ILike => "ILIKE",
        Comparison::Glob => "GLOB",
    }
}

fn aggregate(it: &AggregateUse) -> String {
    let mut line = format!("aggregate: {}{}", it.function, if it.distinct { " distinct" } else { "" });
    line += &match (&it.column, it.over.as_slice()) {
        (Some(of), _) => format!(" of {}", column(of)),
        (None, []) => " of rows".to_owned(),
        (None, over) => format!(" over {}", over.join(", ")),
    };
    for join in &it.multiplied_by {
        let by = if join.by.is_empty() { String::new() } else { format!(" by {}", join.by.join(", ")) };
        line += &format!(", repeated by {}{by}", join.relation);
    }
    if it.one_per_group {
        line += ", one for each group";
    }
    if let Some(held) = it.held.as_ref().filter(|held| !held.is_empty()) {
        line += &format!(", holds {}", held.join(", "));
    }
    line
}

/// What the statement says as the query of a view, whose columns are called like the results.
fn view(reading: &ResolvedStatement, sql: &str, catalog: &Catalog) -> Vec<String> {
    let names = reading.outputs.iter().map(|it| it.name.as_deref().unwrap_or("?column?"));
    let view = Table {
        definition: Some(sql.to_owned()),
        columns: names.map(|name| Column::new(name, "TEXT")).collect(),
        ..empty_table("spec_view", TableKind::View)
    };
    let Some(read) = sql::read_view(&view, catalog) else { return vec!["view: not read".to_owned()] };
    let mut lines = Vec::new();
    for ((of, origin), is_plain) in view.columns.iter().zip(&read.origins).zip(&read.is_plain) {
        let made = match (origin.as_deref(), is_plain) {
            (None, _) => "unknown".to_owned(),
            (Some([]), _) => "computed".to_owned(),
            (Some(from), true) => columns(from),
            (Some(from), false) => format!("computed from {}", columns(from)),
        };
        lines.push(format!("view: {} = {made}", of.name));
    }
    for (word, list) in [("decided by", &read.choice.deciding), ("tells whether there is", &read.choice.tested)] {
        let mut list: Vec<ColumnRef> = list.clone();
        list.sort();
        list.dedup();
        lines.extend((!list.is_empty()).then(|| format!("view: {word} {}", columns(&list))));
    }
    lines.extend((!read.is_followed).then(|| "view: not followed".to_owned()));
    lines
}

fn column(column: &ColumnRef) -> String {
    format!("{}.{}", column.table.local(), column.column)
}

fn columns(several: &[ColumnRef]) -> String {
    joined(several.iter().map(column))
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
