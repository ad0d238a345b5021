use serde_json::{Value, json};

use super::{Known, Width, bytes, calls};

/// Columns have 50 bytes, the table `big` three million rows.
fn of(plan: &Value) -> f64 {
    of_statement(plan, true)
}

/// What the engine bounds by itself, of one sort or table of hashes.
const SORTED: f64 = 4e7;

/// The same for a statement that makes arrays of queries, or doesn't.
fn of_statement(plan: &Value, arrays: bool) -> f64 {
    let known = Known {
        width: &|column| (column != "unknown").then_some(Width::of_each(50.0)),
        rows: &|table| (table == "big").then_some(3e6),
        row: Width::default(),
        repeated: &|_, _| 1.0,
        without: &|_, _| 0.0,
        of_value: &|_, _, _| 0.0,
        different: &|_, column| if column == "country" { 30.0 } else { f64::INFINITY },
        has_figures: &|_| true,
        remembers: false,
        is_text: &|_| true,
        plan: &Value::Null,
        made: &|_| 1.0,
        largest: 0.0,
        limit: 0.0,
        arrays,
    };
    bytes(plan, &known)
}

fn scan(rows: f64, filter: Option<&str>) -> Value {
    let mut scan = json!({"Node Type": "Seq Scan", "Relation Name": "big", "Plan Rows": rows, "Plan Width": 200});
    if let Some(filter) = filter {
        scan["Filter"] = json!(filter);
    }
    scan
}

fn aggregate(outputs: &[&str], input: &Value) -> Value {
    json!({"Node Type": "Aggregate", "Strategy": "Plain", "Plan Rows": 1, "Output": outputs, "Plans": [input]})
}

#[test]
fn each_aggregate_keeps_its_rows_and_the_same_is_kept_once() {
    let one = of(&aggregate(&["array_agg(x.a)"], &scan(3e6, None)));
    assert!((3e8..1e9).contains(&one), "{one}");
    let five = ["array_agg(a)", "array_agg((a || 'x'::text))", "string_agg(a, ','::text)", "array_agg(DISTINCT a)"];
    assert!(of(&aggregate(&five, &scan(3e6, None))) >= one * 3.9);
    assert!(of(&aggregate(&["length(string_agg(a, ','::text))", "array_agg(x.a)"], &scan(3e6, None))) > one * 1.9);
    assert!((of(&aggregate(&["array_agg(x.a)", "cardinality(array_agg(x.a))"], &scan(3e6, None))) - one).abs() < 1.0);
    assert!(of(&aggregate(&["count(DISTINCT a)", "max(a)"], &scan(3e6, None))) < SORTED);
    // What isn't a stored column has the width that the planner gives the whole row.
    assert!(of(&aggregate(&["array_agg(q.unknown)"], &scan(3e6, None))) > one * 3.0);
}

#[test]
fn one_row_may_hold_the_longest_value_and_a_join_may_repeat_it() {
    let width = Width { mean: 50.0, longest: 1e7, all: 1.5e8 };
    let of = |input: &Value| {
        let known = Known {
            width: &|_| Some(width),
            rows: &|_| None,
            row: Width::default(),
            repeated: &|_, column| if column == "author_id" { 400.0 } else { 1.0 },
            without: &|_, _| 0.0,
            of_value: &|_, _, _| 0.0,
            different: &|_, column| if column == "country" { 30.0 } else { f64::INFINITY },
            has_figures: &|_| true,
            remembers: false,
            is_text: &|_| true,
            plan: &Value::Null,
            made: &|_| 1.0,
            largest: 0.0,
            limit: 0.0,
            arrays: false,
        };
        bytes(
            &aggregate(&[if input["Plans"].is_array() { "array_agg(d.body)" } else { "array_agg(body)" }], input),
            &known,
        )
    };
    assert!((2e7..2.1e7).contains(&of(&scan(1.0, None))), "{}", of(&scan(1.0, None)));
    // Those that a condition picks may be all that are long, and there are no more than that.
    assert!((2e8..2.1e8).contains(&of(&scan(10.0, None))));
    assert!((3e8..6e8).contains(&of(&scan(3e6, None))), "{}", of(&scan(3e6, None)));
    let joined = |condition: &str| {
        let side = |alias: &str, rows: f64| json!({"Node Type": "Seq Scan", "Relation Name": alias, "Alias": alias, "Plan Rows": rows, "Plan Width": 30});
        json!({"Node Type": "Hash Join", "Plan Rows": 4e5, "Plan Width": 30, "Hash Cond": condition,
            "Plans": [side("n", 4e5), side("d", 6e4)]})
    };
    assert!(of(&joined("(n.author_id = d.author_id)")) > 5e9);
    assert!(of(&joined("(n.doc_id = d.id)")) < 5e8, "{}", of(&joined("(n.doc_id = d.id)")));
    assert!(of(&joined("(n.author_id = d.author_id) AND (n.doc_id = d.id)")) < 5e8);
}

