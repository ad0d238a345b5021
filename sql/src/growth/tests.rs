//! Bounds of values, by example.

use catalog::{
    Catalog, Column, ColumnProfile, Dialect, Entry, Exactness, RowCount, SampleMethod, Source, Table, TableId,
    TableProfile,
};

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
fn orders_of_joins_are_counted_where_a_from_has_many() {
    let orders = |tables: usize, queries: usize| {
        let from: Vec<String> = (0..tables).map(|table| format!("t t{table}")).collect();
        let one = format!("(SELECT count(*) FROM {})", from.join(", "));
        most(&Dialect::Postgres, GrowthKind::Orders, &format!("SELECT {}", vec![one; queries].join(" + ")))
    };
    assert!(orders(11, 20) > 4e4 && orders(11, 1) < 3e3 && orders(5, 100) < 1.0);
}

#[test]
fn arithmetic_on_numbers_of_texts_with_an_exponent_is_work() {
    let work = |expression: &str| {
        let catalog = documents(Dialect::Postgres);
        let sql = format!("SELECT {expression} FROM docs");
        let reading = crate::read(&sql, &Dialect::Postgres, &CatalogSchema::new(&catalog, "s"));
        let works = reading.growth.iter().filter(|it| it.kind == GrowthKind::Work);
        works.map(|it| it.amount).fold(0.0, f64::max)
    };
    for number in [
        "('1e' || id)",
        "concat('1', 'e', id)",
        "replace(note, 'x', 'e')",
        "('1' || chr(101) || id)",
        "translate(note, 'x', 'E')",
        "coalesce(note, '1e' || id)",
    ] {
        let remainder = format!("{number}::numeric % {number}::numeric");
        assert!(work(&remainder) > 1e8, "{remainder}");
        let less = format!("abs(1 - {number}::numeric) / (1 + round({number}::numeric, 2))");
        assert!(work(&less) > 1e8, "{less}");
        let root = format!("sqrt({number}::numeric)");
        assert!(work(&root) > 1e8, "{root}");
    }
    for number in [
        "replace(id::text, ',', '.')",
        "split_part(id::text, ' metres ', 1)",
        "nullif(id::text, 'none')",
        "regexp_replace(id::text, '[^0-9.e]', '', 'g')",
        "(id || '.' || id)",
        "id::text",
        "split_part(id::text, 'x', 2)",
    ] {
        let product = format!("{number}::numeric * {number}::numeric");
        assert!(work(&product) < 1e6, "{product}: {}", work(&product));
    }
}

/// A table of documents of a megabyte and notes of 200 bytes, 10,000 of them.
fn documents(dialect: Dialect) -> Catalog {
    let mut table = Table::new(TableId::new("s", "docs"));
    table.columns = vec![Column::new("id", "integer"), Column::new("doc", "json"), Column::new("note", "text")];
    table.row_count = Some(RowCount { value: 10_000, exactness: Exactness::Exact });
    let long = |name: &str, bytes| ColumnProfile { average_length: Some(bytes), ..ColumnProfile::empty(name) };
    let columns = vec![ColumnProfile::empty("id"), long("doc", 1_000_000.0), long("note", 200.0)];
    let profile = TableProfile::new(&table, SampleMethod::AllRows, Default::default());
    let entry = Entry::bare(table).with_profile(TableProfile { columns, ..profile });
    Catalog::new(vec![Source::new("s", dialect, "")], vec![entry], Vec::new(), 0)
}

/// A table of texts of 100 bytes, one of which has five megabytes.
fn texts_with_a_long_one(dialect: Dialect) -> Catalog {
    let mut table = Table::new(TableId::new("s", "notes"));
    table.columns = vec![Column::new("id", "integer"), Column::new("body", "text"), Column::new("doc", "jsonb")];
    table.row_count = Some(RowCount { value: 10_000, exactness: Exactness::Exact });
    let long = |name: &str| ColumnProfile {
        average_length: Some(100.0),
        longest: Some(5_000_000),
        ..ColumnProfile::empty(name)
    };
    let columns = vec![ColumnProfile::empty("id"), long("body"), long("doc")];
    let profile = TableProfile::new(&table, SampleMethod::AllRows, Default::default());
    let notes = Entry::bare(table).with_profile(TableProfile { columns, ..profile });
    let mut people = Table::new(TableId::new("s", "people"));
    people.columns = vec![Column::new("name", "text")];
    people.row_count = Some(RowCount { value: 200, exactness: Exactness::Exact });
    let name = ColumnProfile { average_length: Some(14.0), longest: Some(40), ..ColumnProfile::empty("name") };
    let profile = TableProfile::new(&people, SampleMethod::AllRows, Default::default());
    let people = Entry::bare(people).with_profile(TableProfile { columns: vec![name], ..profile });
    Catalog::new(vec![Source::new("s", dialect, "")], vec![notes, people], Vec::new(), 0)
}

