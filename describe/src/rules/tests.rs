//! What the rules say about small tables.
#![allow(clippy::unwrap_used)]

use catalog::{
    Catalog, ColumnProfile, Entry, ForeignKey, Granularity, KeyEvidence, KeyOrigin, KnownValues, Mask, TableId,
};
use jiff::Timestamp;

use super::by_rules;
use crate::testing::{catalog, profiled, table};

fn described(entries: Vec<Entry>, name: &str) -> catalog::TableDescription {
    let catalog = catalog(entries);
    by_rules(catalog.entry(&TableId::new("s", name)).unwrap(), &catalog, Timestamp::UNIX_EPOCH)
}

fn shop() -> Vec<Entry> {
    let customers = table("customers", &[("id", "INTEGER"), ("full_name", "TEXT"), ("email", "TEXT")], &["id"], &[]);
    let orders = table(
        "t_ord",
        &[
            ("id", "INTEGER"),
            ("cust_id", "INTEGER"),
            ("status", "TEXT"),
            ("tot_amt", "REAL"),
            ("created_at", "TIMESTAMP"),
        ],
        &["id"],
        &[("cust_id", "customers", "id")],
    );
    let products = table("products", &[("id", "INTEGER"), ("name", "TEXT")], &["id"], &[]);
    let items = table(
        "order_products",
        &[("order_id", "INTEGER"), ("product_id", "INTEGER")],
        &["order_id", "product_id"],
        &[("order_id", "t_ord", "id"), ("product_id", "products", "id")],
    );
    let mut status = ColumnProfile::empty("status");
    status.values = KnownValues::All(vec!["shipped".into(), "paid".into(), "PAID".into()]);
    status.null_fraction = Some(0.12);
    let mut email = ColumnProfile::empty("email");
    email.masked = Some(Mask::by_values("values look like e-mail addresses"));
    vec![
        profiled(customers, vec![ColumnProfile::empty("id"), ColumnProfile::empty("full_name"), email]),
        profiled(orders, vec![status]),
        Entry::bare(products),
        Entry::bare(items),
    ]
}

#[test]
fn granularity_follows_from_keys_and_columns() {
    for (name, expected) in
        [("t_ord", Granularity::Fact), ("customers", Granularity::Dimension), ("order_products", Granularity::Bridge)]
    {
        assert_eq!(described(shop(), name).granularity, expected, "{name}");
    }
    let codes = table("currency_codes", &[("code", "TEXT"), ("label", "TEXT")], &["code"], &[]);
    assert_eq!(described(vec![Entry::bare(codes)], "currency_codes").granularity, Granularity::Lookup);
}

#[test]
fn columns_are_described_with_words_values_and_keys() {
    let orders = described(shop(), "t_ord");
    let check = |column: &str, description: &str, tags: &str| {
        let found = orders.column(column).unwrap();
        assert_eq!((found.description.as_str(), found.tags.join(", ").as_str()), (description, tags));
    };
    check("id", "Id: identifies one order.", "identifier, primary key");
    check("cust_id", "Customer id: refers to customers.id.", "foreign key");
    check("status", "Status: category, one of shipped, paid, PAID, missing in 12 % of the rows.", "category");
    check("tot_amt", "Total amount: number.", "measure");
    check("created_at", "Created at: when the order was created.", "timestamp");
    assert_eq!(orders.row_meaning, "one order");
    assert!(orders.notes.contains("differ in case only: paid, PAID"), "{}", orders.notes);
    assert!(orders.questions.contains(&"How many orders are there for each status?".to_owned()));
}