#[test]
fn computed_values_and_those_from_around_are_as_long_as_what_they_are_made_of() {
    let known = |column: &str| {
        let long = column.ends_with("body");
        Some(Width { mean: 50.0, longest: if long { 1e7 } else { 60.0 }, all: if long { 1.5e8 } else { 3e6 } })
    };
    let of = |plan: &Value| {
        let row = Width { mean: 100.0, longest: 1e7, all: 1.5e8 };
        let known = Known {
            width: &known,
            rows: &|_| None,
            row,
            repeated: &|_, _| 1.0,
            without: &|_, _| 0.0,
            of_value: &|_, _, _| 0.0,
            different: &|_, column| if column == "country" { 30.0 } else { f64::INFINITY },
            has_figures: &|_| true,
            remembers: false,
            is_text: &|_| true,
            plan: &Value::Null,
            made: &|_| 1.0,
            largest: 0.0,
            limit: 0.0,
            arrays: true,
        };
        bytes(plan, &known)
    };
    let table = |alias: &str, rows: f64, output: &[&str]| json!({"Node Type": "Seq Scan", "Relation Name": "t", "Alias": alias, "Plan Rows": rows, "Plan Width": 30, "Output": output});
    let derived = |output: &str, below: Value| json!({"Node Type": "Subquery Scan", "Alias": "x", "Plan Rows": 300, "Plan Width": 30, "Output": [output], "Plans": [below]});
    // A name that a query gives is no column, whatever columns are called.
    let made = derived("x.kind", table("c", 300.0, &["(c.body || (c.kind)::text)"]));
    assert!(of(&aggregate(&["array_agg(x.kind)"], &made)) > 2.9e8);
    assert!(of(&aggregate(&["array_agg(x.kind)"], &derived("x.kind", table("c", 300.0, &["c.kind"])))) < 1e6);
    // Calls differ by the rows that they are given, and stand in conditions over groups.
    let filtered: Vec<String> =
        (0..8).map(|from| format!("array_agg(c.body) FILTER (WHERE (c.id > {from}))")).collect();
    let filtered: Vec<&str> = filtered.iter().map(String::as_str).collect();
    assert!(of(&aggregate(&filtered, &table("c", 200.0, &["c.body", "c.id"]))) > 2e9);
    let mut over_groups = aggregate(&["count(*)"], &table("c", 200.0, &["c.body"]));
    over_groups["Filter"] = json!("(cardinality(array_agg(c.body)) > 0)");
    assert!(of(&over_groups) > 2.9e8);
    // The same value beside each row, from around the query and out of one in the expression.
    for outer in ["string_agg(c.body, n.kind)", "array_agg((SubPlan 1))", "array_agg($0)"] {
        assert!(of(&aggregate(&[outer], &table("n", 100.0, &["n.kind"]))) > 1.9e9, "{outer}");
    }
    assert!(of(&aggregate(&["string_agg(c.kind, n.kind)"], &table("n", 100.0, &["n.kind"]))) < 1e6);
    // One value for each group in memory.
    let hashed = |output: &str| {
        let mut node = aggregate(&[output], &table("p", 8000.0, &["p.body", "p.kind"]));
        (node["Strategy"], node["Plan Rows"]) = (json!("Hashed"), json!(4000));
        of(&node)
    };
    assert!(hashed("max(p.body)") > 1.4e8 && hashed("max(p.kind)") < SORTED && hashed("sum(p.n)") < SORTED);
    // Numbers that a query counts are small, and whole rows as long as their columns.
    let counted = derived("x.n", table("c", 1e4, &["count(*)"]));
    assert!(of(&aggregate(&["array_agg(x.n)"], &counted)) < 1e6);
    let rows = derived("x.n", table("c", 50.0, &["c.kind", "c.n"]));
    assert!(of(&aggregate(&["json_agg(x.*)"], &rows)) < 1e6);
    let hash = |output: &str| json!({"Node Type": "Hash", "Plan Rows": 300, "Plans": [table("c", 300.0, &[output])]});
    assert!(of(&hash("(c.body || 'x'::text)")) > 1.4e8 && of(&hash("c.body")) < SORTED);
    // A sort that keeps the first rows alone, and tables in memory.
    let sorted = |output: &str| {
        json!({"Node Type": "Limit", "Plan Rows": 290, "Plans": [
        {"Node Type": "Sort", "Plan Rows": 300, "Plans": [table("c", 300.0, &[output])]}]})
    };
    assert!(of(&sorted("(c.body || 'x'::text)")) > 1.4e8 && of(&sorted("c.body")) < SORTED);
    let mut array = table("c", 300.0, &["(c.body || 'x'::text)"]);
    array["Parent Relationship"] = json!("InitPlan");
    array["Subplan Name"] = json!("InitPlan 1 (returns $0)");
    assert!(of(&json!({"Node Type": "Result", "Plan Rows": 1, "Output": ["$0"], "Plans": [array]})) > 4e8);
}