#[test]
fn the_longest_text_counts_where_one_row_does() {
    let most = |dialect: Dialect, kind: GrowthKind, sql: &str| {
        let catalog = texts_with_a_long_one(dialect.clone());
        let reading = crate::read(sql, &dialect, &CatalogSchema::new(&catalog, "s"));
        assert!(!matches!(reading.kind, crate::StatementKind::Unparsed), "{sql}: {:?}", reading.problems);
        reading.growth.iter().filter(|it| it.kind == kind).map(|it| it.amount).fold(0.0, f64::max)
    };
    let many = |part: &str, times: usize| format!("SELECT {} FROM notes WHERE id = 1", vec![part; times].join(", "));
    for (part, few, too_many) in [
        ("body", 20, 120),
        ("upper(body)", 10, 120),
        ("jsonb_typeof(doc || '{}')", 2, 20),
        ("array_length(regexp_split_to_array(body, ''), 1)", 1, 10),
        ("array_length(regexp_split_to_array(body, '.'), 1)", 1, 10),
        ("(body < body COLLATE \"und-x-icu\")::int", 2, 60),
    ] {
        let row = |times: usize| most(Dialect::Postgres, GrowthKind::Row, &many(part, times));
        assert!(row(few) < 5e8 && row(too_many) > 5e8, "{part}: {} {}", row(few), row(too_many));
    }
    // A part of it is no longer than that part.
    assert!(most(Dialect::Postgres, GrowthKind::Row, &many("left(body, 200)", 200)) > 5e8, "it is read whole");
    let together = |sql: &str| most(Dialect::Postgres, GrowthKind::Together, sql);
    assert!(together("SELECT ts_headline(body, phraseto_tsquery('one two')) FROM notes") > 1e8);
    assert!(together("SELECT ts_headline(body, plainto_tsquery('one two')) FROM notes") < 1e8);
    let work = |dialect: Dialect, sql: &str| most(dialect, GrowthKind::Work, sql);
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let translated = format!("SELECT translate(body, '{letters}{letters}', '{letters}') FROM notes");
    assert!(work(Dialect::Postgres, &translated) > 1e8);
    assert!(work(Dialect::Mysql, "SELECT replace(body, 'a', 'b') FROM notes") > 1e8);
    for each_with_each in [
        "SELECT doc @> doc FROM notes",
        "SELECT translate(rpad('', 9999, 'z'), body, body) FROM notes",
        "SELECT btrim(body, regexp_replace(body, '[0-9]', 'x', 'g')) FROM notes",
        "SELECT ltrim(body, body) FROM notes",
    ] {
        assert!(work(Dialect::Postgres, each_with_each) > 1e10, "{each_with_each}");
    }
    for honest in [
        "SELECT id FROM notes WHERE body LIKE '%refund of the deposit%' OR body ILIKE 'a%b_c%'",
        "SELECT id FROM notes WHERE body ~* 'late (delivery|parcel)s?' AND doc @> '{\"state\": \"open\", \"a\": 1}'",
        "SELECT strpos(body, 'on behalf of'), split_part(body, ', ', 2), trim(body) FROM notes",
        "SELECT replace(body, 'colour', 'color'), regexp_replace(body, '\\s+', ' ', 'g') FROM notes",
        "SELECT jsonb_pretty(doc), doc @? '$.items[*] ? (@.price > 10)' FROM notes",
        "SELECT id FROM notes WHERE doc @> jsonb_build_object('k', 17) AND doc -> 'words' ?| array['abc', 'def']",
        "SELECT jsonb_path_query_array(doc, '$.w[0 to 2]'), jsonb_path_query_first(doc, '$.w[last]') FROM notes",
        "SELECT m, count(*) FROM notes, regexp_matches(body, '([a-f]{3})[0-9]', 'g') m GROUP BY m",
        "SELECT count(*) FROM notes n JOIN people p ON n.body ILIKE '%' || p.name || '%' WHERE n.id < 100",
    ] {
        assert!(work(Dialect::Postgres, honest) < 1e8, "{honest}: {}", work(Dialect::Postgres, honest));
        assert!(most(Dialect::Postgres, GrowthKind::Row, honest) < 5e8, "{honest}");
        assert!(most(Dialect::Postgres, GrowthKind::OverAllRows, honest) < 1e10, "{honest}");
    }
    let row = |sql: &str| most(Dialect::Postgres, GrowthKind::Row, sql);
    let paths = |path: &str| format!("SELECT jsonb_path_exists(doc, '{path}') FROM notes");
    assert!(row(&paths("$.keyvalue().keyvalue()")) > 5e8 && row(&paths("$.items[*].key")) < 5e8);
    let stepped = |path: &str| work(Dialect::Postgres, &paths(path));
    assert!(stepped("$.items[*].tags[*]") < 1e8 && stepped("$[*] ? (@.a == 1).b[*]") < 1e8);
    assert!(stepped("$[*] ? (exists($[*]))") > 1e8 && stepped("$.**.**") > 1e8 && stepped("$[*] == $[*]") > 1e8);
    assert!(stepped("$.\\u006beyvalue().\\x6beyvalue()") > 1e8, "letters may be written otherwise");
    assert!(stepped("$.items[*] ? (@.sku == \"SKU-3\" && @.qty > 1)") < 1e8);
    assert!(stepped("$.items[*] ? (@.sku == \"a == @ $\" || @.n != 2)") < 1e8);
    let zeros = format!("$.*[{}]", ["0"; 100].join(", "));
    assert!(row(&paths(&zeros)) > 5e8 && row(&paths("$.items[*].tags[0]")) < 5e8);
    let tabs = ["0\tto\tlast"; 20].join(",");
    assert!(row(&paths(&format!("$.w[{tabs}]"))) > 5e8);
    let from = |path: &str| format!("SELECT count(*) FROM notes, jsonb_path_query(doc, '{path}') v");
    assert!(work(Dialect::Postgres, &from("$[*] ? (@ == $[*])")) > 1e8 && row(&from("$.keyvalue().keyvalue()")) > 5e8);
    assert!(work(Dialect::Postgres, &from("$.items[*] ? (@.n > 2)")) < 1e8);
    let objects = |sql: &str| most(Dialect::Mysql, GrowthKind::Together, sql);
    let notes = "SELECT n.id, n.body AS b FROM notes n";
    assert!(objects(&format!("SELECT json_objectagg(q.id, q.b) FROM ({notes}) q")) < 1e8);
    let joined = format!("SELECT json_objectagg(q.id, q.b) FROM ({notes} JOIN people p ON p.name <> n.body) q");
    assert!(objects(&joined) > 1e8, "{}", objects(&joined));
    let longer =
        "SELECT json_objectagg(q.id, q.b) FROM (SELECT id, concat(body, body, repeat(body, 99)) AS b FROM notes) q";
    assert!(objects(longer) > 1e8, "{}", objects(longer));
    let ranges = ["0 to last"; 20].join(", ");
    assert!(row(&format!("SELECT jsonb_path_query_array(doc, '$.w[{ranges}]') FROM notes")) > 5e8);
    assert!(row("SELECT jsonb_path_query_array(doc, '$.w[0 to last]') FROM notes") < 5e8);
    let bracketed = format!("SELECT regexp_matches(body, '{}.{}', 'g') FROM notes", "(".repeat(21), ")".repeat(21));
    assert!(row(&bracketed) > 5e8);
    let padded = "SELECT length(y || y || y) FROM (SELECT body || rpad('', 9999) || rpad('', 9998) AS y FROM notes) q";
    assert!(row(padded) > 1e7, "what is put beside it doesn't hide it");
    let digits = ["v * (v + 1)"; 90].join(" + ");
    let digits = format!("SELECT {digits} FROM (SELECT left(body, 65000)::numeric AS v FROM notes) q");
    assert!(work(Dialect::Postgres, &digits) > 1e8, "{}", work(Dialect::Postgres, &digits));
    assert!(work(Dialect::Postgres, "SELECT left(body, 10)::numeric * 1.5 FROM notes") < 1e8);
    let row = |dialect: Dialect, sql: &str| most(dialect, GrowthKind::Row, sql);
    assert!(row(Dialect::Mysql, "SELECT count(*) FROM notes WHERE body REGEXP '(.|a)*[~!]'") > 5e8);
    assert!(row(Dialect::Mysql, "SELECT count(*) FROM notes WHERE body REGEXP 'late (delivery|parcel)'") < 5e8);
    let slow = ["(body REGEXP '(([a-z0-9]|[a-f]|\\\\w|i)+ ?)+[~!]')"; 30].join(" + ");
    assert!(work(Dialect::Mysql, &format!("SELECT {slow} FROM notes WHERE id = 5")) > 1e8);
    let quick = ["(body REGEXP '^late (delivery|parcel)')"; 4].join(" + ");
    assert!(work(Dialect::Mysql, &format!("SELECT {quick} FROM notes WHERE id = 5")) < 1e8);
    let repeated = "SELECT length(repeat(body, 80)) FROM notes WHERE id = 1";
    assert!(most(Dialect::Postgres, GrowthKind::Value, repeated) > 1e8);
    let at_once = |condition: &str| {
        let sql = format!("SELECT count(*) FROM notes a STRAIGHT_JOIN notes b WHERE {condition}");
        most(Dialect::Mysql, GrowthKind::WorkAtOnce, &sql)
    };
    for (condition, is_large) in [
        ("a.body LIKE '%refund%' AND a.id = b.id", false),
        ("a.id = b.id AND (b.body REGEXP 'x.*y.*z')", false),
        ("a.body LIKE concat('%', b.id, '%')", true),
        ("locate(b.id, a.body) > 0", true),
        ("a.body REGEXP 'x' OR a.id < b.id", true),
        ("a.body REGEXP 'x' OR rand() < 2", true),
    ] {
        assert_eq!(at_once(condition) > 3e9, is_large, "{condition}: {}", at_once(condition));
    }
}

