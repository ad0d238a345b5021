use catalog::{Catalog, Column, Dialect, Entry, Identity, Source, Table, TableId, TableKind, TypeClass};

use super::read;
use crate::reading::{
    Comparison, EffectKind, Fallback, LiteralKind, Manner, Origin, ProblemKind, Reading, RecursionBound, StatementKind,
};
use crate::schema::CatalogSchema;

fn table(name: &str, columns: &[&str]) -> Entry {
    let column = |name: &&str| Column {
        name: (*name).to_owned(),
        data_type: "TEXT".to_owned(),
        type_class: TypeClass::Text,
        nullable: true,
        default: None,
        comment: None,
        enum_values: Vec::new(),
        generated: None,
    };
    Entry::bare(Table {
        id: TableId::new("test", name),
        kind: TableKind::Table,
        comment: None,
        definition: None,
        columns: columns.iter().map(column).collect(),
        primary_key: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        row_count: None,
        last_update: None,
        reads_from: Vec::new(),
        identity: Identity::default(),
    })
}

fn read_in(dialect: &Dialect, sql: &str) -> Reading {
    let source = Source::new("test", dialect.clone(), "");
    let entries =
        vec![table("a", &["id", "x", "y"]), table("b", &["id", "a_id", "z"]), table("c", &["id", "b_id", "w"])];
    let catalog = Catalog::new(vec![source], entries, Vec::new(), 0);
    read(sql, dialect, &CatalogSchema::new(&catalog, "test"))
}

fn clean(sql: &str) -> Reading {
    let reading = read_in(&Dialect::Sqlite, sql);
    assert!(reading.problems.is_empty(), "{sql}: {:?}", reading.problems);
    assert!(reading.effects.is_empty(), "{sql}: {:?}", reading.effects);
    reading
}

/// Outputs as `name = table.column + table.column`.
fn check_outputs(sql: &str, expected: &[&str]) {
    let outputs: Vec<String> = clean(sql)
        .outputs
        .iter()
        .map(|output| {
            let sources: Vec<String> =
                output.sources.iter().map(|source| format!("{}.{}", source.table.name, source.column)).collect();
            format!("{} = {}", output.name.as_deref().unwrap_or("?"), sources.join(" + "))
        })
        .collect();
    assert_eq!(outputs, expected, "{sql}");
}

#[test]
fn outputs_are_followed_to_base_columns() {
    check_outputs("SELECT x, a.y AS why FROM a", &["x = a.x", "why = a.y"]);
    check_outputs("SELECT * FROM a", &["id = a.id", "x = a.x", "y = a.y"]);
    check_outputs("SELECT q.* FROM (SELECT x || y AS both FROM a) q", &["both = a.x + a.y"]);
    check_outputs("WITH c1(m) AS (SELECT z FROM b), c2 AS (SELECT m AS n FROM c1) SELECT n FROM c2", &["n = b.z"]);
    check_outputs("SELECT x FROM a UNION SELECT z FROM b", &["x = a.x + b.z"]);
    check_outputs("SELECT (SELECT max(z) FROM b WHERE a_id = a.id) AS most FROM a", &["most = b.z"]);
    check_outputs("SELECT id FROM a JOIN b USING (id)", &["id = a.id"]);
    check_outputs("SELECT * FROM a NATURAL JOIN b", &["id = a.id", "x = a.x", "y = a.y", "a_id = b.a_id", "z = b.z"]);
    check_outputs("SELECT count(*) AS n, sum(x) AS s FROM a", &["n = ", "s = a.x"]);
    check_outputs(
        "WITH RECURSIVE r(n, k) AS (SELECT x, 0 FROM a UNION ALL SELECT n, k + 1 FROM r WHERE k < 3) SELECT n, k FROM r",
        &["n = a.x", "k = "],
    );
    check_outputs("SELECT j.value FROM a, json_each(a.x) j", &["value = a.x"]);
}

#[test]
fn the_origin_of_an_output_tells_columns_from_computed_and_aggregated_ones() {
    let reading = clean("SELECT x, x || y, max(x), max(x, y), sum(x) OVER () FROM a");
    let origins: Vec<Origin> = reading.outputs.iter().map(|output| output.origin).collect();
    use Origin::{Aggregated, Column, Computed};
    assert_eq!(origins, [Column, Computed, Aggregated, Computed, Computed]);
}