#[test]
fn the_planner_is_believed_behind_conditions_that_it_has_figures_for() {
    let all = of(&aggregate(&["array_agg(a)"], &scan(3e6, None)));
    for (filter, believed) in [
        ("(b = 5)", true),
        ("((a)::text = 'x y'::text)", true),
        ("((a ~~ '%x%'::text) AND (b >= 5) AND (c IS NOT NULL))", true),
        ("((state)::text = ANY ('{a,b}'::text[]))", true),
        ("((d >= '2024-01-01'::date) AND (d < '2024-02-01 00:00:00'::timestamp without time zone))", true),
        ("((n)::numeric(10,2) > 5.5)", false),
        ("((k)::double precision = '1'::double precision)", false),
        ("((grp)::character(1) = 'g'::bpchar)", false),
        ("(b <> ALL ('{3,4,5}'::integer[]))", false),
        ("(b = ANY ('{3,4,5}'::integer[]))", true),
        ("((d >= (CURRENT_DATE - '30 days'::interval)) AND (d < date_trunc('day'::text, now())))", true),
        ("(b < (random() * '0.5'::double precision))", false),
        ("((a || ''::text) = a)", false),
        ("((b % 1) = 0)", false),
        ("((b * 0) = 0)", false),
        ("(a = a)", false),
        ("(lower(a) = 'x'::text)", false),
        ("(b < $0)", false),
    ] {
        let few = of(&aggregate(&["array_agg(a)"], &scan(15_000.0, Some(filter))));
        assert_eq!(few < all / 4.0, believed, "{filter}: {few}");
    }
}

#[test]
fn rows_go_up_through_joins_and_queries() {
    let join = |condition: &str| {
        let mut sides = [scan(1_000.0, Some("(b > 5)")), scan(3e6, None)];
        (sides[0]["Alias"], sides[1]["Alias"]) = (json!("x"), json!("y"));
        json!({"Node Type": "Hash Join", "Hash Cond": condition, "Plan Rows": 1000, "Plans": sides})
    };
    let keys = of(&aggregate(&["array_agg(x.a)"], &join("(x.id = y.id)")));
    assert!(keys < 1e6, "{keys}");
    assert!(of(&aggregate(&["array_agg(x.a)"], &join("((x.id * 0) = (y.id * 0))"))) > 1e11);
    let limited = json!({"Node Type": "Limit", "Plan Rows": 10, "Plans": [scan(3e6, None)]});
    assert!(of(&aggregate(&["array_agg(a)"], &limited)) < 1e5);
    let counted = aggregate(&["count(*)"], &scan(15_000.0, Some("((b % 1) = 0)")));
    assert!(of(&aggregate(&["array_agg(a)"], &counted)) < 1e3);
}

#[test]
fn arrays_of_queries_are_kept_as_well() {
    let queries = |name: &str| {
        let mut rows = scan(3e6, None);
        (rows["Parent Relationship"], rows["Subplan Name"]) = (json!("InitPlan"), json!(name));
        of(&json!({"Node Type": "Result", "Plan Rows": 1, "Plans": [rows]}))
    };
    assert!(queries("InitPlan 1 (returns $0)") > 1e9);
    assert!(queries("CTE x") < 1.0);
}

#[test]
fn groups_share_rows_and_sets_of_groups_multiply_them() {
    let all = of(&aggregate(&["array_agg(a)"], &scan(3e6, None)));
    let grouped = |strategy: &str, key: &str| {
        let mut rows = scan(3e6, None);
        rows["Alias"] = json!("x");
        json!({"Node Type": "Aggregate", "Strategy": strategy, "Group Key": [key], "Plan Rows": 200_000,
            "Output": ["array_agg(a)"], "Plans": [rows]})
    };
    assert!(of(&grouped("Sorted", "x.b")) < all / 50.0);
    assert!(of(&grouped("Sorted", "(x.b * 0)")) > all / 2.0);
    assert!(of(&grouped("Hashed", "x.b")) > all / 2.0);
    let sets = json!({"Node Type": "Aggregate", "Strategy": "Mixed", "Plan Rows": 200_000, "Output": ["array_agg(a)"],
        "Grouping Sets": [{"Hash Keys": [["a"], ["b"]]}, {"Group Keys": [["c", "d"], []]}], "Plans": [scan(3e6, None)]});
    assert!(of(&sets) > all * 3.9);
}

#[test]
fn what_engines_write_is_read_to_its_end() {
    let read = |output| {
        calls(output, sql::keeps_values)
            .into_iter()
            .map(|call| (call.name, call.arguments, call.of))
            .collect::<Vec<_>>()
    };
    assert_eq!(read("(array_agg(\"we ird\"))[1]"), [("array_agg", "\"we ird\"", "")]);
    assert_eq!(read("public.array_agg(lower(a)"), [("array_agg", "lower(a)", "")]);
    assert_eq!(
        read("array_agg(a) FILTER (WHERE (b > 0)) OVER (?) || 'x'"),
        [("array_agg", "a", " FILTER (WHERE (b > 0)) OVER (?)")]
    );
    assert_eq!(read("array_agg(a) FILTER"), [("array_agg", "a", "")]);
    assert!(calls("array_agg_of_mine(a), count(b)", sql::keeps_values).is_empty());
    let few = |filter: &str| of(&aggregate(&["array_agg(a)"], &scan(100.0, Some(filter)))) < 1e6;
    for broken in ["'", "\"", "(a = 'x", "a::", "a::numeric(", "-", "$", "((("] {
        let _total = few(broken);
    }
    assert!(few("(\"a b\".\"c = d\" = 'it''s'::character varying(20))"));
}

