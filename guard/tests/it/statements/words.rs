//! What the grammar may say in a dialect: relations, functions, literals, and hostile parts.

use catalog::Dialect;

use super::hostile::{self, Hostile};

/// What a value is, as far as the grammar cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Text,
}

/// A table or a view, with its columns.
pub(super) struct Relation {
    pub(super) name: &'static str,
    pub(super) columns: &'static [(&'static str, Kind)],
}

/// A template with `{n}` for a number and `{t}` for a text.
pub(super) type Template = &'static str;

/// A dialect's words.
pub(super) struct Words {
    pub(super) quote: char,
    pub(super) relations: &'static [&'static [Relation]],
    pub(super) numbers: &'static [&'static [Template]],
    pub(super) texts: &'static [&'static [Template]],
    pub(super) conditions: &'static [&'static [Template]],
    /// Over a window or a group, of a number.
    pub(super) aggregates: &'static [Template],
    pub(super) windows: &'static [Template],
    /// Sources of rows that are no relation, with the names of their columns.
    pub(super) sources: &'static [(Template, &'static [(&'static str, Kind)])],
    /// Whole statements around a query `{q}` that only read.
    pub(super) wrappings: &'static [&'static str],
    pub(super) operators: &'static [&'static str],
    pub(super) lateral: bool,
    pub(super) full_joins: bool,
    /// Whether a subquery may be selected and grouped by: MariaDB 10.11.19 stops as a whole at prepared ones.
    pub(super) repeated_subqueries: bool,
    pub(super) hostile: &'static Hostile,
}

impl Words {
    pub(super) fn of(dialect: &Dialect) -> &'static Self {
        match dialect {
            Dialect::Sqlite => &SQLITE,
            Dialect::Postgres => &POSTGRES,
            Dialect::Mysql => &MYSQL,
            other => panic!("nobody has taught the grammar {other}"),
        }
    }
}

use Kind::{Number, Text};

const RELATIONS: &[Relation] = &[
    Relation {
        name: "customers",
        columns: &[
            ("customer_id", Number),
            ("full_name", Text),
            ("email", Text),
            ("country", Text),
            ("signed_up", Text),
            ("is_active", Number),
        ],
    },
    Relation {
        name: "orders",
        columns: &[
            ("order_id", Number),
            ("customer_id", Number),
            ("status", Text),
            ("total", Number),
            ("ordered_on", Text),
            ("details", Text),
        ],
    },
    Relation {
        name: "order_lines",
        columns: &[("order_id", Number), ("line", Number), ("sku", Text), ("quantity", Number)],
    },
    Relation {
        name: "employees",
        columns: &[("employee_id", Number), ("manager_id", Number), ("name", Text), ("salary", Number)],
    },
    Relation { name: "odd names", columns: &[("select", Text), ("two words", Text), ("update_count", Number)] },
    Relation { name: "paid_orders", columns: &[("order_id", Number), ("customer_id", Number), ("total", Number)] },
    Relation { name: "events", columns: &[("event_id", Number), ("what", Text)] },
    Relation { name: "recording_orders", columns: &[("order_id", Number)] },
];

const SQLITE_RELATIONS: &[Relation] = &[Relation { name: "notes", columns: &[("body", Text)] }];

/// Views that call what writes, counts, configures, locks.
const POSTGRES_RELATIONS: &[Relation] = &[
    Relation { name: "counting_orders", columns: &[("order_id", Number), ("number", Number)] },
    Relation { name: "configuring_orders", columns: &[("order_id", Number), ("path", Text), ("mode", Text)] },
    Relation { name: "locking_orders", columns: &[("order_id", Number)] },
    Relation { name: "storing_orders", columns: &[("order_id", Number)] },
    Relation { name: "notifying_orders", columns: &[("order_id", Number), ("said", Text)] },
];

const MYSQL_RELATIONS: &[Relation] = &[
    Relation { name: "plain_events", columns: &[("event_id", Number), ("what", Text)] },
    Relation { name: "plainly_recording_orders", columns: &[("order_id", Number), ("number", Number)] },
    Relation { name: "counting_orders", columns: &[("order_id", Number), ("number", Number)] },
    Relation { name: "configuring_orders", columns: &[("order_id", Number), ("number", Number)] },
    Relation { name: "locking_orders", columns: &[("order_id", Number), ("got", Number)] },
];

