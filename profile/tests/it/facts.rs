//! What rows say that names and types don't: made-up tables in which it is so, and others in which it only looks so.

use catalog::{Catalog, Dialect};

use crate::watched::{Made, options, run, store};

async fn profiled(script: &str) -> Catalog {
    let (made, store) = (Made::with(script), store());
    run(&made.watched(), &store, &options()).await;
    store.catalog().unwrap()
}

fn told(catalog: &Catalog) -> Vec<String> {
    let of_entry = |entry: &catalog::Entry| {
        let name = entry.table.id.name.clone();
        let facts: Vec<String> = catalog.facts(entry).map(|fact| format!("{name}: {}", in_words(fact))).collect();
        facts
    };
    catalog.entries().iter().flat_map(of_entry).collect()
}

fn in_words(fact: &catalog::Fact) -> String {
    let column = fact.column().map(|column| format!("{column} ")).unwrap_or_default();
    format!("{column}{}", fact.in_words(&Dialect::Sqlite))
}

/// What is told of tables made by the script is just this, in any order.
pub(crate) async fn check(script: &str, expected: &[&str]) {
    let mut found = told(&profiled(script).await);
    let mut expected: Vec<String> = expected.iter().map(|&fact| fact.to_owned()).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

pub(crate) const MANY: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) ";

#[tokio::test]
async fn dates_are_told_by_how_they_are_written() {
    check(
        &format!(
            "CREATE TABLE visits (a TEXT, b TEXT, c TEXT, d INTEGER, seen_at INTEGER, at_ms INTEGER, iso TEXT, code TEXT);
             INSERT INTO visits {MANY} SELECT
               printf('%02d.%02d.%04d', 1 + i % 28, 1 + i % 12, 2000 + i % 20),
               printf('%d/%d/%02d', 1 + i % 12, 1 + i % 28, 50 + i % 49),
               printf('%02d.%02d.%04d', 1 + i % 9, 1 + i % 12, 2000 + i % 20),
               20200100 + 1 + i % 28, 1700000000 + i * 7000, 1700000000000 + i * 7000000,
               date('2020-01-01', i || ' days'), 'x' || i FROM n;"
        ),
        &[
            "visits: a dates written DD.MM.YYYY",
            "visits: b dates written M/D/YY",
            "visits: c dates written ??.??.YYYY",
            "visits: d dates written YYYYMMDD",
            "visits: seen_at Unix time in seconds",
            "visits: at_ms Unix time in milliseconds",
        ],
    )
    .await;
}

#[tokio::test]
async fn values_for_none_and_rows_that_do_not_count_are_told() {
    check(
        &format!(
            "CREATE TABLE meters (id INTEGER PRIMARY KEY, height REAL, ended TEXT, site TEXT, deleted_at TEXT, is_test INTEGER,
               owner_ref INTEGER, active INTEGER);
             INSERT INTO meters {MANY} SELECT i, CASE WHEN i % 20 = 0 THEN 999 ELSE 20 + i % 37 END,
               CASE WHEN i % 3 = 0 THEN '9999-12-31' ELSE date('2021-01-01', i || ' days') END,
               CASE WHEN i % 9 = 0 THEN 'n/a' ELSE 'site ' || (i % 90) END,
               CASE WHEN i % 10 = 0 THEN '2023-05-01' END, i % 50 = 0,
               CASE WHEN i % 4 = 0 THEN 0 ELSE i * 7 END, i % 5 > 0 FROM n;"
        ),
        &[
            "meters: height 999.0 for none in 5 %",
            "meters: owner_ref 0 for none in 25 %",
            "meters: ended '9999-12-31' for none in 33 %",
            "meters: site 'n/a' for none in 11 %",
            "meters: 10 % of the rows are marked as deleted (deleted_at IS NOT NULL)",
            "meters: 2 % of the rows are tests (is_test = 1)",
        ],
    )
    .await;
}

#[tokio::test]
async fn columns_that_are_computed_are_told_with_where_they_are_not() {
    check(
        &format!(
            "CREATE TABLE bills (id INTEGER PRIMARY KEY, day TEXT, net REAL, tax REAL, rebate REAL, total REAL, grams INTEGER, kilos REAL);
             INSERT INTO bills {MANY} SELECT i, date('2021-01-01', i || ' days'), i * 3.5, 2.0 + i % 17, i % 5,
               i * 3.5 + 2.0 + i % 17 - i % 5 + CASE WHEN i BETWEEN 300 AND 330 THEN 11 ELSE 0 END,
               (500 + i * 37 % 1000) * 10, (500 + i * 37 % 1000) / 100.0 FROM n;"
        ),
        &[
            "bills: total = net + tax - rebate, but not always for day 2021-10-28 to 2021-11-27",
            "bills: grams = kilos * 1000",
        ],
    )
    .await;
}