/// A query that another one looks rows up in, as it stands in a plan.
fn looked_up(rows: &Value) -> Value {
    let mut inner = rows.clone();
    inner["Parent Relationship"] = json!("SubPlan");
    inner["Subplan Name"] = json!("SubPlan 1");
    inner["Output"] = json!(["x.a"]);
    inner
}

#[test]
fn tables_in_memory_that_rows_are_looked_up_in_are_counted() {
    let many = scan(3e6, None);
    let [outer, inner] = [scan(100.0, Some("(NOT (hashed SubPlan 1))")), looked_up(&many)];
    let mut with = outer.clone();
    with["Plans"] = json!([inner]);
    let held = of_statement(&with, false);
    assert!((3e8..2e9).contains(&held), "{held}");
    with["Filter"] = json!("(NOT (SubPlan 1))");
    assert!(of_statement(&with, false) < 1.0, "what is asked anew for each row is kept nowhere");
    let compared = |strategy: &str, rows: &Value| {
        of(&json!({"Node Type": "SetOp", "Strategy": strategy, "Plan Rows": 100, "Plans": [rows]}))
    };
    assert!((3e8..2e9).contains(&compared("Hashed", &many)));
    assert!(compared("Sorted", &many) < 1.0, "that is put on the disk");
    let mut wide = scan(3e6, None);
    wide["Plan Width"] = json!(1_800);
    let appended =
        json!({"Node Type": "Append", "Plan Rows": 100, "Plan Width": 36, "Plans": [wide, scan(10.0, None)]});
    assert!(compared("Hashed", &appended) > 5e9, "a row is as wide as the widest query has it");
    // Behind a condition that the planner only guesses at, all rows can come.
    assert!(compared("Hashed", &scan(100.0, Some("(lower(a) = 'x'::text)"))) > 3e8);
    assert!(compared("Hashed", &scan(100.0, Some("(b = 5)"))) < 1e6);
}

#[test]
fn what_a_function_gives_has_no_column_s_width() {
    let from = |node: &str| {
        let mut made = json!({"Node Type": node, "Alias": "a", "Plan Rows": 1e5, "Plan Width": 200});
        if node == "Seq Scan" {
            made["Relation Name"] = json!("t");
        }
        json!({"Node Type": "Nested Loop", "Plan Rows": 3e6, "Plan Width": 200, "Plans": [scan(3e6, None), made]})
    };
    for output in ["array_agg(a.a)", "array_agg(a)"] {
        let (stored, made) =
            (of(&aggregate(&[output], &from("Seq Scan"))), of(&aggregate(&[output], &from("Function Scan"))));
        assert!(made > stored * 2.0, "{output}: {stored} {made}");
    }
}