#[test]
fn columns_play_the_part_that_names_and_values_give_them() {
    let check = |name: &str, data_type: &str, values: &[&str], tag: &str| {
        let mut profile = ColumnProfile::empty(name);
        profile.values = KnownValues::All(values.iter().map(|value| (*value).to_owned()).collect());
        profile.min = values.first().map(|value| (*value).to_owned());
        profile.max = values.last().map(|value| (*value).to_owned());
        profile.distinct_ratio = Some(0.001);
        let entry = profiled(table("things", &[(name, data_type)], &[], &[]), vec![profile]);
        assert_eq!(described(vec![entry], "things").columns[0].tags[0], tag, "{name}");
    };
    check("tier", "INTEGER", &["1", "2", "3"], "category");
    check("orders_cancelled", "INTEGER", &["0", "1", "2"], "measure");
    check("shipping_cents", "INTEGER", &["0", "495"], "measure");
    check("occurred_at", "INTEGER", &["1777681450", "1782856711"], "timestamp");
    check("seats_at", "INTEGER", &["10", "20"], "measure");
    check("gift_message", "TEXT", &["Enjoy", "Happy birthday"], "free text");
    check("marketing_opt_in", "INTEGER", &["0", "1"], "flag");
    check("nm1", "TEXT", &["Ada", "Bob"], "name");
    check("line_no", "INTEGER", &["1", "2", "3"], "attribute");
}

#[test]
fn events_are_facts_even_if_others_refer_to_them() {
    let many = [("order_id", "t_ord", "id")];
    let mut entries = shop();
    for name in ["payments", "refunds", "shipments"] {
        entries.push(Entry::bare(table(name, &[("id", "INTEGER"), ("order_id", "INTEGER")], &["id"], &many)));
    }
    assert_eq!(described(entries, "t_ord").granularity, Granularity::Fact);
    let addresses = [("id", "INTEGER"), ("customer_id", "INTEGER"), ("street", "TEXT"), ("created_at", "TIMESTAMP")];
    let mut entries = shop();
    entries.push(Entry::bare(table("addresses", &addresses, &["id"], &[("customer_id", "customers", "id")])));
    assert_eq!(described(entries, "addresses").granularity, Granularity::Dimension);
}

#[test]
fn masked_columns_are_described_without_values() {
    let mut entries = shop();
    entries[0].change_profile(|profile| {
        let email = &mut profile.columns[2];
        email.values = KnownValues::Some(vec!["ada@example.org".into()]);
        email.min = Some("ada@example.org".into());
    });
    let customers = described(entries, "customers");
    let text = serde_json::to_string(&customers).unwrap();
    assert!(!text.contains("ada@"), "{text}");
    assert_eq!(customers.column("email").unwrap().tags, ["attribute", "personal data"]);
    assert!(customers.business_context.contains("email"));
}

#[test]
fn an_inferred_key_is_said_to_be_inferred() {
    let mut orders = table("orders", &[("id", "INTEGER"), ("customer", "INTEGER")], &["id"], &[]);
    let evidence =
        KeyEvidence { name_fit: 0.9, joined_in: 0, inclusion: Some(1.0), values_checked: 50, confidence: 0.93 };
    orders.foreign_keys.push(ForeignKey {
        columns: vec!["customer".into()],
        ref_table: TableId::new("s", "customers"),
        ref_columns: vec!["id".into()],
        origin: KeyOrigin::Inferred(evidence),
    });
    let usage = described(vec![Entry::bare(orders)], "orders").column("customer").unwrap().usage.clone();
    assert!(usage.contains("inferred, not declared (93 % confidence)"), "{usage}");
}

#[test]
fn a_comment_is_taken_over() {
    let mut odd = table("xq7", &[("zz", "INTEGER")], &[], &[]);
    odd.comment = Some("Wind turbines\nin service.".into());
    odd.columns[0].comment = Some("Hub height in metres".into());
    let described = described(vec![Entry::bare(odd)], "xq7");
    assert!(described.summary.contains("Wind turbines in service."), "{}", described.summary);
    assert_eq!(described.column("zz").unwrap().description, "`zz`: Hub height in metres.");
}

#[test]
fn odd_tables_are_described_without_a_word_too_many() {
    for name in ["", "?", "\n", "123", "Größe \"x\"", "select"] {
        let entry = Entry::bare(table(name, &[("", ""), ("a\nb", "TEXT")], &[], &[]));
        let described = described(vec![entry], name);
        assert_eq!(described.columns.len(), 2, "{name}");
        assert!(!described.summary.contains('\n') && !described.row_meaning.is_empty(), "{name}");
    }
}