#[test]
fn repeated_parts_of_a_pattern_multiply_what_pairs_of_rows_take() {
    let at_once = |pattern: &str| {
        let sql =
            format!("SELECT count(*) FROM docs a STRAIGHT_JOIN docs b WHERE concat(a.note, b.id) REGEXP '{pattern}'");
        most_of_documents(&Dialect::Mysql, GrowthKind::WorkAtOnce, &sql)
    };
    assert!(at_once("^a.*b") < 3e9, "{}", at_once("^a.*b"));
    assert!(at_once("a.*b.*c.*d.*e.*f") > 3e9, "{}", at_once("a.*b.*c.*d.*e.*f"));
    assert!(at_once(r"(\w?\w?\w?\w?\w?\w?)[~!]") > 3e9);
    for pattern in ["concat('.', char(42), '.', char(42))", "repeat('.*', 5)", "b.note", "\".*.*.*.*[~!]\""] {
        let sql =
            format!("SELECT count(*) FROM docs a STRAIGHT_JOIN docs b WHERE concat(a.note, b.id) REGEXP {pattern}");
        assert!(most_of_documents(&Dialect::Mysql, GrowthKind::WorkAtOnce, &sql) > 3e9, "{pattern}");
    }
    let alone = "SELECT count(*) FROM docs a WHERE concat(a.note, 'x') REGEXP '.*a.*b.*c.*d'";
    assert!(most_of_documents(&Dialect::Mysql, GrowthKind::WorkAtOnce, alone) < 3e9);
}