fn check_problem(sql: &str, is_expected: fn(&ProblemKind) -> bool, at: &str) {
    let reading = read_in(&Dialect::Sqlite, sql);
    let [problem] = reading.problems.as_slice() else { panic!("{sql}: {:?}", reading.problems) };
    assert!(is_expected(&problem.kind), "{sql}: {:?}", problem.kind);
    assert_eq!(problem.span.map(|span| span.text(sql)), Some(at), "{sql}");
}

#[test]
fn what_cannot_be_resolved_is_reported_where_it_stands() {
    let column = |kind: &ProblemKind| matches!(kind, ProblemKind::UnknownColumn { fallback: Fallback::None, .. });
    check_problem("SELECT é.nope FROM a AS é", column, "nope");
    check_problem("SELECT x FROM a\nWHERE\n  [nope] = 1", column, "[nope]");
    check_problem("SELECT x FROM a JOIN b USING (nope)", column, "nope");
    let string =
        |kind: &ProblemKind| matches!(kind, ProblemKind::UnknownColumn { fallback: Fallback::StringValue, .. });
    check_problem("SELECT x FROM a WHERE x = \"val\"", string, "\"val\"");
    let quoted = |kind: &ProblemKind| matches!(kind, ProblemKind::UnknownColumn { fallback: Fallback::String, .. });
    check_problem("SELECT \"nope\" FROM a", quoted, "\"nope\"");
    let table = |kind: &ProblemKind| matches!(kind, ProblemKind::UnknownTable { .. });
    check_problem("SELECT 1 FROM main.nope", table, "main.nope");
    let alias = |kind: &ProblemKind| matches!(kind, ProblemKind::UnknownAlias { .. });
    check_problem("SELECT n.x FROM a", alias, "n");
    let ambiguous = |kind: &ProblemKind| matches!(kind, ProblemKind::AmbiguousColumn { .. });
    check_problem("SELECT id FROM a, b WHERE x = z", ambiguous, "id");
    let parse = |kind: &ProblemKind| matches!(kind, ProblemKind::ParseError { .. });
    check_problem("SELECT x FROM a WHEN 1", parse, "1");
}

#[test]
fn literals_are_tied_to_the_columns_they_are_compared_with() {
    let check = |sql: &str, expected: &[(&str, Comparison, &str)]| {
        let reading = clean(sql);
        let found: Vec<(String, Comparison, String)> = reading
            .literals
            .iter()
            .map(|it| (format!("{}.{}", it.column.table.name, it.column.column), it.operator, it.value.text.clone()))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(column, operator, text)| ((*column).to_owned(), *operator, (*text).to_owned()))
            .collect();
        assert_eq!(found, expected, "{sql}");
    };
    use Comparison::{Equal, Greater, GreaterOrEqual, LessOrEqual, Like, NotEqual};
    check("SELECT 1 FROM a WHERE x = 'it''s'", &[("a.x", Equal, "it's")]);
    check("SELECT 1 FROM a WHERE -5 < x", &[("a.x", Greater, "-5")]);
    check("SELECT 1 FROM a WHERE x NOT IN ('p', ('q'))", &[("a.x", NotEqual, "p"), ("a.x", NotEqual, "q")]);
    check("SELECT 1 FROM a WHERE x BETWEEN 1 AND 2", &[("a.x", GreaterOrEqual, "1"), ("a.x", LessOrEqual, "2")]);
    check("SELECT 1 FROM (SELECT y AS k FROM a) q WHERE q.k LIKE 'v%'", &[("a.y", Like, "v%")]);
    check("SELECT CASE x WHEN 'p' THEN 1 END FROM a", &[("a.x", Equal, "p")]);
    check("SELECT 1 FROM a WHERE x || y = 'p'", &[]);
    check("SELECT 1 FROM a WHERE x IS 'p'", &[("a.x", Equal, "p")]);
    let fallback = read_in(&Dialect::Sqlite, "SELECT 1 FROM a WHERE x = \"p\"");
    assert_eq!(fallback.literals[0].value.kind, LiteralKind::DoubleQuoted);
}

#[test]
fn joins_and_missing_joins_are_seen() {
    let reading = clean("SELECT 1 FROM a, b JOIN c ON c.b_id = b.id WHERE a.id = b.a_id");
    let joins: Vec<String> = reading
        .joins
        .iter()
        .map(|join| {
            format!("{}.{}={}.{}", join.left.table.name, join.left.column, join.right.table.name, join.right.column)
        })
        .collect();
    assert_eq!(joins, ["c.b_id=b.id", "a.id=b.a_id"]);
    assert!(reading.unjoined.is_empty());
    let loose = clean("SELECT 1 FROM a, b, c WHERE a.id = b.a_id");
    assert_eq!(loose.unjoined[0].loose, ["c"]);
    assert!(clean("SELECT 1 FROM a, (SELECT max(z) AS m FROM b) q").unjoined.is_empty());
}