#[test]
fn generated_queries_name_real_columns_and_are_quoted() {
    let mut entries = shop();
    entries[1].table_mut().columns[2].name = "order".into();
    entries[1].change_profile(|profile| profile.columns[0].column = "order".into());
    let orders = described(entries, "t_ord");
    assert!(orders.queries[0].sql.contains("GROUP BY \"order\""), "{}", orders.queries[0].sql);
    let joined = orders.queries.iter().find(|query| query.name == "Total amount by customer");
    let sql = joined.map(|query| query.sql.as_str());
    let sql = sql.unwrap_or_else(|| panic!("{:#?}", orders.queries));
    assert!(sql.contains("SUM(child.tot_amt) AS total") && sql.contains("parent.id = child.cust_id"), "{sql}");
}

/// A column with a smallest and a largest value.
fn between(name: &str, min: &str, max: &str) -> catalog::ColumnProfile {
    let mut profile = ColumnProfile::empty(name);
    (profile.min, profile.max) = (Some(min.into()), Some(max.into()));
    profile
}

#[test]
fn names_that_are_not_english_are_not_inflected() {
    let columns = [("shp_id", "INTEGER"), ("stat", "TEXT"), ("vracht", "REAL")];
    let mut stat = ColumnProfile::empty("stat");
    stat.values = KnownValues::All(vec!["New".into(), "Done".into()]);
    let entry = profiled(table("shp", &columns, &["shp_id"], &[]), vec![stat]);
    let described = described(vec![entry], "shp");
    assert_eq!(described.summary, "One row for each `shp`, identified by shp_id. Holds status and `vracht`.");
    assert_eq!(described.questions[0], "How many `shp` rows are there for each status?");
    assert_eq!(described.queries[0].name, "Number of `shp` rows by status");
    assert!(described.column("vracht").unwrap().description.starts_with("`vracht`: "));
    let text = serde_json::to_string(&described).unwrap();
    assert!(!text.contains("shps") && !text.contains("Shps"), "{text}");
}

#[test]
fn a_table_is_characterised_by_its_keys_rows_and_period() {
    let columns = [("id", "INTEGER"), ("sent_on", "DATE"), ("customer_id", "INTEGER")];
    let mut letters = table("letters", &columns, &["id"], &[("customer_id", "customers", "id")]);
    letters.row_count = Some(catalog::RowCount { value: 70, exactness: catalog::Exactness::Estimate });
    let profile = vec![between("sent_on", "2021-01-02 10:00:00", "2026-11-15 09:00:00")];
    let mut entries = shop();
    entries.push(profiled(letters, profile));
    let letters = described(entries, "letters");
    assert_eq!(letters.summary, "One row for each letter, identified by id, linked to customer. Holds sent on.");
    assert_eq!(letters.purpose, "About 70 rows, sent on from 2021-01-02 to 2026-11-15.");
}

#[test]
fn a_view_is_described_by_what_it_reads() {
    let mut view = table("v_broken", &[("x", "TEXT")], &[], &[]);
    view.kind = catalog::TableKind::View;
    view.definition = Some("SELECT o.x FROM t_ord AS o JOIN customers AS c ON c.id = o.cust_id".into());
    let mut entries = shop();
    entries.push(Entry::bare(view));
    let described = described(entries, "v_broken");
    assert_eq!(described.summary, "View that reads t_ord and customers. Holds `x`.");
    assert!(!described.purpose.contains("Shows"), "{}", described.purpose);
}

