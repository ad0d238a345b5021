//! Foreign keys that nobody declared, on data that invites mistakes.

use catalog::{KeyOrigin, TableId, TableUsage, Usage, UsualJoin};
use profile::add_joined_keys;

use crate::watched::{Made, catalog_of, options, run, store};

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE t_cst_mst (cst_id TEXT PRIMARY KEY, nm TEXT);
    CREATE TABLE products (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE employees (employee_id INTEGER PRIMARY KEY, manager_id INTEGER, bonus INTEGER);
    CREATE TABLE orders (
        id INTEGER PRIMARY KEY, customer_id INTEGER, product_id INTEGER REFERENCES products (id), cst_id TEXT,
        shipper_id INTEGER, sales_employee_id INTEGER, quantity INTEGER, badproduct_id INTEGER, empty_customer_id INTEGER
    );
    CREATE TABLE shippers (id INTEGER PRIMARY KEY);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO customers SELECT i, 'c' || i FROM n;
    INSERT INTO t_cst_mst SELECT 'C-' || id, name FROM customers;
    INSERT INTO products SELECT id, name FROM customers WHERE id <= 40;
    INSERT INTO employees SELECT id, (id + 1) / 2, id FROM customers WHERE id <= 50;
    INSERT INTO shippers SELECT id FROM customers WHERE id <= 3;
    INSERT INTO orders
    SELECT id, CASE WHEN id % 30 = 0 THEN 0 ELSE id % 300 + 1 END, id % 40 + 1, 'C-' || id, 100 + id, id % 50 + 1, id % 9 + 1,
           id + 35, NULL
    FROM customers;";

async fn keys_of(made: &Made) -> Vec<String> {
    let catalog = catalog_of(made, &options()).await;
    let mut keys = Vec::new();
    for entry in catalog.entries() {
        for key in &entry.table.foreign_keys {
            let KeyOrigin::Inferred(evidence) = &key.origin else { continue };
            assert!((0.5..=1.0).contains(&evidence.confidence), "{evidence:?}");
            keys.push(format!(
                "{}.{} -> {}.{}",
                entry.table.id.name,
                key.columns.join(","),
                key.ref_table.name,
                key.ref_columns.join(",")
            ));
        }
    }
    keys
}

#[tokio::test]
async fn names_and_values_together_make_a_key() {
    let keys = keys_of(&Made::with(SHOP)).await;
    assert_eq!(
        keys,
        [
            "employees.manager_id -> employees.employee_id",
            "orders.customer_id -> customers.id",
            "orders.cst_id -> t_cst_mst.cst_id",
            "orders.sales_employee_id -> employees.employee_id",
            // Without a value to look up, a good name is believed.
            "orders.empty_customer_id -> customers.id",
        ]
    );
}

#[tokio::test]
async fn evidence_is_kept_and_declared_keys_are_not_repeated() {
    let made = Made::with(SHOP);
    let catalog = catalog_of(&made, &options()).await;
    let orders = catalog.find("orders", None)[0];
    let declared = orders.table.foreign_keys.iter().filter(|key| key.columns == ["product_id"]).count();
    assert_eq!(declared, 1);
    let key = orders.table.foreign_keys.iter().find(|key| key.columns == ["customer_id"]).unwrap();
    let KeyOrigin::Inferred(evidence) = &key.origin else { panic!() };
    assert_eq!((evidence.name_fit, evidence.inclusion, evidence.values_checked), (1.0, Some(1.0), 200));
    assert!(evidence.confidence > 0.95);
}

#[tokio::test]
async fn a_table_without_a_declared_key_is_known_by_its_id_when_that_is_unique() {
    let sql = "CREATE TABLE teams (team_id INTEGER, name TEXT); INSERT INTO teams VALUES (1, 'a'), (2, 'b'), (3, 'c');
         CREATE TABLE spells (spell_id INTEGER, name TEXT); INSERT INTO spells VALUES (1, 'a'), (1, 'b'), (2, 'c');
         CREATE TABLE players (team_id INTEGER, spell_id INTEGER); INSERT INTO players VALUES (1, 1), (2, 2), (3, 1);";
    assert_eq!(keys_of(&Made::with(sql)).await, ["players.team_id -> teams.team_id"]);
}

#[tokio::test]
async fn a_table_without_a_declared_key_is_known_by_an_indexed_column_when_that_is_unique() {
    let sql = "CREATE TABLE countries (code TEXT, name TEXT); CREATE INDEX by_code ON countries (code);
         INSERT INTO countries VALUES ('DE', 'a'), ('CH', 'b'), ('FR', 'c');
         CREATE TABLE currencies (code TEXT, name TEXT); CREATE INDEX by_currency ON currencies (code);
         INSERT INTO currencies VALUES ('EUR', 'a'), ('EUR', 'b'), ('CHF', 'c');
         CREATE TABLE ports (port_code TEXT, name TEXT); INSERT INTO ports VALUES ('HAM', 'a'), ('BRE', 'b');
         CREATE TABLE shops (country_code TEXT, currency_code TEXT, port_code TEXT);
         INSERT INTO shops VALUES ('DE', 'EUR', 'HAM'), ('CH', 'CHF', 'BRE');";
    assert_eq!(keys_of(&Made::with(sql)).await, ["shops.country_code -> countries.code"]);
}

#[tokio::test]
async fn a_key_that_is_itself_a_reference_leads_to_what_it_refers_to() {
    let sql = "CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO accounts VALUES (1, 'a'), (2, 'b');
         CREATE TABLE permissions (user_id INTEGER PRIMARY KEY REFERENCES accounts (id)); INSERT INTO permissions VALUES (1);
         CREATE TABLE visits (user_id INTEGER); INSERT INTO visits VALUES (1), (2), (1);";
    assert_eq!(keys_of(&Made::with(sql)).await, ["visits.user_id -> accounts.id"]);
}

#[tokio::test]
async fn rows_refer_to_rows_of_their_own_table_by_what_befell_them() {
    let sql = "CREATE TABLE assets (number INTEGER PRIMARY KEY, name TEXT, ersetzt_durch INTEGER, storno_zu INTEGER, belongs_to_number INTEGER,
           replaced_parts INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
         INSERT INTO assets SELECT 1000 + i * 7, 'a' || i, CASE WHEN i % 4 = 0 THEN 1000 + (i / 2) * 7 END,
           CASE WHEN i % 9 = 0 THEN 1000 + (i / 3) * 7 END, CASE WHEN i % 2 = 0 THEN 1000 + (i / 2) * 7 END, i % 13 FROM n;";
    assert_eq!(
        keys_of(&Made::with(sql)).await,
        [
            "assets.ersetzt_durch -> assets.number",
            "assets.storno_zu -> assets.number",
            "assets.belongs_to_number -> assets.number"
        ]
    );
}

#[tokio::test]
async fn numbers_of_which_there_are_few_are_a_key_whatever_it_is_called() {
    let sql = "CREATE TABLE AUFTR (AUFNR INTEGER, BETRAG REAL);
         CREATE TABLE POS (AUF INTEGER, MENGE INTEGER, STK INTEGER);
         CREATE TABLE dense (nr INTEGER PRIMARY KEY);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
         INSERT INTO AUFTR SELECT 100000 + i * 37, i / 7.0 FROM n;
         INSERT INTO POS SELECT AUFNR, AUFNR % 9, 5000 + AUFNR % 400 FROM AUFTR WHERE AUFNR % 3 = 0;
         INSERT INTO POS SELECT AUFNR, AUFNR % 7, 5000 + AUFNR % 300 FROM AUFTR WHERE AUFNR % 5 = 0;
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
         INSERT INTO dense SELECT 4900 + i FROM n;";
    assert_eq!(keys_of(&Made::with(sql)).await, ["POS.AUF -> AUFTR.AUFNR"]);
}

#[tokio::test]
async fn both_ends_of_what_joins_two_of_a_kind_are_keys() {
    let sql = "CREATE TABLE clinics (clinic_id INTEGER PRIMARY KEY, name TEXT);
         CREATE TABLE clinic_merge (from_id INTEGER, into_id INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
         INSERT INTO clinics SELECT i, 'Clinic ' || i FROM n;
         INSERT INTO clinic_merge SELECT clinic_id, clinic_id % 40 + 1 FROM clinics WHERE clinic_id > 60;";
    assert_eq!(
        keys_of(&Made::with(sql)).await,
        ["clinic_merge.from_id -> clinics.clinic_id", "clinic_merge.into_id -> clinics.clinic_id"]
    );
}

#[tokio::test]
async fn an_archive_has_numbers_of_its_own() {
    let sql = "CREATE TABLE readings (reading_id INTEGER PRIMARY KEY, value REAL);
         CREATE TABLE readings_archive (reading_id INTEGER, value REAL);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
         INSERT INTO readings SELECT i, i / 7.0 FROM n;
         INSERT INTO readings_archive SELECT reading_id, 900 - value FROM readings WHERE reading_id < 400;";
    assert!(keys_of(&Made::with(sql)).await.is_empty());
}

#[tokio::test]
async fn a_snapshot_infers_from_names_and_samples_alone() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("schema.json");
    std::fs::write(
        &path,
        r#"{"dialect": "bigquery", "tables": [
            {"name": "users", "columns": [{"name": "id", "type": "INT64", "samples": [1, 2]}]},
            {"name": "devices", "columns": [{"name": "id", "type": "STRING", "samples": ["d-1"]}]},
            {"name": "events", "columns": [
                {"name": "user_id", "type": "INT64", "samples": [7, 8]},
                {"name": "email", "type": "STRING", "samples": ["secret@example.com"]},
                {"name": "device_id", "type": "STRING", "samples": ["17"]}]}]}"#,
    )
    .unwrap();
    let connector = connect::connect("s", &format!("snapshot:{}", path.display())).unwrap();
    let store = store();
    let (summary, _) = run(&*connector, &store, &options()).await;
    assert_eq!((summary.profiled, summary.keys_inferred, connector.work().statements), (3, 1, 0));
    let catalog = store.catalog().unwrap();
    let events = catalog.find("events", None)[0];
    assert_eq!(events.table.foreign_keys[0].ref_table.name, "users");
    let profile = events.profile().unwrap();
    assert_eq!(profile.method, catalog::SampleMethod::Snapshot);
    assert_eq!(profile.column("user_id").unwrap().values.as_slice(), ["7", "8"]);
    assert!(profile.column("email").unwrap().masked.is_some());
    assert!(!format!("{:?}", catalog.entries()).contains("secret@"));
}