const NUMBERS: &[Template] = &[
    "0",
    "1",
    "-7",
    "12.5",
    "NULL",
    "abs({n})",
    "round({n})",
    "length({t})",
    "({n} + {n})",
    "({n} - {n})",
    "({n} * 2)",
    "coalesce({n}, {n})",
    "nullif({n}, 0)",
    "CASE WHEN {c} THEN {n} ELSE {n} END",
    "CASE {n} WHEN 1 THEN {n} END",
];

const TEXTS: &[Template] = &[
    "'paid'",
    "'US'",
    "''",
    "'it''s'",
    "'; DELETE FROM orders; --'",
    "'/* not a comment */'",
    "'FOR UPDATE'",
    "'é 東京 😀'",
    "NULL",
    "upper({t})",
    "trim({t})",
    "substr({t}, 1, 3)",
    "replace({t}, 'a', 'b')",
    "coalesce({t}, {t})",
    "CASE WHEN {c} THEN {t} ELSE {t} END",
    "CASE WHEN {c} THEN {t} /* ELSE nextval('x') */ END",
];

const CONDITIONS: &[Template] = &[
    "{n} = {n}",
    "{n} < {n}",
    "{n} <> {n}",
    "{t} = {t}",
    "{t} LIKE 'a%'",
    "{t} NOT LIKE '%_x%'",
    "{t} IS NOT NULL",
    "{n} IS NULL",
    "{n} BETWEEN 1 AND 100",
    "{n} IN (1, 2, {n})",
    "{t} IN ('paid', {t})",
    "({c} AND {c})",
    "({c} OR {c})",
    "NOT {c}",
    "EXISTS (SELECT 1 FROM orders WHERE {c})",
];

const SQLITE: Words = Words {
    quote: '"',
    relations: &[RELATIONS, SQLITE_RELATIONS],
    numbers: &[
        NUMBERS,
        &["({n} % 7)", "({n} & 3)", "CAST({n} AS INTEGER)", "json_extract({t}, '$.items[0]')", "iif({c}, {n}, 2)"],
        &["unicode({t})", "0x1F", "1_000", "x'41'", "instr({t}, 'a')", "julianday('2024-01-01')", "{t} COLLATE NOCASE"],
        &["abs({n}) % 3", "{n} IS {n}", "{n} IS NOT DISTINCT FROM {n}", "min({n}, {n})", "likely({n})"],
    ],
    texts: &[
        TEXTS,
        &["({t} || {t})", "lower({t})", "hex({t})", "quote({t})", "typeof({n})", "CAST({n} AS TEXT)"],
        &["printf('%s-%d', {t}, {n})", "strftime('%Y', {t})", "date('now')", "json({t})", "json_array({n}, {t})"],
        &["group_concat({t})", "{t} ->> '$.channel'", "'a\\'", "char(65)", "ltrim({t}, 'x')", "unistr('\\0041')"],
    ],
    conditions: &[CONDITIONS, &["{t} GLOB 'a*'", "({n}, {t}) = (1, 'a')"]],
    aggregates: &["count(*)", "sum({n})", "avg({n})", "min({n})", "max({n})", "total({n})", "count(DISTINCT {n})"],
    windows: &[
        "row_number() OVER (ORDER BY {n})",
        "sum({n}) OVER (PARTITION BY {t} ORDER BY {n} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
        "lag({n}, 1, 0) OVER (ORDER BY {n} DESC)",
        "sum({n}) FILTER (WHERE {c}) OVER ()",
    ],
    sources: &[
        ("json_each('[1, 2, 3]')", &[("key", Number), ("value", Number)]),
        ("json_tree({t})", &[("fullkey", Text)]),
        ("pragma_table_info('orders')", &[("cid", Number), ("name", Text)]),
        ("(VALUES (1, 'a'), (2, 'b'))", &[("column1", Number), ("column2", Text)]),
    ],
    wrappings: &[
        "EXPLAIN {q}",
        "EXPLAIN QUERY PLAN {q}",
        "{q};",
        "/* a */ {q} -- b",
        "SELECT count(*) FROM ({q})",
        "PRAGMA table_info('orders')",
        "SELECT body FROM notes WHERE body MATCH 'first'",
    ],
    operators: &["UNION", "UNION ALL", "INTERSECT", "EXCEPT"],
    lateral: false,
    full_joins: true,
    repeated_subqueries: true,
    hostile: &hostile::SQLITE,
};