#[test]
fn parts_groups_and_keys_that_the_planner_guesses_at_are_as_many_as_there_may_be() {
    let known = |column: &str| {
        let mean = if column == "note" { 50_000.0 } else { 20.0 };
        Some(Width { mean, longest: mean * 2.0, all: mean * 4_000.0 })
    };
    let of = |plan: &Value| {
        let row = Width { mean: 50_000.0, longest: 1e5, all: 2e8 };
        let repeated = |_: &str, column: &str| if column == "state" { 5e4 } else { 3.0 };
        let known = Known {
            width: &known,
            rows: &|_| None,
            row,
            repeated: &repeated,
            without: &|_, _| 0.0,
            of_value: &|_, _, _| 0.0,
            different: &|_, column| if column == "country" { 30.0 } else { f64::INFINITY },
            has_figures: &|_| true,
            remembers: false,
            is_text: &|_| true,
            plan: &Value::Null,
            made: &|_| 1.0,
            largest: 0.0,
            limit: 0.0,
            arrays: true,
        };
        bytes(plan, &known)
    };
    let table = |alias: &str, rows: f64, width: f64| json!({"Node Type": "Seq Scan", "Relation Name": alias, "Alias": alias, "Plan Rows": rows, "Plan Width": width, "Output": [format!("{alias}.note")]});
    // Each text is expected to have ten parts.
    let parted = |call: &str| {
        let parts = json!({"Node Type": "Function Scan", "Alias": "w", "Function Call": call, "Plan Rows": 10, "Plan Width": 32});
        let joined = json!({"Node Type": "Nested Loop", "Plan Rows": 40_000, "Plan Width": 32, "Output": ["w.w"],
            "Plans": [table("n", 4_000.0, 20.0), parts]});
        of(&json!({"Node Type": "SetOp", "Strategy": "Hashed", "Plan Rows": 200, "Plans": [joined]}))
    };
    assert!(parted("unnest(string_to_array(n.note, ' '::text))") > 3e9);
    assert!(parted("unnest(string_to_array(n.kind, ' '::text))") < 3e8);
    assert!(parted("generate_series(1, 10)") < 3e8);
    let selected = json!({"Node Type": "ProjectSet", "Plan Rows": 40_000, "Plan Width": 32,
        "Output": ["regexp_split_to_table(n.note, ' '::text)"], "Plans": [table("n", 4_000.0, 20.0)]});
    assert!(of(&json!({"Node Type": "SetOp", "Strategy": "Hashed", "Plan Rows": 200, "Plans": [selected]})) > 3e9);
    // Of rows of several queries there are no figures, and two hundred groups are expected.
    let both = json!({"Node Type": "Append", "Plan Rows": 4e5, "Plan Width": 32, "Output": ["n.id", "n.note"],
        "Plans": [table("n", 2e5, 20.0), table("m", 2e5, 20.0)]});
    let grouped = |input: &Value| {
        of(&json!({"Node Type": "Aggregate", "Strategy": "Hashed", "Plan Rows": 200, "Group Key": ["n.id"],
            "Output": ["max(n.note)"], "Plans": [input]}))
    };
    assert!(grouped(&both) > 1e9 && grouped(&table("n", 4e5, 20.0)) < 9e7, "{}", grouped(&both));
    let inner = json!({"Node Type": "CTE Scan", "Alias": "u", "Plan Rows": 4e5, "Plan Width": 32, "Output": ["u.k"]});
    let of_query = json!({"Node Type": "Aggregate", "Strategy": "Hashed", "Plan Rows": 200, "Group Key": ["u.k"],
        "Output": ["max(u.m)"], "Plans": [inner]});
    assert!(of(&of_query) > 1e9);
    // Rows of one key stay together.
    let joined = |condition: &str| {
        let hash =
            json!({"Node Type": "Hash", "Plan Rows": 5e5, "Plan Width": 1800, "Plans": [table("l", 5e5, 1800.0)]});
        of(&json!({"Node Type": "Hash Join", "Plan Rows": 1e6, "Plan Width": 40, "Hash Cond": condition,
            "Plans": [table("o", 1e5, 40.0), hash]}))
    };
    assert!(joined("(\"left\"(o.status, 0) = \"left\"(l.svc, 0))") > 8e8);
    assert!(joined("(o.id = l.order_id)") < SORTED);
    assert!(joined("(lower(o.code) = lower((l.code)::text))") < SORTED);
    assert!((5e7..2.5e8).contains(&joined("(o.state = l.state)")));
    assert!(joined("(o.state = l.state) AND (o.id = l.order_id)") < SORTED);
    assert!(joined("(btrim((o.id)::text, '0123456789'::text) = btrim((l.id)::text, '0123456789'::text))") > 8e8);
    assert!(joined("((o.id)::boolean = (l.id)::boolean)") > 8e8 && joined("((o.id)::text = (l.id)::text)") < SORTED);
    assert!(joined("(COALESCE(o.err, 'x'::text) = COALESCE(l.err, 'x'::text))") > 8e8);
    // An aggregate over several queries is written as the first one has it.
    let branch = |output: &str| json!({"Node Type": "Seq Scan", "Relation Name": "n", "Alias": "n", "Plan Rows": 4e4, "Plan Width": 32, "Output": [output]});
    let appended = json!({"Node Type": "Append", "Plan Rows": 8e4, "Plan Width": 32,
        "Plans": [branch("''::text"), branch("(n.note || n.note)")]});
    let collected = |output: &str, input: &Value| {
        of(
            &json!({"Node Type": "Aggregate", "Strategy": "Plain", "Plan Rows": 1, "Output": [output], "Plans": [input]}),
        )
    };
    assert!(collected("array_agg((''::text))", &appended) > 1e9);
    let short = json!({"Node Type": "Append", "Plan Rows": 8e4, "Plan Width": 32,
        "Plans": [branch("''::text"), branch("n.kind")]});
    assert!(collected("array_agg((''::text))", &short) < 1e8);
    // Nearly all rows may be in one group.
    let by_state = |key: &str| {
        of(&json!({"Node Type": "Aggregate", "Strategy": "Sorted", "Plan Rows": 100, "Group Key": [key],
            "Output": ["array_agg(n.note)"], "Plans": [table("n", 5e4, 20.0)]}))
    };
    assert!(by_state("n.state") > 10.0 * by_state("n.id"), "{} {}", by_state("n.state"), by_state("n.id"));
}