#[test]
fn recursions_are_told_by_what_ends_them() {
    let check = |sql: &str, expected: RecursionBound| assert_eq!(clean(sql).recursions[0].bound, expected, "{sql}");
    check("WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r", RecursionBound::None);
    check(
        "WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT n FROM r",
        RecursionBound::Condition(Some(9)),
    );
    check(
        "WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 7) SELECT n FROM r",
        RecursionBound::Limit(Some(7)),
    );
    check(
        "WITH r(n) AS (SELECT id FROM a UNION SELECT b.id FROM b JOIN r ON b.a_id = r.n) SELECT n FROM r",
        RecursionBound::Walk,
    );
}

#[test]
fn statements_are_counted_by_tokens_and_named_by_kind() {
    let check = |sql: &str, statements: usize, kind: StatementKind| {
        let reading = read_in(&Dialect::Sqlite, sql);
        assert_eq!((reading.statements, reading.kind), (statements, kind), "{sql}");
    };
    check("SELECT 1;;-- x\n;", 1, StatementKind::Query);
    check("SELECT ';'; DROP TABLE a", 2, StatementKind::Query);
    check("EXPLAIN SELECT 1", 1, StatementKind::Explain);
    check("/* a */ drop table a", 1, StatementKind::Definition);
    check("VACUUM INTO 'x'", 1, StatementKind::Other("VACUUM".to_owned()));
    check("", 0, StatementKind::Unparsed);
}

#[test]
fn names_fold_by_dialect() {
    let unknown = |dialect: &Dialect, sql: &str| !read_in(dialect, sql).problems.is_empty();
    assert!(!unknown(&Dialect::Postgres, "SELECT X FROM A"));
    assert!(unknown(&Dialect::Postgres, "SELECT \"X\" FROM a"));
    assert!(unknown(&Dialect::Postgres, "SELECT x FROM \"A\""));
    assert!(!unknown(&Dialect::Sqlite, "SELECT \"X\" FROM [A]"));
    assert!(unknown(&Dialect::Clickhouse, "SELECT X FROM a"));
    assert!(!unknown(&Dialect::Duckdb, "SELECT \"X\" FROM a"));
}

#[test]
fn effects_name_what_is_not_reading() {
    let check = |dialect: Dialect, sql: &str, expected: EffectKind| {
        let reading = read_in(&dialect, sql);
        assert!(reading.effects.iter().any(|effect| effect.kind == expected), "{sql}: {:?}", reading.effects);
    };
    check(Dialect::Postgres, "WITH d AS (DELETE FROM a RETURNING *) SELECT * FROM d", EffectKind::Write);
    check(Dialect::Postgres, "SELECT * INTO n FROM a", EffectKind::Into);
    check(Dialect::Postgres, "SELECT * FROM a FOR UPDATE", EffectKind::Lock);
    check(Dialect::Postgres, "EXPLAIN (ANALYZE) SELECT 1", EffectKind::ExplainAnalyze);
    check(Dialect::Mysql, "SELECT 1 /*!50000 + 1 */", EffectKind::ExecutableComment);
    check(Dialect::Duckdb, "SELECT * FROM 'x.csv'", EffectKind::ExternalData);
    check(Dialect::Sqlite, "SELECT x FROM a WHERE x = :p", EffectKind::Parameter);
    check(Dialect::Sqlite, "SELECT\u{200b} 1", EffectKind::InvisibleCharacter);
    // No specs, which are run by engines: MariaDB 10.11 ends.
    for sql in [
        "SELECT x FROM a HAVING x IN (SELECT x)",
        "SELECT 1 AS y HAVING y NOT IN (SELECT y)",
        "SELECT x FROM a HAVING x < ALL (SELECT 1 FROM dual)",
        "SELECT x FROM a WHERE x = ANY (SELECT 1 UNION SELECT x FROM a)",
        "SELECT x FROM a WHERE x IN ((SELECT 1))",
    ] {
        check(Dialect::Mysql, sql, EffectKind::EndsTheEngine);
    }
    check(Dialect::Clickhouse, "SELECT x FROM a SETTINGS max_threads = 1", EffectKind::Setting);
    // To ClickHouse `, 2 AS ` is a part of the first name, and the table is read.
    check(Dialect::Clickhouse, r"SELECT 1 AS `\`, 2 AS `, x FROM a -- `", EffectKind::ForeignSyntax);
    check(Dialect::Clickhouse, r#"SELECT 1 AS "\", 2 AS ", x FROM a -- ""#, EffectKind::ForeignSyntax);
}

#[test]
fn bounds_are_kept() {
    let problem = |sql: &str| read_in(&Dialect::Sqlite, sql).problems.remove(0).kind;
    assert!(matches!(problem(&"x".repeat(2 << 20)), ProblemKind::TooLong { .. }));
    assert_eq!(problem(&format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000))), ProblemKind::TooDeep);
    assert_eq!(problem(&format!("SELECT 1{}", " || 1".repeat(10_000))), ProblemKind::TooDeep);
    let doubling: Vec<String> =
        (0..24).map(|n| format!("t{} AS (SELECT l.*, r.* FROM t{n} l, t{n} r)", n + 1)).collect();
    let doubling = format!("WITH t0 AS (SELECT * FROM a), {} SELECT * FROM t24", doubling.join(", "));
    assert_eq!(problem(&doubling), ProblemKind::TooComplex);
    let long_chain = format!("SELECT 1 FROM a WHERE {}", vec!["x = 1"; 1_500].join(" OR "));
    assert!(read_in(&Dialect::Sqlite, &long_chain).problems.is_empty());
}