/// The largest amount of a kind that a statement over these makes.
fn most_of_documents(dialect: &Dialect, kind: GrowthKind, sql: &str) -> f64 {
    let catalog = documents(dialect.clone());
    let reading = crate::read(sql, dialect, &CatalogSchema::new(&catalog, "s"));
    assert!(!matches!(reading.kind, crate::StatementKind::Unparsed), "{sql}: {:?}", reading.problems);
    reading.growth.iter().filter(|it| it.kind == kind).map(|it| it.amount).fold(0.0, f64::max)
}

#[test]
fn what_is_made_of_large_stored_values_for_one_row_is_added_up() {
    let row = |sql: &str| most_of_documents(&Dialect::Postgres, GrowthKind::Row, sql);
    let many = |part: &str, times: usize| format!("SELECT {} FROM docs WHERE id = 1", vec![part; times].join(", "));
    assert_eq!(row(&many("id", 500)), 0.0);
    assert!(row(&many("doc", 3)) < 1e7, "{}", row(&many("doc", 3)));
    assert!(row(&many("doc", 500)) >= 5e8, "{}", row(&many("doc", 500)));
    for (part, times) in [
        ("jsonb_typeof(doc::jsonb || '{}')", 60),
        ("jsonb_strip_nulls(doc::jsonb)::text", 60),
        ("jsonb_typeof(doc::jsonb - 'z')", 60),
        ("jsonb_typeof(doc::jsonb #- '{z}')", 60),
        ("array_length(regexp_split_to_array(doc::text, ''), 1)", 12),
        ("(doc::text < note COLLATE \"und-x-icu\")::int", 200),
    ] {
        assert!(row(&many(part, times)) > 5e8, "{part}: {}", row(&many(part, times)));
    }
    let notes = format!("length({})", ["reverse(doc::text)"; 12].join(" || "));
    assert!(row(&many(&notes, 100)) > 5e8, "{}", row(&many(&notes, 100)));
    let hashed = format!("md5({})", vec!["doc::text"; 15].join(" || "));
    assert!(row(&many(&hashed, 60)) > 1e9, "{}", row(&many(&hashed, 60)));
}