#[test]
fn rows_are_as_many_as_the_least_of_conditions_and_the_most_frequent_value_leave() {
    let width = |column: &str| {
        let long = if column == "report" { 1_800.0 } else { 20.0 };
        Some(Width { mean: long, longest: long, all: long * 5e5 })
    };
    let repeated = |_: &str, column: &str| if ["k", "a"].contains(&column) { 4e5 } else { 1.0 };
    let of = |input: &Value, limit: f64| {
        let rows = |table: &str| (table == "big").then_some(5e5);
        let row = Width::of_each(2_000.0);
        let known = Known {
            width: &width,
            rows: &rows,
            row,
            repeated: &repeated,
            without: &|_, _| 0.0,
            of_value: &|_, _, _| 0.0,
            different: &|_, column| if column == "country" { 30.0 } else { f64::INFINITY },
            has_figures: &|_| true,
            remembers: false,
            is_text: &|_| true,
            plan: &Value::Null,
            made: &|_| 1.0,
            largest: 5e5,
            limit,
            arrays: false,
        };
        bytes(&aggregate(&["array_agg(b.report)"], input), &known)
    };
    let read = |alias: &str, table: &str, rows: f64, filter: &str| {
        let mut read = json!({"Node Type": "Seq Scan", "Relation Name": table, "Alias": alias, "Plan Rows": rows,
            "Plan Width": 20, "Output": [format!("{alias}.report")]});
        if !filter.is_empty() {
            read["Filter"] = json!(filter);
        }
        read
    };
    let picked = |filter: &str| of(&read("b", "big", 30.0, filter), 1.0);
    // Of long values there are no figures, and what a query gives is not known before it has run.
    for filter in ["(b.report ~ 'a.*b'::text)", "(b.k = $0)", "(b.report > '0'::text)"] {
        assert!(picked(filter) > 1e9, "{filter}: {}", picked(filter));
    }
    assert!(picked("(b.id = $0)") < 1e5 && picked("(b.name ~ 'a.*b'::text)") < 1e6);
    // What conditions say may be the same.
    let same = "((b.a = 1) AND (b.b = 1) AND (b.c = 1) AND (b.d = 1) AND (b.e = 1) AND (b.f = 1))";
    let several = same.replace("= 1", ">= 1");
    assert!(picked(&several) > 10.0 * picked("((b.a >= 1) AND (b.a < 9))"), "{}", picked(&several));
    assert!(picked(same) < 1e5, "one of them is a key");
    // One row of the other side may have nearly all.
    let join = |condition: &str, kind: &str| {
        json!({"Node Type": "Hash Join", "Join Type": kind, "Hash Cond": condition, "Plan Rows": 30, "Plan Width": 20,
            "Output": ["b.report"], "Plans": [read("b", "big", 5e5, ""), {"Node Type": "Hash", "Plan Rows": 30,
                "Plans": [read("p", "people", 30.0, "(p.score = 1)")]}]})
    };
    assert!(of(&join("(b.k = p.id)", "Inner"), 1.0) > 1e9 && of(&join("(b.id = p.id)", "Inner"), 1.0) < 1e6);
    assert!(of(&join("((b.at)::date = p.day)", "Inner"), 1.0) > 1e9 && of(&join("(b.k = p.id)", "Semi"), 1.0) > 1e9);
    // Nobody has counted a partition: all rows may be in one, though not in each.
    let parts = |filter: &str| {
        let parts: Vec<Value> = (0..8).map(|part| read("b", &format!("big_{part}"), 30.0, filter)).collect();
        of(&json!({"Node Type": "Append", "Plan Rows": 240, "Plan Width": 20, "Plans": parts}), 1.0)
    };
    let (guessed, picked) = (parts("(b.report ~ 'a.*b'::text)"), parts("(b.id = 5)"));
    assert!((1e9..4e9).contains(&guessed) && picked < 1e6, "{guessed} {picked}");
    // As good as the last row may be all.
    let limited = json!({"Node Type": "Limit", "Plan Rows": 1, "Plans": [read("b", "big", 5e5, "")]});
    assert!(of(&limited, f64::INFINITY) > 1e9 && of(&limited, 1.0) < 1e6);
    // Of fewer rows than the limit lets through it is no figure of them.
    let guessed =
        json!({"Node Type": "Limit", "Plan Rows": 1, "Plans": [read("b", "big", 1.0, "(b.k + 1 = 1 + b.k)")]});
    assert!(of(&guessed, 3e7) > 1e9 && of(&guessed, 10.0) < 1e6);
}

#[test]
fn numbers_with_many_digits_are_held_for_each_group() {
    let grouped = |output: &str, strategy: &str| {
        let mut node = aggregate(&[output], &scan(3e6, None));
        (node["Strategy"], node["Plan Rows"], node["Group Key"]) =
            (json!(strategy), json!(3e4), json!(["(id % 30000)"]));
        of(&node)
    };
    let long = format!("sum(CASE WHEN (id > 100000) THEN '1{}'::numeric ELSE '1'::numeric END)", "0".repeat(50_000));
    assert!(grouped(&long, "Hashed") > 1e9 && grouped(&long, "Sorted") < 1.0);
    for long in
        ["sum((('1e'::text || (id)::text))::numeric)", "avg(power(amount, (id)::numeric))", "sum(factorial(id))"]
    {
        assert!(grouped(long, "Hashed") > 1e9, "{long}");
    }
    for short in
        ["sum(amount)", "avg(power(amount, '2'::numeric))", "stddev((amount * '1.07'::numeric))", "sum(length(a))"]
    {
        assert!(grouped(short, "Hashed") < SORTED, "{short}");
    }
}

