//! PostgreSQL's row security: which rows somebody sees, and so how many, may follow from a column that they don't.

use crate::beside_masks::{MASKED, judge, open};
use crate::databases::{Database, POSTGRES};

#[test]
fn rows_that_policies_choose_by_masked_columns_are_not_counted() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    let made = [
        "DO $$ BEGIN CREATE ROLE periplus_reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
        "CREATE FUNCTION is_well_paid(id int) RETURNS bool STABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT salary > 5000 FROM employees WHERE employee_id = id'",
        "CREATE SCHEMA app",
        "CREATE FUNCTION app.tenant() RETURNS int STABLE LANGUAGE sql AS $$ SELECT nullif(current_setting('app.tenant', true), '')::int $$",
        "CREATE TABLE harmless (id int, tenant int, salary int)",
        "CREATE TABLE by_name (id int, salary int)",
        "CREATE TABLE by_function (id int)",
        "CREATE TABLE by_another (id int)",
        "CREATE TABLE by_the_policy_of_another (id int)",
        "CREATE TABLE by_a_view (id int)",
        "CREATE VIEW well_paid AS SELECT id FROM by_name WHERE salary > 5000",
        "CREATE TABLE referring (id int, function_id int)",
        "CREATE FUNCTION has_table_privilege(id int) RETURNS bool STABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT salary > 5000 FROM public.employees WHERE employee_id = id'",
        "CREATE FUNCTION app.two() RETURNS bool STABLE LANGUAGE sql AS $$ SELECT current_setting('app.tenant', true); SELECT count(*) > 1 FROM public.employees WHERE salary > 5000 $$",
        "CREATE TABLE by_a_namesake (id int)",
        "CREATE TABLE by_two_statements (id int)",
        "CREATE POLICY p ON by_a_namesake USING (has_table_privilege(id))",
        "CREATE POLICY p ON by_two_statements USING (app.two())",
        "ALTER TABLE by_a_namesake ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE by_two_statements ENABLE ROW LEVEL SECURITY",
        "CREATE TABLE of_others (id int, salary int)",
        "INSERT INTO harmless VALUES (1, 1, 9000)",
        "INSERT INTO by_name VALUES (1, 9000)",
        "CREATE POLICY p ON harmless USING (tenant = app.tenant() OR current_user = 'root' OR tenant = current_setting('app.other', true)::int)",
        "CREATE POLICY p ON by_name USING (salary > 5000)",
        "CREATE POLICY p ON by_function USING (is_well_paid(id))",
        "CREATE POLICY p ON by_another USING (EXISTS (SELECT 1 FROM by_name WHERE by_name.id = by_another.id AND by_name.salary > 1))",
        "CREATE POLICY p ON by_the_policy_of_another USING (EXISTS (SELECT 1 FROM by_function f WHERE f.id = by_the_policy_of_another.id))",
        "CREATE POLICY p ON by_a_view USING ((SELECT count(*) FROM well_paid) > 1)",
        "ALTER TABLE by_the_policy_of_another ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE by_a_view ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE by_function ADD PRIMARY KEY (id)",
        "ALTER TABLE referring ADD FOREIGN KEY (function_id) REFERENCES by_function (id)",
        "CREATE POLICY p ON of_others TO pg_monitor USING (salary > 5000)",
        "CREATE POLICY q ON of_others FOR DELETE USING (salary > 5000)",
        "CREATE POLICY r ON of_others FOR SELECT USING (true)",
        "ALTER TABLE harmless ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE by_name ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE by_function ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE by_another ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE of_others ENABLE ROW LEVEL SECURITY",
        "CREATE VIEW by_everybody AS SELECT id FROM by_name",
        "CREATE VIEW by_reader WITH (security_invoker = true) AS SELECT id FROM by_name",
        "CREATE VIEW by_readers_view WITH (security_invoker = true) AS SELECT id FROM by_reader",
        "GRANT USAGE ON SCHEMA public, app TO periplus_reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO periplus_reader",
    ];
    database.read_by_another(&made);
    database.learn(open);
    let counted = |name: &str| format!("SELECT count(*) FROM {name}");
    let refused = [
        "by_name",
        "by_function",
        "by_another",
        "by_reader",
        "by_readers_view",
        "by_the_policy_of_another",
        "by_a_view",
        "by_a_namesake",
        "by_two_statements",
    ];
    let refused = refused.map(counted);
    let refused: Vec<(&str, &str)> = refused.iter().map(|sql| (sql.as_str(), MASKED)).collect();
    let runs = ["harmless", "of_others", "by_everybody"].map(counted);
    let runs: Vec<&str> = runs
        .iter()
        .map(String::as_str)
        .chain(["SELECT id FROM harmless WHERE tenant = 1", "SELECT function_id, count(*) FROM referring GROUP BY 1"])
        .collect();
    judge(&database, &refused, &runs);
    database.alter("CREATE POLICY s ON of_others FOR SELECT USING (salary > 1)");
    judge(&database, &[("SELECT count(*) FROM of_others", "table_changed")], &[]);
    database.alter("DROP OWNED BY periplus_reader");
    database.alter("DROP ROLE periplus_reader");
}

/// A view has the rows that its owner sees, whoever asks; a materialized one those that its owner saw.
#[test]
fn rows_of_a_view_are_those_that_its_owner_sees() {
    let Some(mut database) = Database::of(&POSTGRES) else { return };
    for statement in [
        "DO $$ BEGIN CREATE ROLE periplus_owner; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
        "CREATE TABLE paid (id int, salary int)",
        "INSERT INTO paid VALUES (1, 9000), (2, 100)",
        "CREATE POLICY p ON paid USING (salary > 5000)",
        "ALTER TABLE paid ENABLE ROW LEVEL SECURITY",
        "GRANT USAGE, CREATE ON SCHEMA public TO periplus_owner",
        "GRANT SELECT ON paid TO periplus_owner",
        "CREATE VIEW seen AS SELECT id FROM paid",
        "ALTER VIEW seen OWNER TO periplus_owner",
        "CREATE MATERIALIZED VIEW kept AS SELECT id FROM paid",
        "ALTER MATERIALIZED VIEW kept OWNER TO periplus_owner",
        "CREATE VIEW behind AS SELECT id FROM seen",
        "CREATE VIEW asked_for WITH (security_invoker = true) AS SELECT id FROM paid",
        "CREATE VIEW between AS SELECT id FROM asked_for",
        "GRANT SELECT ON asked_for, between TO periplus_owner",
        "CREATE MATERIALIZED VIEW filled AS SELECT id FROM between",
        "ALTER MATERIALIZED VIEW filled OWNER TO periplus_owner",
        "CREATE VIEW in_full AS SELECT id FROM paid",
    ] {
        database.alter(statement);
    }
    database.learn(open);
    judge(
        &database,
        &[
            ("SELECT count(*) FROM seen", MASKED),
            ("SELECT id FROM kept", MASKED),
            ("SELECT count(*) FROM kept WHERE id = 2", MASKED),
            ("SELECT count(*) FROM behind", MASKED),
            ("SELECT count(*) FROM filled", MASKED),
        ],
        &["SELECT count(*) FROM paid", "SELECT count(*) FROM in_full", "SELECT count(*) FROM between"],
    );
    let decided = |name: &str| {
        let entry = database.catalog.entries().iter().find(|entry| entry.table.id.name == name).unwrap();
        (entry.rows_are_decided(), entry.table.row_count.is_none())
    };
    assert_eq!((decided("kept"), decided("paid").0), ((true, true), false));
    database.alter("DROP OWNED BY periplus_owner CASCADE");
    database.alter("DROP ROLE periplus_owner");
}