#[test]
fn a_bare_name_is_looked_for_where_the_server_looks() {
    let in_schema = |schema: &str, name: &str| {
        let mut entry = table(name, &["id"]);
        entry.table_mut().id.schema = Some(schema.to_owned());
        entry
    };
    let entries = || {
        let both = [in_schema("public", "orders"), in_schema("sales", "orders")];
        both.into_iter().chain([in_schema("billing", "invoices")]).collect()
    };
    for (search_path, sql, expected) in [
        (&[][..], "SELECT id FROM orders", Some("public.orders")),
        (&[], "SELECT id FROM invoices", Some("billing.invoices")),
        (&["sales", "public"], "SELECT id FROM orders", Some("sales.orders")),
        (&["public"], "SELECT id FROM orders", Some("public.orders")),
        (&["public"], "SELECT id FROM invoices", None),
        (&["public"], "SELECT id FROM billing.invoices", Some("billing.invoices")),
    ] {
        let search_path = search_path.iter().map(|schema: &&str| (*schema).to_owned()).collect();
        let source = Source { search_path, ..Source::new("test", Dialect::Postgres, "") };
        let catalog = Catalog::new(vec![source], entries(), Vec::new(), 0);
        let reading = read(sql, &Dialect::Postgres, &CatalogSchema::new(&catalog, "test"));
        let found = reading.tables[0].table.as_ref().map(TableId::local);
        assert_eq!(found.as_deref(), expected, "{sql}");
    }
}

#[test]
fn a_database_may_stand_before_its_tables_and_another_may_not() {
    let source = Source { search_path: vec!["freight".to_owned()], ..Source::new("test", Dialect::Mysql, "") };
    let catalog = Catalog::new(vec![source], vec![table("trucks", &["id"])], Vec::new(), 0);
    for (sql, found) in [
        ("SELECT id FROM trucks", true),
        ("SELECT id FROM freight.trucks", true),
        ("SELECT id FROM other.trucks", false),
        ("SELECT id FROM test.trucks", false),
    ] {
        let reading = read(sql, &Dialect::Mysql, &CatalogSchema::new(&catalog, "test"));
        assert_eq!(reading.tables[0].table.is_some(), found, "{sql}");
    }
}

#[test]
fn queries_inside_each_other_need_no_large_stack() {
    let nested = |levels: usize| {
        (0..levels).fold("orders".to_owned(), |from, level| format!("(SELECT *, 1 AS n{level} FROM {from}) q{level}"))
    };
    for levels in [8, 20, 60, 400] {
        let sql = format!("SELECT 1, 2 FROM {}", nested(levels));
        let small = std::thread::Builder::new().stack_size(2 << 20);
        let reading = small.spawn(move || read_in(&Dialect::Sqlite, &sql)).unwrap().join().unwrap();
        let is_known = |table: &crate::reading::TableUse| table.parts == ["orders"];
        assert_eq!(reading.tables.iter().any(is_known), levels < 100, "{levels}");
    }
}