#[test]
fn what_the_engine_bounds_one_by_one_is_added_up() {
    let sorts = |count: usize| {
        let calls: Vec<String> = (0..count).map(|place| format!("count(DISTINCT (a || '{place}'::text))")).collect();
        of(&aggregate(&calls.iter().map(String::as_str).collect::<Vec<_>>(), &scan(3e6, None)))
    };
    assert!(sorts(3) < 1e8 && sorts(300) > 4e9);
    // A condition over groups sorts as well.
    let mut having = aggregate(&["1"], &scan(3e6, None));
    having["Filter"] = json!(vec!["(count(DISTINCT (a || '1'::text)) > 0)"; 300].join(" AND "));
    assert!(of(&having) > 4e9);
    let branch = json!({"Node Type": "Aggregate", "Strategy": "Hashed", "Plan Rows": 3_000, "Group Key": ["a"],
        "Output": ["a"], "Plans": [scan(3e6, None)]});
    let branches =
        |count: usize| of(&json!({"Node Type": "Append", "Plan Rows": 1, "Plans": vec![branch.clone(); count]}));
    assert!(branches(3) < 1e9 && branches(200) > 6e9);
    let few = json!({"Node Type": "Sort", "Plan Rows": 10, "Plan Width": 20,
        "Plans": [{"Node Type": "Result", "Plan Rows": 10, "Plan Width": 20}]});
    assert!(of(&few) < 1e4);
}

#[test]
fn groups_are_as_many_as_there_are_values() {
    let people = json!({"Node Type": "Seq Scan", "Relation Name": "big", "Alias": "p", "Plan Rows": 3e6, "Plan Width": 8,
        "Output": ["p.country", "p.id"]});
    let grouped = |key: &str| {
        json!({"Node Type": "Aggregate", "Strategy": "Hashed", "Plan Rows": 30, "Plan Width": 40, "Group Key": [key],
            "Output": [key, "count(*)"], "Plans": [people.clone()]})
    };
    let joined = |key: &str| {
        json!({"Node Type": "Hash Join", "Join Type": "Inner", "Hash Cond": "(s.k = q.k)", "Plan Rows": 30, "Plan Width": 40,
            "Output": ["q.k", "s.n"], "Plans": [
                {"Node Type": "Subquery Scan", "Alias": "s", "Output": ["s.k", "s.n"], "Plan Rows": 30, "Plan Width": 40, "Plans": [grouped(key)]},
                {"Node Type": "Subquery Scan", "Alias": "q", "Output": ["q.k"], "Plan Rows": 30, "Plan Width": 40, "Plans": [grouped(key)]}]})
    };
    assert!(of(&aggregate(&["json_object_agg(s.k, s.n)"], &joined("p.country"))) < 1e7);
    assert!(of(&aggregate(&["json_object_agg(s.k, s.n)"], &joined("p.id"))) > 1e9);
}

#[test]
fn what_is_collected_is_copied_where_it_is_sorted() {
    let collected = aggregate(&["string_agg(a, ','::text)"], &scan(3e6, None));
    let sorted = json!({"Node Type": "Sort", "Plan Rows": 1, "Plan Width": 32, "Plans": [collected.clone()]});
    let limited = json!({"Node Type": "Limit", "Plan Rows": 1, "Plan Width": 32, "Plans": [sorted]});
    assert!(of(&limited) > of(&collected) * 1.9);
}

#[test]
fn what_a_query_in_an_expression_collects_is_as_long_as_its_rows() {
    let mut query = aggregate(
        &["json_agg(b.a)"],
        &json!({"Node Type": "Seq Scan", "Relation Name": "big", "Alias": "b",
        "Plan Rows": 3e4, "Plan Width": 200, "Output": ["b.a"]}),
    );
    (query["Parent Relationship"], query["Subplan Name"]) = (json!("SubPlan"), json!("SubPlan 1"));
    let mut outer = scan(2e4, None);
    (outer["Output"], outer["Alias"]) = (json!(["o.id"]), json!("o"));
    let mut plan = aggregate(&["array_agg((SubPlan 1))"], &outer);
    plan["Plans"].as_array_mut().unwrap().push(query);
    let known = Known {
        width: &|_| Some(Width::of_each(50.0)),
        rows: &|_| Some(3e4),
        row: Width::of_each(200.0),
        repeated: &|_, _| 2.0,
        of_value: &|_, _, _| 0.0,
        different: &|_, column| if column == "country" { 30.0 } else { f64::INFINITY },
        has_figures: &|_| true,
        remembers: false,
        without: &|_, _| 0.0,
        is_text: &|_| true,
        plan: &plan,
        made: &|_| 1.0,
        largest: 3e4,
        limit: 0.0,
        arrays: false,
    };
    assert!(bytes(&plan, &known) > 1e10);
}