#[test]
fn what_stands_beside_each_part_of_a_stored_text_is_collected_as_often() {
    let words = "regexp_split_to_table(d.doc::text, ' ')";
    for (kept, is_large) in [
        (format!("SELECT array_agg(d.doc::text || w) FROM docs d, {words} w WHERE d.id = 1"), true),
        (format!("SELECT array_agg(q.t || q.w) FROM (SELECT d.doc::text AS t, {words} AS w FROM docs d) q"), true),
        (format!("SELECT id, ARRAY(SELECT d.doc::text || w FROM {words} w) FROM docs d"), true),
        (format!("SELECT d.id, json_agg(d.doc) FROM docs d, {words} w GROUP BY d.id"), true),
        ("SELECT array_agg(d.doc) FROM docs d, jsonb_array_elements(d.doc::jsonb) e".to_owned(), true),
        (format!("SELECT w, count(*) FROM docs d, {words} w GROUP BY w"), false),
        (format!("SELECT d.id, array_agg(w) FROM docs d, {words} w GROUP BY d.id"), false),
        (format!("SELECT w, array_agg(d.id) FROM docs d, {words} w GROUP BY w"), false),
        (
            "SELECT w, array_agg(substring(d.note for 40)) FROM docs d, unnest(string_to_array(d.note, ' ')) w GROUP BY w".to_owned(),
            false,
        ),
    ] {
        let amount = most_of_documents(&Dialect::Postgres, GrowthKind::Together, &kept);
        assert_eq!(amount > 1e8, is_large, "{kept}: {amount}");
    }
    for padded in [
        "array_agg(w::char(9000))",
        "array_agg(w::char(300000))",
        "array_agg(rpad(w, 9000))",
        "jsonb_agg(w::char(9000))",
        "array_agg(w::char(9000)) OVER (PARTITION BY 1)",
    ] {
        let sql = format!("SELECT {padded} FROM docs d, {words} w");
        let amount = most_of_documents(&Dialect::Postgres, GrowthKind::Together, &sql);
        let size = most_of_documents(&Dialect::Postgres, GrowthKind::Size, &sql);
        assert!(amount > 1e8 || size > 1e4, "{sql}: {amount} {size}");
    }
    for made in [
        "SELECT array_agg(note::char(9000)) FROM docs",
        "SELECT id % 7, array_agg(note || repeat(' ', 9000)) FROM docs GROUP BY 1",
        "SELECT array_agg(rpad(d.note, 9000 + d.id * 0)) FROM docs d, jsonb_path_query(d.doc::jsonb, '$.k[*]') w",
    ] {
        // Ten times as many rows as these would do without a join.
        let amount = most_of_documents(&Dialect::Postgres, GrowthKind::Together, made);
        assert!(amount > 8e7, "{made}: {amount}");
    }
    for kept in ["array_agg(note)", "json_agg(json_build_object('id', id, 'note', note))", "array_agg(note::char(80))"]
    {
        let amount = most_of_documents(&Dialect::Postgres, GrowthKind::Together, &format!("SELECT {kept} FROM docs"));
        assert!(amount < 1e7, "{kept}: {amount}");
    }
    let letters = "SELECT array_agg(sha512(w::bytea)) FROM docs d, regexp_split_to_table(d.doc::text, '') w";
    assert!(most_of_documents(&Dialect::Postgres, GrowthKind::Together, letters) > 1e8);
    let table = "JSON_TABLE(d.doc, '$[*]' COLUMNS (k VARCHAR(64) PATH '$')) t";
    for (kept, is_large) in [("d.doc", true), ("t.k", false)] {
        let sql = format!("SELECT JSON_OBJECTAGG(t.k, {kept}) FROM docs d, {table}");
        let amount = most_of_documents(&Dialect::Mysql, GrowthKind::Together, &sql);
        assert_eq!(amount > 1e8, is_large, "{sql}: {amount}");
    }
}