#[tokio::test]
async fn what_a_row_is_and_when_there_are_none_is_told() {
    check(
        "CREATE TABLE stock (item_id INTEGER, day TEXT, on_hand INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 899)
         INSERT INTO stock SELECT i % 30, date('2023-01-01', (i / 30) || ' days'), 5 + i % 30 * 9 + i / 30 % 4 FROM n;
         CREATE TABLE prices (item_id INTEGER, valid_from TEXT, valid_to TEXT, price INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299)
         INSERT INTO prices SELECT i / 5, date('2020-01-01', (i % 5 * 100) || ' days'),
           CASE WHEN i % 5 < 4 THEN date('2020-01-01', (i % 5 * 100 + 99) || ' days') END, 100 + i * 13 % 83 FROM n;
         CREATE TABLE attributes (thing_id INTEGER, attr TEXT, value TEXT);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299)
         INSERT INTO attributes SELECT i / 2, CASE i % 2 WHEN 0 THEN 'width' ELSE 'colour' END,
           CASE i % 2 WHEN 0 THEN i || '' ELSE 'shade ' || char(97 + i % 26) || char(97 + i % 7) END FROM n;
         CREATE TABLE calls (id INTEGER PRIMARY KEY, called_on TEXT, seconds INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 599)
         INSERT INTO calls SELECT i, date('2022-01-01', (i + CASE WHEN i >= 300 THEN 62 ELSE 0 END) || ' days'), i * 31 % 503 FROM n;",
        &[
            "stock: item_id -> prices.item_id, where several rows have 0, 1 or 10",
            "stock: one row for each (item_id, day): on_hand doesn't add up over time",
            "prices: several rows for each item_id, valid from valid_from to valid_to; valid now: valid_to IS NULL",
            "attributes: attr says what value holds: 'colour', 'width' …",
            "calls: no rows for called_on in 2022-11",
        ],
    )
    .await;
}