const POSTGRES: Words = Words {
    quote: '"',
    relations: &[RELATIONS, POSTGRES_RELATIONS],
    numbers: &[
        NUMBERS,
        &["CAST({n} AS numeric)", "({n})::bigint", "extract(year FROM now())", "strpos({t}, 'a')", "greatest({n}, 1)"],
        &["(ARRAY[1, 2, 3])[1]", "cardinality(ARRAY[{n}])", "random()", "width_bucket({n}, 0, 10, 5)", "+ {n}"],
        // What looks like reading and calls what writes.
        &["CAST(7::bigint AS recorded)", "(7::bigint || 8::bigint)", "7::bigint OPERATOR(public.||) 8::bigint"],
        &["('{\"a\": 1}'::jsonb ->> 'a')::int", "date_part('day', now())", "1_000", "num_nulls({n}, {t})"],
    ],
    texts: &[
        TEXTS,
        &["({t} || {t})", "CAST({n} AS text)", "initcap({t})", "md5({t})", "concat({t}, {n})", "left({t}, 2)"],
        &["lower(7::bigint)", "CAST(CAST(7 AS bigint) AS loud)::text", "to_char(now(), 'YYYY')", "quote_literal({t})"],
        &[
            "E'it\\'s; DELETE FROM orders; --'",
            "$$a'; DROP TABLE orders; --$$",
            "$x$ $$ ; $x$",
            "U&'\\0041'",
            "'a' 'b'",
        ],
        &[
            "'counter_seq'::regclass::text",
            "'nextval'::regproc::text",
            "string_agg({t}, ',' ORDER BY {t})",
            "B'101'::text",
        ],
        &[
            "regexp_replace({t}, 'a', 'b')",
            "format('%s %I', {t}, {t})",
            "array_to_string(ARRAY[{t}], ',')",
            "split_part({t}, '-', 1)",
        ],
        &["row_to_json(ROW({n}, {t}))::text", "current_user", "version()"],
    ],
    conditions: &[
        CONDITIONS,
        &["{t} ILIKE 'A%'", "{t} ~ '^a'", "{n} = ANY (ARRAY[1, 2])", "{t} SIMILAR TO 'a%'", "{n} IS DISTINCT FROM {n}"],
        &["({n}, {t}) = (1, 'a')", "{n} > ALL (SELECT order_id FROM orders)", "{t} COLLATE \"C\" < 'b'"],
    ],
    aggregates: &[
        "count(*)",
        "sum({n})",
        "avg({n})",
        "min({n})",
        "max({n})",
        "count(DISTINCT {n})",
        "any_value(7::bigint)",
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY {n})",
        "count(*) FILTER (WHERE {c})",
        "bool_or({c})",
    ],
    windows: &[
        "row_number() OVER (ORDER BY {n})",
        "sum({n}) OVER (PARTITION BY {t} ORDER BY {n} RANGE UNBOUNDED PRECEDING)",
        "lag({n}) OVER (ORDER BY {n} DESC NULLS LAST)",
        "any_value(7::bigint) OVER ()",
    ],
    sources: &[
        ("generate_series(1, 5)", &[("generate_series", Number)]),
        ("unnest(ARRAY[1, 2])", &[("unnest", Number)]),
        ("jsonb_each_text('{\"a\": 1}')", &[("key", Text), ("value", Text)]),
        ("regexp_split_to_table({t}, ',')", &[]),
        ("LATERAL generate_series(1, 3)", &[]),
        ("ROWS FROM (generate_series(1, 2))", &[]),
        ("(VALUES (1, 'a'), (2, 'b'))", &[("column1", Number), ("column2", Text)]),
        ("orders {alias} TABLESAMPLE SYSTEM (50)", &[("order_id", Number)]),
        ("(TABLE orders FOR UPDATE)", &[("order_id", Number)]),
        ("(TABLE orders LIMIT 2)", &[("order_id", Number), ("status", Text)]),
        ("ONLY orders", &[("order_id", Number)]),
        ("public.orders", &[("order_id", Number), ("status", Text)]),
    ],
    wrappings: &[
        "EXPLAIN {q}",
        "EXPLAIN (VERBOSE, FORMAT JSON) {q}",
        "EXPLAIN (ANALYZE FALSE) {q}",
        "{q};",
        "/* a /* nested */ */ {q} -- b",
        "SELECT count(*) FROM ({q}) q",
        "SELECT q FROM ({q}) q",
        "SHOW search_path",
        "TABLE orders",
        "SELECT (o).status FROM orders o",
        "SELECT o.wipe FROM orders o",
        "SELECT (o).wipe FROM orders o",
        "SELECT wipe FROM orders",
        "SELECT DISTINCT ON (customer_id) customer_id, total FROM orders ORDER BY customer_id",
        "SELECT status, sum(total) FROM orders GROUP BY ROLLUP (status)",
    ],
    operators: &["UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL"],
    lateral: true,
    full_joins: true,
    repeated_subqueries: true,
    hostile: &hostile::POSTGRES,
};