#[test]
fn mariadb_copies_a_text_for_each_match() {
    for (column, is_work) in [("doc", true), ("note", false)] {
        for call in [format!("regexp_replace({column}, '[a-z]', 'x')"), format!("replace({column}, ' ', ',')")] {
            let work = most_of_documents(&Dialect::Mysql, GrowthKind::Work, &format!("SELECT {call} FROM docs"));
            assert_eq!(work > 1e8, is_work, "{call}: {work}");
        }
    }
}

#[test]
fn conditions_that_always_hold_keep_nothing_together() {
    for (condition, holds) in [
        ("a.id = b.id", true),
        ("a.id = b.id + 1", true),
        ("cast(a.id AS signed) = cast(b.id AS signed)", true),
        ("a.id * 0 = b.id * 0", false),
        ("a.id = a.id + b.id * 0", false),
        ("coalesce(nullif(a.id, a.id), 1) = coalesce(nullif(b.id, b.id), 1)", false),
        ("ifnull(1, a.id) = ifnull(1, b.id)", false),
        ("ifnull(nullif(a.id, a.id), b.id) = b.id", false),
        ("cast(a.note AS signed) = cast(b.note AS signed)", false),
    ] {
        let sql = format!("SELECT JSON_OBJECTAGG(a.id, a.note) FROM docs a JOIN docs b ON {condition}");
        let amount = most_of_documents(&Dialect::Mysql, GrowthKind::Together, &sql);
        assert_eq!(amount < 1e8, holds, "{condition}: {amount}");
    }
}

#[test]
fn long_texts_are_gone_over_for_each_combination_of_a_join() {
    for (sql, is_work) in [
        ("SELECT count(*) FROM docs a STRAIGHT_JOIN docs b ON md5(concat(a.doc, b.id)) = 'x'", true),
        ("SELECT sum(length(lower(a.doc))) FROM docs a JOIN docs b ON a.id <> b.id", true),
        ("SELECT count(*) FROM docs a, docs b WHERE a.doc < b.doc", true),
        ("SELECT a.doc, b.doc FROM docs a JOIN docs b ON a.id = b.id", false),
        ("SELECT count(*) FROM docs a JOIN docs b ON a.id = b.id WHERE lower(a.note) LIKE '%x%'", false),
        ("SELECT md5(lower(doc)) FROM docs", false),
    ] {
        let amount = most_of_documents(&Dialect::Mysql, GrowthKind::WorkAtOnce, sql);
        assert_eq!(amount > 3e9, is_work, "{sql}: {amount}");
    }
}