/// Joins that query logs tell, as `orders.who = customers.id`, in both directions.
fn joined(pairs: &[&str]) -> Usage {
    let place = |text: &str| {
        let (table, column) = text.trim().split_once('.').unwrap();
        (TableId::new("s", table), column.to_owned())
    };
    let mut tables: Vec<TableUsage> = Vec::new();
    for pair in pairs {
        let (one, other) = pair.split_once('=').unwrap();
        for (own, with) in [(place(one), place(other)), (place(other), place(one))] {
            let join = UsualJoin { column: own.1, with: with.0, with_column: with.1, statements: 7, users: 3 };
            match tables.iter_mut().find(|usage| usage.table == own.0) {
                Some(usage) => usage.joins.push(join),
                None => tables.push(TableUsage { joins: vec![join], ..TableUsage::none(&own.0) }),
            }
        }
    }
    Usage { tables, ..Usage::default() }
}

#[tokio::test]
async fn what_people_join_is_a_key_where_values_agree() {
    let made = Made::with(
        "CREATE TABLE people (nr INTEGER PRIMARY KEY, email TEXT);
         CREATE TABLE places (nr INTEGER PRIMARY KEY, town TEXT);
         CREATE TABLE tickets (nr INTEGER PRIMARY KEY, slot INTEGER, seat INTEGER, mood INTEGER, places_nr INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
         INSERT INTO people SELECT i + 5000, 'p' || i || '@example.org' FROM n;
         INSERT INTO places SELECT nr - 4000, 'town ' || nr FROM people;
         INSERT INTO tickets SELECT nr, nr, nr - 4000, nr % 7, nr - 4000 FROM people;",
    );
    let store = store();
    run(&made.watched(), &store, &options()).await;
    let usage = joined(&[
        "tickets.slot = people.nr",
        "tickets.seat = places.nr",
        // Its values are no keys of anybody's.
        "tickets.mood = people.nr",
        // Neither side tells rows apart.
        "tickets.mood = places.town",
    ]);
    store.put_usage("s", Some(&usage)).unwrap();
    let connector = connect::connect("s", made.path.to_str().unwrap()).unwrap();
    assert_eq!(add_joined_keys(connector.as_ref(), &store, &options()).await.unwrap(), 2);
    let catalog = store.catalog().unwrap();
    let tickets = catalog.find("tickets", None)[0];
    let mut keys = Vec::new();
    for key in &tickets.table.foreign_keys {
        let KeyOrigin::Inferred(evidence) = &key.origin else { panic!() };
        keys.push((key.columns[0].as_str(), key.ref_table.name.as_str(), evidence.joined_in, evidence.inclusion));
    }
    assert_eq!(
        keys,
        [
            // By its name.
            ("places_nr", "places", 0, Some(1.0)),
            ("slot", "people", 7, Some(1.0)),
            ("seat", "places", 7, Some(1.0)),
        ]
    );
    // It is known now.
    assert_eq!(add_joined_keys(connector.as_ref(), &store, &options()).await.unwrap(), 0);
}

#[tokio::test]
async fn numbers_of_a_second_key_are_referred_to_where_they_come_again() {
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)";
    let sql = format!(
        "CREATE TABLE crew (crew_id INTEGER PRIMARY KEY, badge INTEGER, height INTEGER);
         INSERT INTO crew {many} SELECT i, 1000 + i * 37, 1500 + i * 3 FROM n WHERE i <= 60;
         CREATE TABLE punches (punch INTEGER PRIMARY KEY, badge INTEGER, approver INTEGER); INSERT INTO punches {many} SELECT i, 1000 + (1 + i * 7 % 60) * 37, 1000 + (1 + i % 9) * 37 FROM n;
         CREATE TABLE heights (measured INTEGER PRIMARY KEY, height INTEGER); INSERT INTO heights {many} SELECT i, 1500 + i * 3 FROM n WHERE i <= 60;"
    );
    assert_eq!(keys_of(&Made::with(&sql)).await, ["punches.badge -> crew.badge"]);
}

