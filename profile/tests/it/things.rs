//! What rows say of the things that they are about: parts and totals, what has taken the place of what, codes and numbers of them.

use crate::facts::{MANY, check};

#[tokio::test]
async fn rows_whose_place_others_have_taken_and_levels_of_totals_are_told() {
    check(
        &format!(
            "CREATE TABLE keepers (id INTEGER PRIMARY KEY, merged_into INTEGER REFERENCES keepers (id), hut TEXT);
             INSERT INTO keepers {MANY} SELECT i, CASE WHEN i % 20 = 0 THEN i - 7 END, 'hut ' || i % 90 FROM n;
             CREATE TABLE plots (id INTEGER PRIMARY KEY, level TEXT, parent_id INTEGER REFERENCES plots (id), acres INTEGER);
             INSERT INTO plots {MANY} SELECT i, CASE WHEN i > 10 THEN 'P' ELSE 'F' END, CASE WHEN i > 10 THEN 1 + i % 10 END,
               CASE WHEN i > 10 THEN 3 + i * 7 % 23 END FROM n;
             UPDATE plots SET acres = (SELECT sum(acres) FROM plots AS part WHERE part.parent_id = plots.id) WHERE id <= 10;"
        ),
        &[
            "keepers: merged_into in 5 %: the row with that id counts in place of this one",
            "plots: acres where level = 'F', the sum of the rows that name it as parent_id",
        ],
    )
    .await;
}

#[tokio::test]
async fn amounts_on_each_row_and_shares_of_a_thing_are_told() {
    check(
        &format!(
            "CREATE TABLE trip_legs (id INTEGER PRIMARY KEY, trip_no INTEGER, leg TEXT, trip_cost REAL, leg_cost REAL, list_price REAL);
             INSERT INTO trip_legs {MANY} SELECT i, 500 + i / 3, 'from ' || (i * 7 % 61), 90 + (i / 3) * 37 % 311 + 0.5,
               4 + i * 31 % 97 + 0.25, 20 + (i / 3) * 13 % 101 FROM n;
             CREATE TABLE grades (id INTEGER PRIMARY KEY, lot_no INTEGER, grade TEXT, part INTEGER, weight INTEGER);
             INSERT INTO grades {MANY} SELECT i, 700 + i / 3, char(65 + i % 3),
               CASE i % 3 WHEN 0 THEN 100 + (i / 3) * 7 % 200 WHEN 1 THEN 150 + (i / 3) * 11 % 100
                 ELSE 750 - (i / 3) * 7 % 200 - (i / 3) * 11 % 100 END, 40 + i * 17 % 300 FROM n WHERE i >= 3 AND i < 399;"
        ),
        &[
            "trip_legs: trip_cost of one trip_no, on each of its rows: add it up once",
            "grades: part shares of one lot_no, 1000 in all",
        ],
    )
    .await;
}

#[tokio::test]
async fn minutes_behind_the_point_codes_of_what_is_filled_and_years_that_stand_for_none_are_told() {
    check(
        &format!(
            "CREATE TABLE shifts (id INTEGER PRIMARY KEY, worked REAL, paid REAL, st INTEGER, closed_on DATE, built INTEGER);
             INSERT INTO shifts {MANY} SELECT i, i % 9 + (i * 7 % 12) * 5 / 100.0, i % 9 + (i * 7 % 100) / 100.0, i % 5 = 0,
               CASE WHEN i % 5 <> 0 THEN date('2020-01-01', (i * 3) || ' days') END,
               CASE WHEN i % 6 = 0 THEN 1900 ELSE 1950 + i * 7 % 60 END FROM n;"
        ),
        &[
            "shifts: built 1900 for none in 16 %",
            "shifts: worked hours and minutes: 1.35 is 1 h 35 min",
            "shifts: st 0 just where closed_on has a value",
        ],
    )
    .await;
}

