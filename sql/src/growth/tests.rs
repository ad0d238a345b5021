//! Bounds of values, by example.

use catalog::{Catalog, Column, ColumnProfile, Dialect, Entry, SampleMethod, Source, Table, TableId, TableProfile};

use crate::reading::GrowthKind;
use crate::schema::CatalogSchema;

/// The largest amount of a kind that a statement is said to make.
fn most(dialect: &Dialect, kind: GrowthKind, sql: &str) -> f64 {
    let catalog = Catalog::new(Vec::new(), Vec::new(), Vec::new(), 0);
    let schema = CatalogSchema::new(&catalog, "none");
    let reading = crate::read(sql, dialect, &schema);
    assert!(!matches!(reading.kind, crate::StatementKind::Unparsed), "{sql}: {:?}", reading.problems);
    reading.growth.iter().filter(|it| it.kind == kind).map(|it| it.amount).fold(0.0, f64::max)
}

fn bytes(sql: &str) -> f64 {
    most(&Dialect::Postgres, GrowthKind::Value, sql)
}

#[test]
fn replaces_of_other_letters_only_add_up() {
    let chain =
        "SELECT replace(replace(replace(replace(x, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '\"', '&quot;') FROM t";
    assert!(bytes(chain) < 30_000.0, "{}", bytes(chain));
}

#[test]
fn what_is_made_is_followed_through_common_table_expressions_and_derived_tables() {
    let ctes = "WITH a AS (SELECT repeat('x', 9000) AS s), b AS (SELECT s || s || s || s AS s FROM a), \
                c AS (SELECT s || s || s || s AS s FROM b), d AS (SELECT s || s || s || s AS s FROM c) \
                SELECT q.s || q.s FROM (SELECT s || s AS s FROM d) q";
    assert!(bytes(ctes) >= 9000.0 * 256.0, "{}", bytes(ctes));
}

#[test]
fn rows_that_are_made_up_are_collected() {
    let collected = "SELECT string_agg(repeat('x', 1000), ',') FROM generate_series(1, 1000000)";
    assert!(bytes(collected) >= 1e9, "{}", bytes(collected));
    let stored = "SELECT string_agg(name, ',') FROM t";
    let catalog = Catalog::new(Vec::new(), Vec::new(), Vec::new(), 0);
    let reading = crate::read(stored, &Dialect::Postgres, &CatalogSchema::new(&catalog, "none"));
    let value = reading.growth.iter().find(|it| it.kind == GrowthKind::Value).expect("it is worth saying");
    assert!(value.amount <= 1.1 * value.of_data, "{value:?}");
}

#[test]
fn sizes_are_numbers_however_they_are_written() {
    for size in [
        "1000000000",
        "1000000000::int",
        "1000 * 1000 * 1000",
        "(SELECT 1000000000)",
        "(10 ^ 9)::int",
        "('1' || '000000000')::int",
        "abs(-1000000000)",
    ] {
        let sql = format!("SELECT repeat('x', {size})");
        let size = most(&Dialect::Postgres, GrowthKind::Size, &sql);
        assert!((1e9..1e12).contains(&size), "{sql}: {size}");
    }
    let least = most(&Dialect::Postgres, GrowthKind::Size, "SELECT repeat('x', least(hashtext(name), 50)) FROM t");
    assert!(least <= 50.0, "{least}");
}

#[test]
fn work_is_the_product_of_what_is_compared() {
    let work =
        most(&Dialect::Postgres, GrowthKind::Work, "SELECT translate(repeat('a', 10000), repeat('b', 10001), 'x')");
    assert!(work > 1e8, "{work}");
}

#[test]
fn what_compares_everything_with_everything_is_work() {
    let made = "FROM (SELECT jsonb_agg(g) AS j, '<a ' || string_agg('b' || g || '=\"\"', ' ') || '/>' AS t \
                FROM generate_series(1, 60000) g) x";
    for (call, is_work) in [
        ("jsonb_path_match(x.j, 'strict $[*] == $[*]')", true),
        ("jsonb_path_exists(x.j, 'strict $ ? (@[*] == @[*])')", true),
        ("jsonb_path_exists(x.j, '$[0]')", false),
        ("x.t::xml", true),
    ] {
        let work = most(&Dialect::Postgres, GrowthKind::Work, &format!("SELECT {call} {made}"));
        assert_eq!(work > 1e8, is_work, "{call}: {work}");
    }
    let points = "SELECT st_distance_sphere(x.g, x.g) FROM (SELECT st_geomfromtext(concat('MULTIPOINT(', \
                  repeat('1 1,', 30000), '1 1)')) AS g) x";
    assert!(most(&Dialect::Mysql, GrowthKind::Work, points) > 1e8);
}

#[test]
fn a_text_of_the_parser_s_depth_is_measured_in_bounded_time() {
    let deep = (0..180).fold("'x'".to_owned(), |inner, _| format!("replace({inner}, 'x', 'xx')"));
    let started = std::time::Instant::now();
    assert!(bytes(&format!("SELECT {deep}")) > 1e30);
    let recursion = "WITH RECURSIVE a(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM a WHERE length(s) < 99)";
    let nested = (0..5).fold("SELECT 1".to_owned(), |inner, _| format!("{recursion} SELECT * FROM a, ({inner}) q"));
    assert!(bytes(&nested) > 1e9);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

#[test]
fn what_is_made_of_large_stored_values_for_one_row_is_added_up() {
    let table = Table {
        columns: vec![Column::new("id", "integer"), Column::new("doc", "jsonb")],
        ..Table::new(TableId::new("s", "docs"))
    };
    let columns = vec![
        ColumnProfile::empty("id"),
        ColumnProfile { average_length: Some(1_000_000.0), ..ColumnProfile::empty("doc") },
    ];
    let profile = TableProfile::new(&table, SampleMethod::AllRows, Default::default());
    let entry = Entry::bare(table).with_profile(TableProfile { columns, ..profile });
    let catalog = Catalog::new(vec![Source::new("s", Dialect::Postgres, "")], vec![entry], Vec::new(), 0);
    let schema = CatalogSchema::new(&catalog, "s");
    let row = |sql: &str| {
        let reading = crate::read(sql, &Dialect::Postgres, &schema);
        let of_row = reading.growth.iter().filter(|it| it.kind == GrowthKind::Row);
        of_row.map(|it| it.amount).fold(0.0, f64::max)
    };
    let many = |part: &str, times: usize| format!("SELECT {} FROM docs WHERE id = 1", vec![part; times].join(", "));
    assert_eq!(row(&many("id", 500)), 0.0);
    assert!(row(&many("doc", 3)) < 1e7, "{}", row(&many("doc", 3)));
    assert!(row(&many("doc", 500)) >= 5e8, "{}", row(&many("doc", 500)));
    let hashed = format!("md5({})", vec!["doc::text"; 15].join(" || "));
    assert!(row(&many(&hashed, 60)) > 1e9, "{}", row(&many(&hashed, 60)));
}