#[tokio::test]
async fn who_did_it_and_what_is_taken_back_are_keys_and_days_are_none() {
    let sql = "CREATE TABLE staff (id INTEGER PRIMARY KEY, dept TEXT);
         CREATE TABLE rates (d TEXT PRIMARY KEY, eur REAL);
         CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, clerk INTEGER, decided_by INTEGER, corr_of INTEGER, d TEXT, sold INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
         INSERT INTO sales SELECT i, 1 + i * 7 % 38, CASE WHEN i % 10 = 0 THEN -1 ELSE 1 + i * 11 % 38 END,
           CASE WHEN i % 12 = 0 THEN i - 5 END, date('2023-01-01', (i / 2) || ' days'), 20230101 + i % 28 FROM n;
         INSERT INTO staff SELECT sale_id, 'd' FROM sales WHERE sale_id <= 38;
         INSERT INTO rates SELECT DISTINCT d, 1.5 FROM sales;";
    assert_eq!(
        keys_of(&Made::with(sql)).await,
        ["sales.clerk -> staff.id", "sales.decided_by -> staff.id", "sales.corr_of -> sales.sale_id"]
    );
}

#[tokio::test]
async fn keys_of_several_columns_are_found_by_rows_that_have_all_of_them() {
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 240)";
    let sql = format!(
        "CREATE TABLE inspections (insp_year INTEGER, insp_no INTEGER, kind TEXT, PRIMARY KEY (insp_year, insp_no));
         INSERT INTO inspections {many} SELECT 2018 + i % 6, i, 'k' || i % 3 FROM n;
         CREATE TABLE shares (house INTEGER, year INTEGER, part TEXT, cost REAL, PRIMARY KEY (house, year, part));
         INSERT INTO shares {many} SELECT i % 8, 2018 + i / 8 % 6, 'p' || (i / 48), i FROM n;
         CREATE TABLE findings (finding INTEGER PRIMARY KEY, yr INTEGER, nr INTEGER, note TEXT);
         INSERT INTO findings {many} SELECT i, 2018 + i % 6, i, 'n' FROM n WHERE i % 3 <> 0;
         CREATE TABLE bills (bill INTEGER PRIMARY KEY, house INTEGER, year INTEGER, part TEXT);
         INSERT INTO bills {many} SELECT i, i % 8, 2018 + i / 8 % 6, 'p' || (i / 48) FROM n WHERE i % 2 = 0;
         CREATE TABLE visits (visit INTEGER PRIMARY KEY, year INTEGER, no INTEGER);
         INSERT INTO visits {many} SELECT i, 2018 + i % 5, i % 90 FROM n;"
    );
    assert_eq!(
        keys_of(&Made::with(&sql)).await,
        ["bills.house,year,part -> shares.house,year,part", "findings.yr,nr -> inspections.insp_year,insp_no"]
    );
}