#[test]
fn cents_are_told_from_counts_by_what_stands_beside() {
    let check = |name: &str, max: &str, beside: &str, expected: bool| {
        let columns = [(name, "INTEGER"), (beside, "TEXT")];
        let entry = profiled(table("things", &columns, &[], &[]), vec![between(name, "0", max)]);
        let text = described(vec![entry], "things").columns[0].description.clone();
        assert_eq!(text.contains("amount of money in cents"), expected, "{name}: {text}");
        assert!(!expected || !text.contains("`ct`"), "{text}");
    };
    check("amt_ct", "495", "note", true);
    check("shipping_cents", "495", "note", true);
    check("netto_ct", "2000000", "note", true);
    check("price_ct", "12", "note", false);
    check("limit_ct", "2500000", "note", false);
    check("limit_ct", "2500000", "currency", true);
    check("item_ct", "40", "currency", false);
    check("ct", "2500000", "currency", false);
}

#[test]
fn a_reference_is_no_figure() {
    let columns = [("id", "INTEGER"), ("price_group", "INTEGER"), ("from", "INTEGER"), ("standplaats", "INTEGER")];
    let profile = columns.iter().map(|(name, _)| between(name, "1", "100")).collect();
    let drivers = table("drivers", &columns, &["id"], &[("price_group", "products", "id")]);
    let mut entries = shop();
    entries.push(profiled(drivers, profile));
    let drivers = described(entries, "drivers");
    let tags: Vec<&str> = drivers.columns.iter().map(|column| column.tags[0].as_str()).collect();
    assert_eq!(tags, ["identifier", "foreign key", "attribute", "attribute"]);
    assert!(!drivers.queries.iter().any(|query| query.sql.contains("SUM")), "{:#?}", drivers.queries);
}

#[test]
fn what_happens_at_a_time_is_a_fact_though_others_refer_to_it() {
    let columns = [("re_nr", "TEXT"), ("customer_id", "INTEGER"), ("datum", "DATE"), ("netto_ct", "INTEGER")];
    let links = [("re_nr", "rechnung", "re_nr")];
    let mut entries = shop();
    entries.push(Entry::bare(table("rechnung", &columns, &["re_nr"], &[("customer_id", "customers", "id")])));
    let rides = [("nr", "INTEGER"), ("customer_id", "INTEGER"), ("datum", "DATE"), ("km_begin", "INTEGER")];
    entries.push(Entry::bare(table("rit", &rides, &["nr"], &[("customer_id", "customers", "id")])));
    for name in ["positions", "mahnung", "zahlung"] {
        entries.push(Entry::bare(table(name, &[("re_nr", "TEXT"), ("text", "TEXT")], &[], &links)));
    }
    entries.push(Entry::bare(table("rit_stop", &[("nr", "INTEGER")], &[], &[("nr", "rit", "nr")])));
    assert_eq!(described(entries.clone(), "rechnung").granularity, Granularity::Fact);
    assert_eq!(described(entries, "rit").granularity, Granularity::Fact);
}

#[test]
fn only_dates_of_events_in_iso_order_order_rows() {
    let check = |name: &str, data_type: &str, min: &str, max: &str, offered: bool| {
        let mut profile = between(name, min, max);
        profile.pattern = Some(catalog::Pattern { form: catalog::ValueForm::IsoDate, share: 1.0 });
        let entry = profiled(table("visits", &[(name, data_type)], &[], &[]), vec![profile]);
        let described = described(vec![entry], "visits");
        assert_eq!(described.columns[0].tags[0], "timestamp", "{name}");
        assert_eq!(described.queries.iter().any(|query| query.sql.contains("ORDER BY")), offered, "{name} {min}");
        described.columns[0].clone()
    };
    check("seen_date", "TEXT", "2021-01-01", "2026-01-01", true);
    check("seen_date", "DATE", "2021-01-01", "2026-01-01", true);
    check("birth_date", "DATE", "1960-01-01", "2003-01-01", false);
    let german = check("seen_date", "TEXT", "01.01.2021", "31.12.2025", false);
    assert!(german.usage.contains("convert it") && !german.description.contains("from 01.01"), "{german:?}");
}

#[test]
fn the_same_catalog_gives_the_same_text() {
    let one: Catalog = catalog(shop());
    let entry = &one.entries()[0];
    assert_eq!(by_rules(entry, &one, Timestamp::UNIX_EPOCH), by_rules(entry, &one, Timestamp::UNIX_EPOCH));
}
