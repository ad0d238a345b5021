use index::Index;

use super::Relations;
use crate::graph::JoinGraph;
use crate::testing::{WordEmbedder, catalog_of};

/// The strength of the relation between two tables, and whether they look alike.
fn between(tables: &[&str], left: &str, right: &str) -> (Option<f32>, bool) {
    let catalog = catalog_of(tables);
    let index = Index::build(&catalog, &WordEmbedder).expect("an index");
    let positions = index.units().iter().map(|unit| catalog.position(&unit.table)).collect();
    let relations = Relations::new(&catalog, &index, &JoinGraph::new(&catalog), &positions);
    let unit =
        |name: &str| index.numbered_units().find(|(_, unit)| unit.table.name == name).expect("a table of that name").0;
    let (left, right) = (unit(left), unit(right));
    let related = relations.related(left).iter().find(|(other, _)| *other == right).map(|(_, strength)| *strength);
    assert_eq!(related.is_some(), relations.are_related(right, left), "relations go both ways");
    (related, relations.alike(left).contains(&right))
}

#[test]
fn keys_that_nobody_declared_relate_tables() {
    let tables = &[
        "dw.BUILDING: BUILDING_KEY INTEGER, NAME TEXT",
        "dw.ROOM: ROOM_KEY INTEGER, BUILDING_KEY INTEGER, FLOOR TEXT",
        "dw.LEASE: LEASE_NO INTEGER, BUILDING_KEY INTEGER, LANDLORD TEXT",
        "dw.PERSON: ID INTEGER, SURNAME TEXT",
        "dw.GIFT: ID INTEGER, VALUE REAL",
    ];
    let home = between(tables, "ROOM", "BUILDING").0.expect("they share a key");
    let siblings = between(tables, "ROOM", "LEASE").0.expect("they share a key");
    assert!(home > siblings, "{home} {siblings}: the table that is named like the key is meant first");
    assert_eq!(between(tables, "PERSON", "GIFT").0, None, "a bare `ID` says nothing");
}

#[test]
fn keys_relate_under_other_names() {
    let tables = &[
        "hr.org: org_id INTEGER, title TEXT",
        "hr.staff: staff_no INTEGER, home_org_id INTEGER",
        "it.devices: uuid TEXT, model TEXT",
        "it.tickets: no INTEGER, device_uuid TEXT",
    ];
    assert!(between(tables, "staff", "org").0.is_some());
    assert!(between(tables, "tickets", "devices").0.is_some());
    assert!(between(tables, "staff", "tickets").0.is_none());
}

#[test]
fn keys_relate_behind_the_signs_of_their_tables() {
    let tables = &[
        "core.CUSMST: CMCUST INTEGER, CMNAM1 TEXT, CMCITY TEXT, CMSEGM TEXT, CMBRTH DATE",
        "core.CUSBLK: CBCUST INTEGER, CBSEQN INTEGER, CBBLKC TEXT, CBSTRT DATE, CBTEXT TEXT",
        "core.ACTOWN: AOACCT INTEGER, AOCUST INTEGER, AOROLE TEXT, AOSIGN TEXT, AOSTAT TEXT",
        "core.BRNMST: BMBRNC INTEGER, BMNAME TEXT, BMREGN TEXT, BMOPEN DATE, BMCLSD DATE",
    ];
    let home = between(tables, "ACTOWN", "CUSMST").0.expect("they share a key");
    let siblings = between(tables, "ACTOWN", "CUSBLK").0.expect("they share a key");
    assert!(home > siblings, "{home} {siblings}: masters are where things themselves are kept");
    assert_eq!(between(tables, "ACTOWN", "BRNMST").0, None);
}

#[test]
fn tables_with_nearly_the_same_columns_look_alike() {
    let columns = "order_id INTEGER, customer TEXT, placed DATE, amount REAL";
    let tables = &[
        &format!("s.orders: {columns}"),
        &format!("s.orders_copy: {columns}, loaded DATE"),
        "s.customers: customer TEXT, city TEXT, country TEXT, phone TEXT",
    ]
    .map(|line| line.to_string());
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    assert!(between(&tables, "orders", "orders_copy").1);
    assert!(!between(&tables, "orders", "customers").1);
}

#[test]
fn what_every_table_has_for_itself_relates_nothing() {
    let names =
        ["invoices", "orders", "lines", "notes", "labels", "teams", "inboxes", "rooms", "desks", "shifts", "goods"];
    let of_tenant = |name: &&str| format!("s.{name}: id INTEGER, account_id INTEGER, {name}_date DATE");
    let mut tables: Vec<String> = names.iter().map(of_tenant).collect();
    tables.push("s.accounts: id INTEGER, name TEXT".to_owned());
    tables.push("s.users: id INTEGER, login TEXT".to_owned());
    tables.push("s.visits: id INTEGER, created_by_user_id INTEGER, desk_id INTEGER".to_owned());
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    assert_eq!(between(&tables, "orders", "accounts").0, None, "all tables have their tenant");
    assert_eq!(between(&tables, "visits", "users").0, None, "who wrote a row is no part of what it says");
    assert!(between(&tables, "visits", "desks").0.is_some());
}