#[test]
fn phrases_in_headlines_of_long_texts_are_held() {
    for (query, is_large) in [
        ("plainto_tsquery('red wine')", false),
        ("to_tsquery('simple', 'red:* | wine & !(grapes)')", false),
        ("to_tsquery('simple', '(red:*|wine:*) <-> grapes')", true),
        ("to_tsquery('simple', 'red-wine')", true),
        ("websearch_to_tsquery('\"red wine\"')", true),
        ("phraseto_tsquery('red wine')", true),
        ("'red'::tsquery", true),
        ("tsquery_phrase(to_tsquery('red:*'), to_tsquery('wine:*'))", true),
    ] {
        for sql in [
            format!("SELECT ts_headline('simple', doc::text, {query}) FROM docs"),
            format!("SELECT ts_headline('simple', d.doc::text, q) FROM docs d, (SELECT {query} AS q) x"),
        ] {
            let amount = most_of_documents(&Dialect::Postgres, GrowthKind::Together, &sql);
            assert_eq!(amount > 1e8, is_large, "{sql}: {amount}");
        }
        let short = format!("SELECT ts_headline('simple', note, {query}) FROM docs");
        let amount = most_of_documents(&Dialect::Postgres, GrowthKind::Together, &short);
        assert!(amount < 1e8, "{short}: {amount}");
    }
}

#[test]
fn words_are_looked_up_in_long_texts() {
    let query = "websearch_to_tsquery('english', 'red wine or grapes of the north')";
    for (searched, is_large) in [
        (format!("SELECT id FROM docs WHERE to_tsvector('english', doc::text) @@ {query}"), false),
        (format!("SELECT ts_rank(to_tsvector('english', doc::text), {query}) FROM docs"), false),
        (format!("SELECT ts_headline('english', doc::text, {query}) FROM docs"), false),
        (
            format!(
                "SELECT d.id FROM docs d, {query} q WHERE to_tsvector('english', d.doc::text) @@ q ORDER BY ts_rank(to_tsvector('english', d.doc::text), q), ts_rank_cd(to_tsvector('english', d.doc::text), q)"
            ),
            false,
        ),
        ("SELECT (e ->> 'a')::int FROM docs d, jsonb_array_elements(d.doc::jsonb) e".to_owned(), false),
        (
            format!(
                "SELECT ts_headline(doc::text, {query}, 'StartSel=<mark>, StopSel=</mark>, MaxFragments=3') FROM docs"
            ),
            false,
        ),
        (
            format!(
                "SELECT ts_headline(doc::text, {query}, 'HighlightAll=true, StartSel=' || repeat('x', 5000)) FROM docs"
            ),
            true,
        ),
        (
            format!(
                "SELECT ts_headline(doc::text, {query}, 'MaxWords=9999999, StartSel={}') FROM docs",
                "x".repeat(90)
            ),
            true,
        ),
    ] {
        let catalog = documents(Dialect::Postgres);
        let reading = crate::read(&searched, &Dialect::Postgres, &CatalogSchema::new(&catalog, "s"));
        let too_large = |it: &crate::Growth| match it.kind {
            GrowthKind::Work => it.amount > 1e8,
            GrowthKind::Quoted => it.amount > 2e6,
            GrowthKind::Value => it.amount > 16.0 * it.of_data,
            _ => false,
        };
        let found: Vec<_> = reading.growth.iter().filter(|it| too_large(it)).collect();
        assert_eq!(!found.is_empty(), is_large, "{searched}: {found:?}");
    }
}