#[tokio::test]
async fn what_two_tables_say_together_is_told() {
    check(
        "CREATE TABLE carts (id INTEGER PRIMARY KEY, total_ct INTEGER, placed_on TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
         INSERT INTO carts SELECT i, (i * 37 % 400 + 50) * 100 * 2, date('2023-01-01', i || ' days') FROM n;
         CREATE TABLE cart_lines (id INTEGER PRIMARY KEY, cart_id INTEGER REFERENCES carts (id), qty INTEGER, price REAL);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
         INSERT INTO cart_lines SELECT i * 2, i, 1, (i * 37 % 400 + 50) * 1.0 FROM n
         UNION ALL SELECT i * 2 + 1, i, 2, (i * 37 % 400 + 50) * 0.5 FROM n;
         CREATE TABLE carts_archive (id INTEGER PRIMARY KEY, total_ct INTEGER, placed_on TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
         INSERT INTO carts_archive SELECT i + 9000, (i * 53 % 700 + 50) * 100, date('2022-06-14', i || ' days') FROM n;
         CREATE TABLE notes (id INTEGER PRIMARY KEY, cart_ref TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
         INSERT INTO notes SELECT i, printf('CART-%05d', i * 2) FROM n;",
        &[
            "cart_lines: price sum(qty * price) × 100 = carts.total_ct",
            "carts: placed_on begins 2023-01-02; earlier rows are in carts_archive",
            "carts_archive: placed_on ends 2022-12-31; carts goes on",
            "notes: cart_ref -> 'CART-' and carts.id with 5 digits",
        ],
    )
    .await;
}

#[tokio::test]
async fn tables_of_the_same_things_are_found_under_other_names() {
    check(
        "CREATE TABLE stations (id INTEGER PRIMARY KEY, name TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
         INSERT INTO stations SELECT i, 'Halt ' || char(64 + i % 26) || char(96 + i % 25) FROM n;
         CREATE TABLE tickets (id INTEGER PRIMARY KEY, ticket_no TEXT, opened_on TEXT,
           station_id INTEGER REFERENCES stations (id), state TEXT, minutes INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
         INSERT INTO tickets SELECT i, 'TK' || (i + 400), date('2020-12-31', i || ' days'), 1 + i * 7 % 40,
           CASE i * 11 % 7 % 4 WHEN 0 THEN 'open' WHEN 1 THEN 'closed' WHEN 2 THEN 'waiting' ELSE 'rejected' END, i * 37 % 901 FROM n;
         CREATE TABLE vg (nr TEXT, dat TEXT, st INTEGER REFERENCES stations (id), zst TEXT, m INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
         INSERT INTO vg SELECT 'TK' || (i + 100), strftime('%d.%m.%Y', '2020-03-06', i || ' days'), 1 + i * 11 % 40,
           CASE i * 5 % 7 % 3 WHEN 0 THEN 'OPEN' WHEN 1 THEN 'CLOSED' ELSE 'WAITING' END, i * 31 % 877 FROM n;
         CREATE TABLE calls (nr TEXT, dat TEXT, st INTEGER REFERENCES stations (id), how TEXT, m INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
         INSERT INTO calls SELECT 'CA' || (i + 100), date('2020-03-06', i || ' days'), 1 + i * 13 % 40,
           CASE i * 5 % 7 % 3 WHEN 0 THEN 'phone' WHEN 1 THEN 'mail' ELSE 'counter' END, i * 29 % 887 FROM n;
         CREATE TABLE sheet (ref INTEGER REFERENCES tickets (id), what TEXT, took INTEGER);
         INSERT INTO sheet SELECT id, ticket_no, minutes FROM tickets WHERE id % 3 = 0;",
        &[
            "sheet: 100 % of its rows are in tickets by ref (ref as id, what as ticket_no, took as minutes there)",
            "tickets: opened_on begins 2021-01-01; earlier rows are in vg (opened_on as dat, ticket_no as nr, \
             station_id as st, state as zst there)",
            "vg: dat dates written DD.MM.YYYY",
            "vg: dat ends 2020-12-31; tickets goes on (dat as opened_on, nr as ticket_no, st as station_id, zst as state \
             there)",
        ],
    )
    .await;
}

#[tokio::test]
async fn dates_in_several_forms_are_told_by_what_decides_them() {
    check(
        &format!(
            "CREATE TABLE imports (src TEXT, on_day TEXT, short INTEGER, two TEXT, code INTEGER);
             INSERT INTO imports {MANY} SELECT
               CASE WHEN i * 7 % 5 < 2 THEN 'NORD' ELSE 'WEST' END,
               CASE WHEN i * 7 % 5 < 2 THEN printf('%02d/%02d/2019', 1 + i % 28, 1 + i % 12)
                 ELSE printf('%02d/%02d/2019', 1 + i / 2 % 12, 1 + i * 3 % 28) END,
               (9 + i % 8) * 10000 + (1 + i % 12) * 100 + 1 + i % 28,
               printf('%02d/%02d/%02d', 1 + i * 7 % 31, 1 + i % 12, 10 + i % 13),
               100000 + i * 7919 % 900000 FROM n;"
        ),
        &[
            "imports: on_day dates written DD/MM/YYYY where src is 'NORD', MM/DD/YYYY where src is 'WEST'",
            "imports: short dates written YYMMDD",
            "imports: two dates written DD/MM/YY",
        ],
    )
    .await;
}

#[tokio::test]
async fn references_are_found_by_what_is_left_out_of_a_code() {
    check(
        &format!(
            "CREATE TABLE members (id INTEGER PRIMARY KEY, member_no TEXT UNIQUE);
             INSERT INTO members {MANY} SELECT i, printf('M-%06d%d', 1000 + i * 17, i * 3 % 10) FROM n;
             CREATE TABLE old_list (nr INTEGER, since INTEGER);
             INSERT INTO old_list SELECT 1000 + id * 17, 1980 + id % 40 FROM members WHERE id % 2 = 0;
             CREATE TABLE paid (reference TEXT, amount REAL);
             INSERT INTO paid SELECT substr(member_no, 3), id * 1.5 FROM members WHERE id % 3 = 0;
             CREATE TABLE small (id INTEGER PRIMARY KEY, year INTEGER);
             INSERT INTO small {MANY} SELECT i, 1000 + i FROM n;"
        ),
        &[
            "old_list: nr -> members.member_no, written without the letters in front and without the last sign",
            "paid: reference -> members.member_no, written without the letters in front",
        ],
    )
    .await;
}

#[tokio::test]
async fn what_changes_at_a_month_and_stays_so_is_told() {
    check(
        "CREATE TABLE scans (id INTEGER PRIMARY KEY, at TEXT, gate INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3999)
         INSERT INTO scans SELECT i, CASE WHEN i < 400 THEN date('2021-01-01', (i * 730 / 400) || ' days')
           ELSE date('2023-01-01', ((i - 400) * 700 / 3600) || ' days') END, i * 7919 % 523 FROM n;
         CREATE TABLE bills (id INTEGER PRIMARY KEY, booked TEXT, doc TEXT, net REAL);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 899)
         INSERT INTO bills SELECT i, date('2019-01-01', (i * 2) || ' days'), CASE WHEN i * 7 % 10 < 2 THEN 'GU' ELSE 'RE' END,
           (10 + i * 37 % 501) * 1.25 * CASE WHEN i * 7 % 10 < 2 AND i >= 365 THEN -1 ELSE 1 END FROM n;
         CREATE TABLE growing (id INTEGER PRIMARY KEY, at TEXT, kind INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1400)
         INSERT INTO growing SELECT a.i * 1400 + b.i, date('2021-01-01', b.i || ' days'), b.i * 7919 % 401
           FROM n AS a JOIN n AS b ON a.i * 200 < b.i AND a.i < 7;",
        &[
            "bills: net negative where doc = 'GU' only for booked from 2021-01-10 on",
            "scans: about 9 times as many rows a month from at 2023-01 on as before",
        ],
    )
    .await;
}

#[tokio::test]
async fn rows_that_are_called_totals_are_told_and_a_total_may_be_among_the_others() {
    check(
        "CREATE TABLE lines (bill INTEGER, what TEXT, amount REAL);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
         INSERT INTO lines SELECT i / 4, CASE i % 4 WHEN 3 THEN 'Zwischensumme' ELSE 'Article ' || (i * 7919 % 211) END,
           CASE i % 4 WHEN 3 THEN 300 + i * 31 % 97 ELSE 20 + i * 53 % 89 END FROM n;
         CREATE TABLE months (ym TEXT, site TEXT, val INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 23)
         INSERT INTO months SELECT '20' || (20 + i / 12) || '-' || printf('%02d', i % 12 + 1), site, CASE site
             WHEN 'A' THEN 100 + i * 37 % 91 WHEN 'B' THEN 50 + i * 23 % 67 WHEN 'C' THEN 70 + i * 19 % 53
             WHEN 'NORTH' THEN 150 + i * 37 % 91 + i * 23 % 67 ELSE 220 + i * 37 % 91 + i * 23 % 67 + i * 19 % 53 END
           FROM n, (SELECT 'A' AS site UNION SELECT 'B' UNION SELECT 'C' UNION SELECT 'NORTH' UNION SELECT 'ALL');",
        &[
            "lines: rows with what = 'Zwischensumme' add up amount of the others",
            "months: one row for each (site, ym)",
            "months: rows with site = 'ALL' add up val of the others but 'NORTH', a total as well",
        ],
    )
    .await;
}

#[tokio::test]
async fn nothing_is_told_of_columns_that_may_not_be_shown() {
    let script = format!(
        "CREATE TABLE staff (id INTEGER PRIMARY KEY, salary REAL, bonus REAL, paid REAL);
         INSERT INTO staff {MANY} SELECT i, 1000 + i * 7, i % 90, 1000 + i * 7 + i % 90 FROM n;"
    );
    let found = told(&profiled(&script).await);
    assert!(found.is_empty(), "{found:?}");
}

#[tokio::test]
async fn what_other_columns_and_times_say_of_a_column_is_told() {
    check(
        &format!(
            "CREATE TABLE moves (id INTEGER PRIMARY KEY, moved_on TEXT, direction TEXT, quantity INTEGER, state TEXT, load REAL,
               kind TEXT, seats INTEGER, plain INTEGER);
             INSERT INTO moves {MANY} SELECT i, date('2021-01-01', i || ' days'), CASE i % 2 WHEN 0 THEN 'in' ELSE 'out' END,
               1 + i * 37 % 83, CASE WHEN i < 200 THEN substr('OCX', 1 + i % 3, 1) ELSE CASE i % 2 WHEN 0 THEN 'open' ELSE 'closed' END END,
               (20 + i * 31 % 67) * CASE WHEN i < 150 THEN 1 ELSE 1000 END, CASE i % 3 WHEN 0 THEN 'bus' ELSE 'lorry' END,
               CASE WHEN i % 3 = 0 THEN 10 + i % 7 * 5 END, i * 7 FROM n;"
        ),
        &[
            "moves: quantity never negative: direction says which way ('in', 'out')",
            "moves: state codes 'C', 'O', 'X' before 2021-07-20, 'closed', 'open' from then on (by moved_on)",
            "moves: load about 1000 times as large from moved_on 2021-05-31 on",
        ],
    )
    .await;
}

#[tokio::test]
async fn columns_that_are_kept_up_for_a_time_and_quantities_of_several_units_are_told() {
    check(
        &format!(
            "CREATE TABLE rides (id INTEGER PRIMARY KEY, ridden_on TEXT, is_eco INTEGER, has_bike INTEGER, state TEXT, total REAL,
               office TEXT, currency TEXT);
             INSERT INTO rides {MANY} SELECT i, date('2021-01-01', i || ' days'), CASE WHEN i < 300 THEN i * 7 % 5 < 2 ELSE 0 END,
               CASE WHEN i > 150 THEN i * 13 % 7 < 2 ELSE 0 END, CASE WHEN i - 280 > i * 37 % 120 THEN 'open' ELSE 'closed' END,
               (2 + i * 31 % 67 / 7.0) * CASE i % 4 WHEN 1 THEN 100 ELSE 1 END, CASE i % 4 WHEN 1 THEN 'north' WHEN 2 THEN 'south' ELSE 'mid' END,
               CASE WHEN i < 200 THEN 'DEM' ELSE 'EUR' END FROM n;"
        ),
        &[
            "rides: is_eco always 0 for ridden_on from 2021-10-27 on",
            "rides: has_bike always 0 for ridden_on up to 2021-06-02",
            "rides: total about 100 times as large where office is 'north'",
            "rides: currency codes 'DEM' before 2021-07-20, 'EUR' from then on (by ridden_on)",
            "rides: total its currency is in currency",
        ],
    )
    .await;
}

#[tokio::test]
async fn counts_that_go_on_and_rows_that_are_marked_are_told() {
    check(
        &format!(
            "CREATE TABLE readings (id INTEGER PRIMARY KEY, bus_no TEXT, read_on TEXT, km INTEGER, litres INTEGER);
             INSERT INTO readings {MANY} SELECT i, 'B' || (i * 5 % 8), date('2021-01-01', i || ' days'),
               10000 * (i * 5 % 8) + i * (20 + i * 5 % 8), 40 + i * 37 % 41 FROM n;
             CREATE TABLE tariffs (id INTEGER PRIMARY KEY, zone_id INTEGER, revision INTEGER, is_valid INTEGER, is_printed INTEGER, cents INTEGER);
             INSERT INTO tariffs {MANY} SELECT i, i % 80, i / 80, i / 80 = 4, i * 7 % 3 = 0, 200 + i * 3 % 50 FROM n;"
        ),
        &[
            "readings: km a running count of each bus_no by read_on: take differences, not sums",
            "tariffs: is_valid 1 in at most one row of each zone_id",
            "tariffs: several rows for each zone_id, numbered by revision: the highest is the latest",
        ],
    )
    .await;
}

#[tokio::test]
async fn clocks_and_days_that_begin_at_another_hour_are_told() {
    check(
        &format!(
            "CREATE TABLE stops (id INTEGER PRIMARY KEY, at_utc TEXT, at_stop TEXT, day TEXT, tz TEXT, until TEXT);
             INSERT INTO stops {MANY} SELECT i, datetime('2021-01-01', (i * 1327) || ' minutes'),
               datetime('2021-01-01', (i * 1327 + CASE WHEN strftime('%m', '2021-01-01', (i * 1327) || ' minutes') BETWEEN '04' AND '10'
                 THEN 120 ELSE 60 END) || ' minutes'),
               date('2021-01-01', (i * 1327 - 240) || ' minutes'), CASE i % 3 WHEN 0 THEN 'Europe/Paris' ELSE 'Europe/London' END,
               datetime('2021-01-01', (i * 1327 + 60 + i % 5 * 60) || ' minutes') FROM n;"
        ),
        &[
            "stops: at_stop at_utc on another clock, 1 or 2 h ahead",
            "stops: day day of at_utc, before 4:00 the day before",
            "stops: at_utc on the clock that tz names ('Europe/London', 'Europe/Paris')",
        ],
    )
    .await;
}

#[tokio::test]
async fn paths_of_documents_that_came_or_went_are_told_with_the_time_that_says_so() {
    let catalog = profiled(&format!(
        "CREATE TABLE parts (id INTEGER PRIMARY KEY, made_on TEXT, attributes TEXT);
         INSERT INTO parts {MANY} SELECT i, date('2021-01-01', i || ' days'),
           CASE WHEN i < 200 THEN json_object('grams', i, 'colour', 'red') ELSE json_object('weight', i, 'colour', 'red') END FROM n;"
    ))
    .await;
    let entry = &catalog.entries()[0];
    let facts: Vec<_> = catalog.facts(entry).collect();
    let [paths] = facts.as_slice() else { panic!("{facts:?}") };
    assert_eq!(
        in_words(paths),
        "attributes JSON: $.grams number 50 % up to 2021-07-19, $.colour text, $.weight number 50 % from 2021-07-20 on"
    );
    // Where the time may not be shown, nor may this be.
    assert_eq!(paths.rests_on, ["made_on"]);
}

#[tokio::test]
async fn how_texts_are_made_is_told() {
    check(
        &format!(
            "CREATE TABLE papers (id INTEGER PRIMARY KEY, code TEXT, tags TEXT, price TEXT, leaves TEXT, fiscal_year INTEGER, signed_on TEXT);
             INSERT INTO papers {MANY} SELECT i, CASE i WHEN 77 THEN 'X/1' WHEN 99 THEN 'NEW' ELSE printf('AB-%04d', i) END,
               CASE i % 3 WHEN 0 THEN 'red;blue' WHEN 1 THEN 'blue' ELSE 'green;red' END,
               printf('%d.%03d,%02d', 1 + i % 7, i, i % 100), printf('%02d:%02d', 5 + i % 21, i % 60),
               CAST(strftime('%Y', date('2021-01-01', (i * 3) || ' days')) AS INTEGER)
                 + (CAST(strftime('%m', date('2021-01-01', (i * 3) || ' days')) AS INTEGER) >= 10),
               date('2021-01-01', (i * 3) || ' days') FROM n;"
        ),
        &[
            "papers: code like AA-0000, but for 0.5 %: 'NEW', 'X/1'",
            "papers: tags several values in one text, with ';' between",
            "papers: price numbers as text, such as '1.007,07'",
            "papers: leaves goes on past midnight, up to 25:56",
            "papers: fiscal_year year of signed_on that begins in month 10, called by where it ends",
        ],
    )
    .await;
}

#[tokio::test]
async fn rows_that_repeat_others_are_told() {
    check(
        &format!(
            "CREATE TABLE scans (id INTEGER PRIMARY KEY, at TEXT, gate TEXT, weight REAL, code TEXT);
             INSERT INTO scans {MANY} SELECT i, datetime('2021-01-01', i * 977 || ' seconds'), 'g' || i % 7, i % 90 + 0.5, 'c' || i FROM n;
             INSERT INTO scans SELECT id + 1000, at, gate, weight, code FROM scans WHERE id % 40 = 0;
             CREATE TABLE loads (id INTEGER PRIMARY KEY, imported_at TEXT, at TEXT, gate TEXT, weight REAL, code TEXT);
             INSERT INTO loads SELECT id + 5000, datetime(at, CASE WHEN id > 1000 THEN '9 days' ELSE '1 hour' END), at, gate, weight, code FROM scans;"
        ),
        &[
            "scans: 2 % of the rows repeat another one but for id",
            "loads: 2 % of the rows repeat another one but for id, imported_at",
        ],
    )
    .await;
}

#[tokio::test]
async fn codes_lead_to_other_tables_whatever_they_are_called_and_however_they_are_written() {
    let catalog = profiled(&format!(
        "CREATE TABLE wagons (number TEXT PRIMARY KEY, tare INTEGER);
         INSERT INTO wagons {MANY} SELECT printf('%04d-%d', i * 3, i % 9), 10 + i % 9 FROM n;
         CREATE TABLE sightings (id INTEGER PRIMARY KEY, what TEXT, seen TEXT);
         INSERT INTO sightings {MANY} SELECT i, printf('%04d-%d', i * 3, i % 9), printf('%04d%d', i * 3, i % 9) FROM n WHERE i > 334;"
    ))
    .await;
    let sightings = catalog.entries().iter().find(|entry| entry.table.id.name == "sightings").unwrap();
    let keys: Vec<(&str, &str)> =
        sightings.table.foreign_keys.iter().map(|key| (key.columns[0].as_str(), key.ref_table.name.as_str())).collect();
    assert_eq!(keys, [("what", "wagons")]);
    assert_eq!(told(&catalog), ["sightings: seen -> wagons.number, written with other signs between"]);
}

#[tokio::test]
async fn codes_are_told_with_what_a_table_for_many_columns_says_they_mean() {
    check(
        &format!(
            "CREATE TABLE code_values (domain TEXT, code TEXT, label TEXT, PRIMARY KEY (domain, code));
             INSERT INTO code_values VALUES
               ('ORDER_STATUS', '1', 'open'), ('ORDER_STATUS', '2', 'sent'), ('ORDER_STATUS', '9', 'given up'),
               ('CLAIM_STATUS', '1', 'new'), ('CLAIM_STATUS', '2', 'settled'), ('CLAIM_STATUS', '9', 'refused'),
               ('PRIO', '1', 'today'), ('PRIO', '2', 'whenever'), ('PRIO', '3', 'never'),
               ('CARRIER', 'DHX', 'Deutsche Hauspost'), ('CARRIER', 'QPS', 'Quick Parcels'), ('CARRIER', 'OWN', 'our own lorry');
             CREATE TABLE orders (id INTEGER PRIMARY KEY, status INTEGER, priority INTEGER, brings TEXT, stars INTEGER, kind TEXT);
             INSERT INTO orders {MANY} SELECT i, CASE i % 3 WHEN 0 THEN 1 WHEN 1 THEN 2 ELSE 9 END, 1 + i % 3,
               CASE i % 3 WHEN 0 THEN 'DHX' WHEN 1 THEN 'QPS' ELSE 'OWN' END, 1 + i % 2, 'k' || i % 3 FROM n;"
        ),
        &[
            "orders: status 1 = 'open', 2 = 'sent', 9 = 'given up' (-> code_values.code where domain = 'ORDER_STATUS')",
            "orders: priority 1 = 'today', 2 = 'whenever', 3 = 'never' (-> code_values.code where domain = 'PRIO')",
            "orders: brings 'DHX' = 'Deutsche Hauspost', 'OWN' = 'our own lorry', 'QPS' = 'Quick Parcels' \
             (-> code_values.code where domain = 'CARRIER')",
        ],
    )
    .await;
}

#[tokio::test]
async fn what_only_looks_like_a_table_of_codes_explains_nothing() {
    check(
        &format!(
            "CREATE TABLE rooms (building TEXT, code TEXT, name TEXT, PRIMARY KEY (building, code));
             INSERT INTO rooms {MANY} SELECT 'B' || (i % 4), i / 4, 'room no. ' || i FROM n WHERE i < 100;
             CREATE TABLE currencies (type TEXT, code TEXT, label TEXT);
             INSERT INTO currencies VALUES ('a', 'EUR', 'euro'), ('a', 'USD', 'dollar'), ('b', 'XAU', 'gold'),
               ('b', 'XAG', 'silver'), ('b', 'XPT', 'platinum'), ('a', 'CHF', 'franc');
             CREATE TABLE bookings (id INTEGER PRIMARY KEY, level INTEGER, size INTEGER, paid_in TEXT);
             INSERT INTO bookings {MANY} SELECT i, 1 + i % 3, 1 + i % 4,
               CASE i % 3 WHEN 0 THEN 'EUR' WHEN 1 THEN 'USD' ELSE 'CHF' END FROM n;"
        ),
        &[],
    )
    .await;
}

#[tokio::test]
async fn codes_that_are_explained_in_several_languages_are_told_in_one() {
    check(
        &format!(
            "CREATE TABLE schluessel (gruppe TEXT, kode TEXT, sprache TEXT, bezeichnung TEXT, PRIMARY KEY (gruppe, kode, sprache));
             INSERT INTO schluessel VALUES
               ('FARBE', '01', 'DE', 'rot'), ('FARBE', '02', 'DE', 'blau'), ('FARBE', '03', 'DE', 'weiss'),
               ('FARBE', '01', 'EN', 'red'), ('FARBE', '02', 'EN', 'blue'), ('FARBE', '03', 'EN', 'white'),
               ('ART', '01', 'DE', 'Wasser'), ('ART', '02', 'DE', 'Gas'), ('ART', '01', 'EN', 'water'), ('ART', '02', 'EN', 'gas'),
               ('GRUND', 'AB', 'DE', 'Abzug'), ('GRUND', 'ZU', 'DE', 'Zuschlag'), ('GRUND', 'NN', 'DE', 'unbekannt'),
               ('GRUND', 'AB', 'EN', 'less'), ('GRUND', 'ZU', 'EN', 'more'), ('GRUND', 'NN', 'EN', 'unknown');
             CREATE TABLE auftrag (nummer INTEGER PRIMARY KEY, farbe INTEGER, warum TEXT);
             INSERT INTO auftrag {MANY} SELECT i * 7, 1 + i % 3, CASE i % 3 WHEN 0 THEN 'AB' WHEN 1 THEN 'ZU' ELSE 'NN' END FROM n;"
        ),
        &[
            "auftrag: farbe 1 = 'red', 2 = 'blue', 3 = 'white' \
             (-> schluessel.kode where gruppe = 'FARBE' and sprache = 'EN')",
            "auftrag: warum 'AB' = 'less', 'NN' = 'unknown', 'ZU' = 'more' \
             (-> schluessel.kode where gruppe = 'GRUND' and sprache = 'EN')",
        ],
    )
    .await;
}

#[tokio::test]
async fn rows_that_stand_for_others_of_their_table_are_told() {
    check(
        &format!(
            "CREATE TABLE bills (id INTEGER PRIMARY KEY, corrects_id INTEGER REFERENCES bills (id), amount REAL, is_draft INTEGER);
             INSERT INTO bills {MANY} SELECT i, CASE WHEN i % 20 = 0 THEN i - 7 END, 20 + i * 37 % 83 + i % 9 / 10.0, i % 11 = 0 FROM n;
             CREATE TABLE sites (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES sites (id), beds INTEGER);
             INSERT INTO sites {MANY} SELECT i, CASE WHEN i > 10 THEN 1 + i % 10 END, CASE WHEN i > 10 THEN 3 + i * 7 % 23 END FROM n;
             UPDATE sites SET beds = (SELECT sum(beds) FROM sites AS part WHERE part.parent_id = sites.id) WHERE id <= 10;
             CREATE TABLE tides (id INTEGER PRIMARY KEY, harbour TEXT, source TEXT, height REAL);
             INSERT INTO tides {MANY} SELECT i, 'harbour ' || char(65 + i / 2 % 200 / 26, 65 + i / 2 % 26), CASE i % 2 WHEN 0 THEN 'gauge' ELSE 'model' END,
               (3 + (i / 2) * 31 % 67) * (3 + (i / 2) * 31 % 67) * (1 + i % 2 * 0.03) FROM n WHERE i BETWEEN 2 AND 399;"
        ),
        &[
            "bills: 9 % of the rows are set aside (is_draft = 1)",
            "bills: corrects_id in 5 %: takes the place of the row with that id, or takes it back; both are there",
            "sites: beds of a row that others name as parent_id, the sum of theirs",
            "tides: height the same for each source ('gauge', 'model') of one harbour: take one of them",
        ],
    )
    .await;
}

#[tokio::test]
async fn values_that_stand_out_and_ends_on_the_next_day_are_told() {
    check(
        &format!(
            "CREATE TABLE pumps (id INTEGER PRIMARY KEY, starts_at TEXT, ends_at TEXT, taken_over_on TEXT, metres INTEGER, grade TEXT);
             INSERT INTO pumps {MANY} SELECT i, printf('%02d:%02d', i * 7 % 24, i % 4 * 15), printf('%02d:%02d', (i * 7 + 6) % 24, i % 4 * 15),
               CASE WHEN i % 4 = 0 THEN '2019-06-30' ELSE date('2012-01-01', (i * 9) || ' days') END, i * 7919 % 9973,
               CASE WHEN i % 3 = 0 THEN 'A' ELSE 'B' END FROM n;
             CREATE TABLE seals (id INTEGER PRIMARY KEY, set_on TEXT, kind TEXT);
             INSERT INTO seals {MANY} SELECT i, date('2021-01-01', i || ' days'), CASE WHEN i > 250 AND i % 3 = 0 THEN 'Z' WHEN i % 2 = 0 THEN 'X' ELSE 'Y' END FROM n;"
        ),
        &[
            "pumps: ends_at earlier than starts_at in 25 %: on the next day",
            "pumps: taken_over_on '2019-06-30' in 25 %, far more often than any other",
            "seals: kind 'Z' only for set_on from 2021-09-10 on",
        ],
    )
    .await;
}

#[tokio::test]
async fn currencies_of_amounts_in_another_table_are_told() {
    check(
        &format!(
            "CREATE TABLE offers (id INTEGER PRIMARY KEY, total REAL, currency TEXT);
             INSERT INTO offers {MANY} SELECT i, 20 + i * 31 % 67 / 4.0, CASE i % 3 WHEN 0 THEN 'SEK' ELSE 'NOK' END FROM n;
             CREATE TABLE offer_lines (id INTEGER PRIMARY KEY, offer_id INTEGER REFERENCES offers (id), price REAL);
             INSERT INTO offer_lines {MANY} SELECT i, 1 + i * 3 % 400, 5 + i * 37 % 83 / 4.0 FROM n;"
        ),
        &[
            "offer_lines: price in the currency of offers.currency, by offer_id",
            "offers: total its currency is in currency",
        ],
    )
    .await;
}

#[tokio::test]
async fn what_a_row_that_is_referred_to_decides_is_told() {
    check(
        &format!(
            "CREATE TABLE parts (id INTEGER PRIMARY KEY, kind TEXT, made_of TEXT);
             INSERT INTO parts {MANY} SELECT i, CASE i % 3 WHEN 0 THEN 'bulk' ELSE 'single' END, substr('ABC', 1 + i * 7 % 3, 1) FROM n;
             CREATE TABLE receipts (id INTEGER PRIMARY KEY, kind TEXT, dated TEXT);
             INSERT INTO receipts {MANY} SELECT i, CASE i % 4 WHEN 0 THEN 'back' ELSE 'sold' END, date('2021-01-01', i || ' days') FROM n;
             CREATE TABLE receipt_lines (id INTEGER PRIMARY KEY, receipt_id INTEGER REFERENCES receipts (id), part_id INTEGER REFERENCES parts (id),
               weight REAL, price REAL, points INTEGER);
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
             INSERT INTO receipt_lines SELECT i, 1 + i % 400, 1 + i * 13 % 400,
               (20 + i * 37 % 83) * CASE (1 + i * 13 % 400) % 3 WHEN 0 THEN 1 ELSE 1000 END,
               (3 + i * 31 % 67) * CASE WHEN 1 + i % 400 > 220 THEN 100 ELSE 1 END,
               (5 + i * 29 % 71) * CASE (1 + i % 400) % 4 WHEN 0 THEN -1 ELSE 1 END FROM n;"
        ),
        &[
            "receipt_lines: weight about 1000 times as large where parts.kind is 'single', by part_id",
            "receipt_lines: price about 100 times as large from receipts.dated 2021-08-10 on, by receipt_id",
            "receipt_lines: points negative where receipts.kind is 'back', by receipt_id, and nowhere else",
        ],
    )
    .await;
}

#[tokio::test]
async fn what_holds_for_a_part_of_the_rows_is_told_with_which() {
    check(
        &format!(
            "CREATE TABLE bills (id INTEGER PRIMARY KEY, billed_on TEXT, net REAL, rate REAL, rebate REAL, total REAL);
             INSERT INTO bills {MANY} SELECT i, date('2021-01-01', i || ' days'), 20 + i * 37 % 83, 3 + i * 7 % 11, 1 + i * 5 % 13, 0 FROM n;
             UPDATE bills SET total = CASE WHEN id < 240 THEN net + rate - rebate ELSE net + rate END;
             CREATE TABLE shifts (id INTEGER PRIMARY KEY, grade TEXT, hours REAL, pay REAL);
             INSERT INTO shifts {MANY} SELECT i, CASE WHEN i % 3 = 0 THEN 'A' ELSE 'B' END, 2 + i * 31 % 67 / 4.0,
               (2 + i * 31 % 67 / 4.0) * CASE WHEN i % 3 = 0 THEN 31.5 ELSE 22 END FROM n;
             CREATE TABLE moves (id INTEGER PRIMARY KEY, kind TEXT, amount REAL, debit REAL, credit REAL);
             INSERT INTO moves {MANY} SELECT i, CASE i % 5 WHEN 0 THEN 'back' WHEN 1 THEN 'gift' ELSE 'sold' END,
               (5 + i * 37 % 83) * CASE WHEN i % 5 = 0 THEN -1 ELSE 1 END, CASE WHEN i * 7 % 11 < 4 THEN 7 + i * 13 % 97 END,
               CASE WHEN i * 7 % 11 >= 4 THEN 9 + i * 17 % 89 END FROM n;"
        ),
        &[
            "bills: total = net + rate, only for billed_on from 2021-08-29 on",
            "bills: total = net + rate - rebate, only for billed_on up to 2021-08-28",
            "shifts: pay = hours by grade: * 22 where 'B', * 31.5 where 'A'",
            "moves: amount negative where kind is 'back', and nowhere else",
            "moves: each row fills just one of debit, credit",
        ],
    )
    .await;
}

#[tokio::test]
async fn what_holds_by_chance_or_nearly_is_not_told() {
    check(
        &format!(
            "CREATE TABLE claims (id INTEGER PRIMARY KEY, decided_by INTEGER, decision TEXT);
             INSERT INTO claims {MANY} SELECT i, CASE WHEN i % 9 = 0 THEN -7 ELSE 5 + i * 13 % 41 END,
               CASE WHEN i % 9 = 0 THEN 'open' WHEN i % 2 = 0 THEN 'granted' ELSE 'refused' END FROM n;
             CREATE TABLE trips (id INTEGER PRIMARY KEY, went_on TEXT, grade TEXT, hours REAL, pay REAL, given REAL, taken REAL, kind TEXT);
             INSERT INTO trips {MANY} SELECT i, date('2021-01-01', i || ' days'), CASE WHEN i % 3 = 0 THEN 'A' ELSE 'B' END, 2 + i * 31 % 67 / 4.0,
               (2 + i * 31 % 67 / 4.0) * (20 + i * 7 % 19), CASE WHEN i % 3 > 0 THEN 7 + i * 13 % 97 END,
               CASE WHEN i % 4 > 0 THEN 9 + i * 17 % 89 END, CASE i % 5 WHEN 0 THEN 'x' ELSE 'y' END FROM n;
             UPDATE trips SET pay = - pay WHERE id % 7 = 0;"
        ),
        &[],
    )
    .await;
}

#[tokio::test]
async fn numbered_versions_and_gaps_of_one_group_are_told() {
    check(
        "CREATE TABLE offers (id INTEGER PRIMARY KEY, offer_no TEXT, revision INTEGER, cents INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
         INSERT INTO offers SELECT i, 'Q' || (i % 150), 1 + i / 150, 100 + i * 37 % 997 FROM n;
         CREATE TABLE rates (grade TEXT, valid_from TEXT, cents INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
         INSERT INTO rates SELECT 'G' || (i % 20), date('2019-01-01', (i / 20 * 400 + i % 20 * 3) || ' days'), 100 + i * 37 % 97 FROM n;
         CREATE TABLE days (id INTEGER PRIMARY KEY, day TEXT, lot TEXT, amount INTEGER);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
         INSERT INTO days SELECT i, date('2022-01-01', (i / 10) || ' days'), i * 7 % 500 || '', 3 + i * 31 % 67 FROM n;
         INSERT INTO days SELECT 5000 + min(id), day, '999', sum(amount) FROM days GROUP BY day;
         CREATE TABLE readings (id INTEGER PRIMARY KEY, site TEXT, seen_on TEXT, degrees REAL);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3599)
         INSERT INTO readings SELECT i, substr('NSWE', 1 + i % 4, 1), date('2022-01-01', (i / 4) || ' days'), 5 + i * 37 % 199 / 10.0 FROM n
         WHERE NOT (i % 4 = 2 AND date('2022-01-01', (i / 4) || ' days') BETWEEN '2023-03-01' AND '2023-04-30');",
        &[
            "offers: several rows for each offer_no, numbered by revision: the highest is the latest",
            "rates: several rows for each grade, each valid from valid_from until the next: of a day, the last one up to it",
            "days: rows with lot = 999 add up amount of the others",
            "readings: no rows of site 'W' for seen_on from 2023-03 to 2023-04",
            "readings: one row for each (site, seen_on)",
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_so_of_one_meter_alone_is_told_with_which() {
    check(
        "CREATE TABLE meters (id INTEGER PRIMARY KEY, label TEXT);
         INSERT INTO meters VALUES (1, 'Nord'), (2, 'Sud'), (3, 'Est'), (4, 'Ouest'), (5, 'Quai'), (6, 'Halle'), (7, 'Tor');
         CREATE TABLE readings (id INTEGER PRIMARY KEY, meter_id INTEGER REFERENCES meters (id), read_at TEXT, used REAL);
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2799)
         INSERT INTO readings SELECT i + 1, 1 + i % 7, date('2022-01-01', (i / 7) || ' days'),
           (100 + i * 7919 % 97) * CASE WHEN i % 7 = 3 AND i > 1400 THEN 1000 ELSE 1 END FROM n;",
        &[
            "readings: one row for each (meter_id, read_at)",
            "readings: used about 1000 times as large from read_at 2022-07-20 on, where meter_id = 4",
        ],
    )
    .await;
}

#[tokio::test]
async fn several_values_for_none_and_days_that_no_name_speaks_of_are_told() {
    check(
        &format!(
            "CREATE TABLE calls (id INTEGER PRIMARY KEY, came TEXT, left_x INTEGER, size INTEGER, berth TEXT);
             INSERT INTO calls {MANY} SELECT i, date('2019-03-01', (4 * i) || ' days'),
               CAST(julianday('2019-03-01') + 4 * i - 2415018.5 + 3 + i % 5 AS INTEGER), 30000 + i * 7919 % 20011,
               CASE i % 8 WHEN 0 THEN '-' WHEN 1 THEN '' WHEN 2 THEN 'N/A' ELSE 'berth ' || (i % 90) END FROM n;"
        ),
        &["calls: left_x days since 1899-12-30", "calls: berth '', '-' or 'N/A' for none in 38 %"],
    )
    .await;
}