#[test]
fn names_are_folded_and_cut_as_postgres_does() {
    let sources = |sql: &str| -> Vec<String> {
        let reading = read_in(&Dialect::Postgres, sql);
        assert!(reading.problems.is_empty(), "{sql}: {:?}", reading.problems);
        reading.outputs.iter().flat_map(|it| &it.sources).map(|it| it.column.clone()).collect()
    };
    let long = "n".repeat(63);
    assert_eq!(sources(&format!("SELECT {long}z FROM (SELECT x AS {long}y, y AS other FROM a) q")), ["x"]);
    // Depending on how the database encodes letters, these are one name or two.
    assert_eq!(sources("SELECT É FROM (SELECT x AS é, y AS É FROM a) q"), ["x", "y"]);
}

#[test]
fn a_search_reads_all_columns_of_every_index_of_texts() {
    let source = Source::new("test", Dialect::Sqlite, "");
    let mut notes = table("notes", &["title", "body"]);
    std::sync::Arc::make_mut(&mut notes.table).kind = TableKind::Other("virtual table".to_owned());
    let catalog = Catalog::new(vec![source], vec![table("a", &["id", "x", "notes"]), notes], Vec::new(), 0);
    let is_read = |sql: &str| {
        let reading = read(sql, &Dialect::Sqlite, &CatalogSchema::new(&catalog, "test"));
        let is_other = |used: &crate::reading::ValueUse| used.manner == Manner::Other && used.column.column == "body";
        reading.uses.iter().any(is_other)
    };
    assert!(is_read("SELECT title FROM notes WHERE notes.title MATCH 'x'"));
    assert!(is_read("SELECT title FROM a JOIN notes ON a.id = notes.title WHERE notes = 'x'"));
    assert!(is_read("SELECT title FROM notes n JOIN (SELECT 1 AS notes) q WHERE q.notes = 'x'"));
    assert!(!is_read("SELECT title FROM notes WHERE title = 'x'"));
    assert!(!is_read("SELECT notes FROM a"));
}

/// In the words of DuckDB 1.5, which keeps the queries of views as it writes them itself.
#[test]
fn queries_of_views_as_duckdb_keeps_them_are_read() {
    for sql in [
        "SELECT count_star() AS n FROM a",
        "SELECT id FROM a WHERE ((x ~~ 'p%') AND (y ~~* 'w%') AND (x !~~ 'q'))",
        "SELECT CASE  WHEN ((id > 10)) THEN ('big') ELSE 'small' END AS b, COALESCE(x, 'x') AS c2, (x || 'x') AS s FROM a",
        "SELECT id, row_number() OVER (PARTITION BY x ORDER BY id) AS r, sum(id) OVER () AS t FROM a",
        "WITH q AS (SELECT * FROM a WHERE (id BETWEEN 1 AND 5)) (SELECT * FROM q) UNION ALL (SELECT * FROM a WHERE (id IN (1, 2)))",
        "SELECT CAST(x AS date) AS d, (y + to_days(CAST(trunc(CAST(1 AS DOUBLE)) AS INTEGER))) AS e, (CAST(id AS DECIMAL(10, 2)) / 100) AS p FROM a",
        "SELECT x, string_agg(y, ',') AS s, sum(id) FILTER (WHERE (id > 3)) AS f FROM a GROUP BY ALL HAVING (count_star() > 1)",
        "SELECT o.* FROM a AS o WHERE (EXISTS(SELECT 1 FROM b AS c WHERE (c.id = o.id)) AND (NOT (o.id = ANY(SELECT id FROM b))))",
        "SELECT list_value(1, 2, id) AS l, struct_pack(a := id) AS st, (x - CAST('2020-01-01' AS TIMESTAMP)) AS iv FROM a",
        "SELECT * EXCLUDE (y) FROM a ORDER BY id LIMIT 5",
        "SELECT (x IS NULL) AS n, (NOT (id = 3)) AS k, (-(id)) AS m, (id // 2) AS dv FROM a WHERE ((x != 'x') OR (id >= 3))",
        "SELECT \"left\"(x, 2) AS l, \"replace\"(x, 'a', 'b') AS r, \"nullif\"(id, 2) AS z FROM (a LEFT JOIN b USING (id))",
        "SELECT DISTINCT ON (x) x, id FROM a",
        "SELECT id FROM a QUALIFY (row_number() OVER (ORDER BY id) = 1)",
    ] {
        let reading = read_in(&Dialect::Duckdb, sql);
        assert!(
            reading.problems.is_empty() && reading.effects.is_empty(),
            "{sql}: {:?} {:?}",
            reading.problems,
            reading.effects
        );
    }
}