#[test]
fn expressions_are_written_into_each_other() {
    let parts = |sql: &str| most(&Dialect::Postgres, GrowthKind::Substituted, sql);
    let nested = |expression: &str, levels: usize| {
        (0..levels).fold("SELECT qty AS a FROM t".to_owned(), |inner, level| {
            format!("SELECT {expression} AS a FROM ({inner}) q{level}")
        })
    };
    for doubling in ["a + a", "greatest(a, a)", "CASE WHEN a > a THEN a ELSE 0 END"] {
        assert!(parts(&nested(doubling, 21)) > 1e6, "{doubling}");
    }
    assert!(parts(&nested("a + a", 5)) < 1e3 && parts(&nested("a + 1", 60)) < 1e4);
    assert!(parts(&nested("max(a) + max(a)", 21)) < 1e3, "what is grouped is worked out first");
    let chain: Vec<String> =
        (1..22).map(|level| format!("c{level} AS (SELECT a * 0 + a AS a FROM c{})", level - 1)).collect();
    let chain = format!("WITH c0 AS (SELECT qty AS a FROM t), {} SELECT max(a) FROM c21", chain.join(", "));
    assert!(parts(&chain) > 1e6);
    let kept = chain.replace(" AS (", " AS MATERIALIZED (");
    assert!(parts(&kept) < 1e3);
    for lateral in ["(VALUES (x.a * 0 + x.a)) y(a)", "(SELECT x.a * 0 + x.a AS a) y"] {
        let joined: String = (1..22)
            .map(|level| {
                let one = lateral.replace("x.", &format!("x{}.", level - 1)).replace(" y", &format!(" x{level}"));
                format!(" CROSS JOIN LATERAL {one}")
            })
            .collect();
        assert!(parts(&format!("SELECT max(x21.a) FROM t AS x0(a){joined}")) > 1e6, "{lateral}");
    }
    let starred =
        (0..40).fold("SELECT a FROM t".to_owned(), |inner, level| format!("SELECT *, * FROM ({inner}) q{level}"));
    assert!(parts(&starred) < 1e5);
}

/// A tree of 100,000 rows with names of 30 bytes.
fn tree() -> Catalog {
    let mut table = Table::new(TableId::new("s", "parts"));
    table.columns =
        vec![Column::new("id", "integer"), Column::new("parent_id", "integer"), Column::new("name", "text")];
    table.columns.push(Column::new("made_at", "timestamp"));
    table.primary_key = vec!["id".to_owned()];
    table.row_count = Some(RowCount { value: 100_000, exactness: Exactness::Exact });
    let name = ColumnProfile { average_length: Some(30.0), longest: Some(60), ..ColumnProfile::empty("name") };
    let columns =
        vec![ColumnProfile::empty("id"), ColumnProfile::empty("parent_id"), name, ColumnProfile::empty("made_at")];
    let profile = TableProfile::new(&table, SampleMethod::AllRows, Default::default());
    let entry = Entry::bare(table).with_profile(TableProfile { columns, ..profile });
    Catalog::new(vec![Source::new("s", Dialect::Postgres, "")], vec![entry], Vec::new(), 0)
}

/// The largest value that a statement over the tree makes.
fn of_tree(sql: &str) -> f64 {
    let catalog = tree();
    let reading = crate::read(sql, &Dialect::Postgres, &CatalogSchema::new(&catalog, "s"));
    assert!(!matches!(reading.kind, crate::StatementKind::Unparsed), "{sql}: {:?}", reading.problems);
    reading.growth.iter().filter(|it| it.kind == GrowthKind::Value).map(|it| it.amount).fold(0.0, f64::max)
}

#[test]
fn a_pattern_says_how_long_what_is_written_is() {
    let months = "SELECT string_agg(DISTINCT to_char(made_at, 'YYYY-MM'), ',') FROM parts";
    let long = months.replace("YYYY-MM", &"Month".repeat(200));
    assert!(of_tree(months) < 3e7 && of_tree(&long) > 1e9, "{} {}", of_tree(months), of_tree(&long));
}

#[test]
fn a_walk_that_begins_with_one_row_has_few() {
    let collected = |begin: &str| {
        of_tree(&format!(
            "WITH RECURSIVE up AS (SELECT id, parent_id, name FROM parts WHERE {begin} UNION ALL SELECT p.id, p.parent_id, \
             p.name FROM parts p JOIN up ON p.id = up.parent_id) SELECT string_agg(name, ' > ') FROM up"
        ))
    };
    let all = collected("parent_id = 42");
    for one in ["id = 42", "42 = parts.id", "name <> '' AND (id = 42)"] {
        assert!(collected(one) < all / 1e3, "{one}: {} of {all}", collected(one));
    }
    for several in ["id = '42' OR name = 'x'", "id > 42", "id = parent_id", "name = '42'"] {
        assert!(collected(several) > all / 1e2, "{several}: {} of {all}", collected(several));
    }
}