#[tokio::test]
async fn numbers_that_go_on_in_another_table_and_few_lists_among_codes_are_told() {
    check(
        &format!(
            "CREATE TABLE entries (entry_no INTEGER PRIMARY KEY, place INTEGER, what TEXT);
             INSERT INTO entries {MANY} SELECT 300 + i, i % 17, 'thing ' || i FROM n;
             CREATE TABLE entries_archive (entry_no INTEGER PRIMARY KEY, place INTEGER, what TEXT);
             INSERT INTO entries_archive {MANY} SELECT i, (i + 700) % 17, 'old thing ' || i FROM n WHERE i <= 300;
             INSERT INTO entries_archive SELECT entry_no, place, what FROM entries WHERE entry_no <= 340;
             CREATE TABLE receipts (id INTEGER PRIMARY KEY, bill_no TEXT);
             INSERT INTO receipts {MANY} SELECT i, CASE WHEN i % 40 = 0 THEN 'RE' || (10000 + i) || ',RE' || (10001 + i)
               ELSE 'RE' || (10000 + i) END FROM n;"
        ),
        &[
            "entries: entry_no begins 301; earlier rows are in entries_archive, some from after that",
            "entries_archive: some of its rows are in entries by entry_no",
            "entries_archive: entry_no ends 340; entries goes on, from before that",
            "receipts: bill_no several values in one text in 2 %, with ',' between",
        ],
    )
    .await;
}

#[tokio::test]
async fn codes_that_were_given_again_are_told_where_they_are_referred_to() {
    let sightings = |code: &str| {
        format!(
            "CREATE TABLE hides (hide_id INTEGER PRIMARY KEY, code TEXT, opened TEXT);
             INSERT INTO hides {MANY} SELECT i, printf('H%02d', CASE WHEN i = 12 THEN 3 ELSE i END), 'in ' || (1990 + i) FROM n WHERE i <= 12;
             CREATE TABLE sightings (id INTEGER PRIMARY KEY, {code} TEXT);
             INSERT INTO sightings {MANY} SELECT i, printf('H%02d', 1 + i % 11) FROM n;"
        )
    };
    check(&sightings("hide_code"), &["sightings: hide_code -> hides.code, where several rows have 'H03'"]).await;
    check(&sightings("form_code"), &[]).await;
}

#[tokio::test]
async fn a_nought_that_is_somebodys_number_is_not_told_as_none() {
    let visits = |guests: &str| {
        format!(
            "PRAGMA foreign_keys = OFF;
             CREATE TABLE guests (guest_no INTEGER PRIMARY KEY, called TEXT);
             INSERT INTO guests {MANY} SELECT i + 20, 'guest ' || (i * 7919 % 9973) FROM n WHERE i <= 40; {guests}
             CREATE TABLE visits (id INTEGER PRIMARY KEY, guest_no INTEGER REFERENCES guests (guest_no), paid INTEGER);
             INSERT INTO visits {MANY} SELECT i, CASE WHEN i % 5 = 0 THEN 0 ELSE 21 + i * 7 % 40 END, i * 31 % 97 FROM n;"
        )
    };
    check(&visits(""), &["visits: guest_no 0 for none in 20 %"]).await;
    check(&visits("INSERT INTO guests VALUES (0, 'whoever comes in');"), &[]).await;
}

#[tokio::test]
async fn quantities_times_rates_are_told_by_kind() {
    check(
        &format!(
            "CREATE TABLE work (line INTEGER PRIMARY KEY, kind TEXT, qty INTEGER, rate REAL, amount REAL);
             INSERT INTO work {MANY} SELECT i, CASE i % 3 WHEN 0 THEN 'L' WHEN 1 THEN 'M' ELSE 'F' END, 5 + i * 7 % 60, 18 + i * 13 % 37,
               round((5 + i * 7 % 60) * (18 + i * 13 % 37) / CASE i % 3 WHEN 0 THEN 60.0 ELSE 1.0 END, 2) FROM n;"
        ),
        &["work: amount = qty * rate by kind: * 1 where 'M', * 1 where 'F', / 60 where 'L'"],
    )
    .await;
}

#[tokio::test]
async fn a_discount_that_is_no_longer_taken_off_is_told_though_most_rows_have_none() {
    let discount = "CASE i % 2 WHEN 0 THEN 1 + i % 17 ELSE 0 END";
    check(
        &format!(
            "CREATE TABLE bills (bill INTEGER PRIMARY KEY, billed_on DATE, net INTEGER, vat INTEGER, discount INTEGER, total INTEGER);
             INSERT INTO bills {MANY} SELECT i, date('2021-01-01', (i * 3) || ' days'), 100 + i * 37 % 900, 19 + i * 11 % 80, {discount},
               100 + i * 37 % 900 + 19 + i * 11 % 80 - CASE WHEN i <= 220 THEN {discount} ELSE 0 END FROM n;"
        ),
        &[
            "bills: total = net + vat, only for billed_on from 2022-10-29 on",
            "bills: total = net + vat - discount, only for billed_on up to 2022-10-23",
        ],
    )
    .await;
}