#[test]
fn rows_without_a_value_are_a_group() {
    let plan = |join: &str, group: &str| {
        let table = |alias: &str| {
            json!({"Node Type": "Seq Scan", "Relation Name": alias, "Alias": alias, "Plan Rows": 1e5, "Plan Width": 200,
                "Output": [format!("{alias}.a"), format!("{alias}.id"), format!("{alias}.coupon")]})
        };
        let joined = json!({"Node Type": "Hash Join", "Join Type": join, "Hash Cond": "(o.id = c.id)", "Plan Rows": 1e5,
            "Plan Width": 200, "Output": ["o.a"], "Plans": [table("o"), {"Node Type": "Hash", "Plans": [table("c")]}]});
        json!({"Node Type": "Aggregate", "Strategy": "Sorted", "Plan Rows": 1e4, "Group Key": [group],
            "Output": ["array_agg(o.a)"], "Plans": [joined]})
    };
    let of = |plan: &Value| {
        let known = Known {
            width: &|_| Some(Width::of_each(2_000.0)),
            rows: &|_| Some(1e5),
            row: Width::of_each(2_000.0),
            repeated: &|_, _| 2.0,
            without: &|_, column| if column == "coupon" { 9.5e4 } else { 0.0 },
            of_value: &|_, _, _| 0.0,
            different: &|_, column| if column == "country" { 30.0 } else { f64::INFINITY },
            has_figures: &|_| true,
            remembers: false,
            is_text: &|_| true,
            plan: &Value::Null,
            made: &|_| 1.0,
            largest: 1e5,
            limit: 0.0,
            arrays: false,
        };
        bytes(plan, &known)
    };
    assert!(of(&plan("Inner", "o.id")) < 1e8);
    assert!(of(&plan("Inner", "o.coupon")) > 3e8);
    assert!(of(&plan("Left", "o.id")) < 1e8);
    assert!(of(&plan("Left", "c.id")) > 3e8);
    assert!(of(&plan("Right", "o.id")) > 3e8);
}

#[test]
fn nothing_but_what_is_known_lessens_the_rows_of_a_node() {
    let repeated = |table: &str, column: &str| match (table, column) {
        ("big", "id") => 1.0,
        ("big", "k") => 4e5,
        _ => f64::INFINITY,
    };
    let of = |output: &str, input: &Value| {
        let plan = aggregate(&[output], input);
        let known = Known {
            width: &|_| Some(Width { mean: 1_800.0, longest: 1_800.0, all: 9e8 }),
            rows: &|table| (table == "big").then_some(5e5),
            largest: 5e5,
            row: Width::of_each(2_000.0),
            repeated: &repeated,
            without: &|_, _| 0.0,
            of_value: &|_, _, _| 0.0,
            different: &|_, column| if column == "country" { 30.0 } else { f64::INFINITY },
            has_figures: &|_| true,
            remembers: false,
            is_text: &|_| true,
            plan: &plan,
            made: &|_| 1.0,
            limit: 0.0,
            arrays: false,
        };
        bytes(&plan, &known)
    };
    let read = |kind: &str, rows: f64, filter: Option<&str>| {
        let mut read = json!({"Node Type": kind, "Relation Name": "big", "Alias": "b", "Plan Rows": rows, "Plan Width": 20,
            "Output": ["b.report"]});
        if let Some(filter) = filter {
            read["Filter"] = json!(filter);
        }
        read
    };
    // A share of a table that a query says.
    assert!(of("array_agg(b.report)", &read("Sample Scan", 5_000.0, None)) > 1e9);
    // What a query around gives.
    assert!(of("array_agg(b.report)", &read("Index Scan", 10.0, Some("(b.k = p.id)"))) > 1e9);
    assert!(of("array_agg(b.report)", &read("Index Scan", 10.0, Some("(b.id = p.id)"))) < 1e5);
    // Conditions over what a query makes.
    let derived = |filter: &str| {
        json!({"Node Type": "Subquery Scan", "Alias": "q", "Plan Rows": 2_500, "Filter": filter, "Output": ["q.report"],
            "Plans": [read("Seq Scan", 5e5, None)]})
    };
    assert!(of("array_agg(q.report)", &derived("(q.z = 1)")) > 1e9);
    // A common table expression is read in another place than it is made.
    let cte = |filter: Option<&str>| {
        let mut made = read("Seq Scan", 50.0, filter);
        (made["Parent Relationship"], made["Subplan Name"]) = (json!("InitPlan"), json!("CTE q"));
        json!({"Node Type": "CTE Scan", "CTE Name": "q", "Alias": "q", "Plan Rows": 50, "Output": ["q.report"], "Plans": [made]})
    };
    assert!(of("array_agg(q.report)", &cte(Some("(b.report ~ 'a.*b'::text)"))) > 1e9);
    assert!(of("array_agg(q.report)", &cte(Some("(b.id = 5)"))) < 1e6);
    // A name of a query's own is no table's key.
    let grouped = |key: &str, input: Value| {
        json!({"Node Type": "Aggregate", "Strategy": "Sorted", "Group Key": [key], "Plan Rows": 100, "Plan Width": 20,
            "Output": ["array_agg(b.report)"], "Plans": [input]})
    };
    let known_by = |node: &Value| of("count(*)", node);
    assert!(known_by(&grouped("q.id", derived("(q.id > 0)"))) > 1e9);
    assert!(known_by(&grouped("b.id", read("Seq Scan", 5e5, None))) < 1e8);
}