#[tokio::test]
async fn letters_that_people_sign_with_lead_to_them_and_running_numbers_nowhere() {
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)";
    let letters = |number: &str| {
        format!("char(65 + ({number}) * 7 % 26) || char(65 + ({number}) * 11 % 26) || char(65 + ({number}) / 3 % 26)")
    };
    let sql = format!(
        "CREATE TABLE staff (id INTEGER PRIMARY KEY, short TEXT UNIQUE);
         INSERT INTO staff {many} SELECT i, {} FROM n WHERE i <= 45;
         CREATE TABLE postings (lfd INTEGER PRIMARY KEY, amount REAL);
         INSERT INTO postings {many} SELECT i, i * 1.5 FROM n;
         CREATE TABLE units (unit INTEGER PRIMARY KEY, lfd INTEGER, done TEXT, state TEXT);
         INSERT INTO units {many} SELECT 5000 + i, i % 12 + 1, {}, CASE i % 3 WHEN 0 THEN 'new' WHEN 1 THEN 'old' ELSE 'off' END FROM n;",
        letters("i"),
        letters("i % 30 + 1")
    );
    assert_eq!(keys_of(&Made::with(&sql)).await, ["units.done -> staff.short"]);
}

#[tokio::test]
async fn what_refers_to_a_reference_refers_to_its_end() {
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)";
    let sql = format!(
        "CREATE TABLE contracts (contract_no INTEGER PRIMARY KEY, since DATE);
         INSERT INTO contracts {many} SELECT 4000 + i * 3, '2020-01-01' FROM n;
         CREATE TABLE deposits (id INTEGER PRIMARY KEY, contr INTEGER UNIQUE, amount REAL);
         INSERT INTO deposits {many} SELECT i, 4000 + i * 3, i * 10.5 FROM n WHERE i % 20 <> 7;
         CREATE TABLE settlements (id INTEGER PRIMARY KEY, contr INTEGER, cost REAL);
         INSERT INTO settlements {many} SELECT i, 4000 + (1 + i * 7 % 290) * 3, i * 1.5 FROM n;"
    );
    assert_eq!(
        keys_of(&Made::with(&sql)).await,
        ["deposits.contr -> contracts.contract_no", "settlements.contr -> contracts.contract_no"]
    );
}