const MYSQL: Words = Words {
    quote: '`',
    relations: &[RELATIONS, MYSQL_RELATIONS],
    numbers: &[
        NUMBERS,
        &[
            "({n} % 7)",
            "({n} DIV 2)",
            "CAST({n} AS SIGNED)",
            "if({c}, {n}, 2)",
            "ifnull({n}, 0)",
            "1--1",
            "0x1F",
            "x'41'",
        ],
        &["crc32({t})", "locate('a', {t})", "year(now())", "datediff('2024-01-02', '2024-01-01')", "field({t}, 'a')"],
        &["json_extract('{\"a\": 1}', '$.a')", "rand()", "~{n}", "{n} <=> {n}", "greatest({n}, 1)"],
    ],
    texts: &[
        TEXTS,
        &[
            "concat({t}, {t})",
            "CAST({n} AS CHAR)",
            "lower({t})",
            "md5({t})",
            "left({t}, 2)",
            "concat_ws('-', {t}, {n})",
        ],
        &[
            "'it\\'s; DELETE FROM orders; -- '",
            "\"a'; DROP TABLE orders; -- \"",
            "_utf8mb4'x'",
            "'a' 'b'",
            "N'x'",
            "'a\\\\'",
        ],
        &[
            "date_format(now(), '%Y')",
            "group_concat({t} ORDER BY {t} SEPARATOR '-')",
            "hex({t})",
            "insert({t}, 1, 1, 'b')",
        ],
        &[
            "json_unquote('\"a\"')",
            "{t} COLLATE utf8mb4_bin",
            "database()",
            "current_user()",
            "format({n}, 2)",
            "uuid()",
        ],
    ],
    conditions: &[
        CONDITIONS,
        &["{t} REGEXP '^a'", "{t} RLIKE 'a'", "({c} XOR {c})", "{n} && {n}", "{c} || {c}", "({n}, {t}) = (1, 'a')"],
        &["{n} > ALL (SELECT order_id FROM orders)", "BINARY {t} = 'a'"],
    ],
    aggregates: &["count(*)", "sum({n})", "avg({n})", "min({n})", "max({n})", "count(DISTINCT {n})", "std({n})"],
    windows: &[
        "row_number() OVER (ORDER BY {n})",
        "sum({n}) OVER (PARTITION BY {t} ORDER BY {n} ROWS UNBOUNDED PRECEDING)",
        "lag({n}) OVER (ORDER BY {n} DESC)",
    ],
    sources: &[
        ("(SELECT 1 AS a UNION SELECT 2)", &[("a", Number)]),
        ("json_table('[1, 2]', '$[*]' COLUMNS (a int PATH '$'))", &[("a", Number)]),
        ("orders {alias} FORCE INDEX (PRIMARY)", &[("order_id", Number)]),
    ],
    wrappings: &[
        "EXPLAIN {q}",
        "EXPLAIN FORMAT=JSON {q}",
        "{q};",
        "/* a */ {q} -- b",
        "{q} # c",
        "SELECT count(*) FROM ({q}) q",
        "SELECT SQL_NO_CACHE count(*) FROM ({q}) q",
        "SELECT HIGH_PRIORITY STRAIGHT_JOIN * FROM ({q}) q",
        "SHOW TABLES",
        "DESCRIBE orders",
        "SELECT status, sum(total) FROM orders GROUP BY status WITH ROLLUP",
        "({q}) LIMIT 2",
    ],
    operators: &["UNION", "UNION ALL", "INTERSECT", "EXCEPT"],
    lateral: false,
    full_joins: false,
    repeated_subqueries: false,
    hostile: &hostile::MYSQL,
};
