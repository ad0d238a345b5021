use catalog::{Entry, Fact, FactKind, Mask};
use index::{Index, estimate_tokens};

use super::context;
use crate::linker::Linker;
use crate::options::LinkOptions;
use crate::testing::{WordEmbedder, catalog_of, catalog_with, entry_of};

fn check(tables: &[&str], question: &str, budget: usize, contains: &[&str], lacks: &[&str]) {
    let catalog = catalog_of(tables);
    let index = Index::build(&catalog, &WordEmbedder).expect("an index");
    let linked = Linker::new(&catalog, &index, &WordEmbedder).link(question, &LinkOptions::default());
    let context = context(&catalog, &linked, budget);
    assert!(context.tokens <= budget && context.tokens == estimate_tokens(&context.text), "{}", context.text);
    for part in contains {
        assert!(context.text.contains(part), "`{part}` is missing in\n{}", context.text);
    }
    for part in lacks {
        assert!(!context.text.contains(part), "`{part}` is in\n{}", context.text);
    }
}

#[test]
fn names_stand_as_the_engine_spells_them() {
    check(
        &["shop.Order Lines: LineNo INTEGER, select TEXT, a-b TEXT"],
        "order lines",
        400,
        &["CREATE TABLE \"Order Lines\" (", "  LineNo INTEGER PRIMARY KEY", "  \"select\" TEXT", "  \"a-b\" TEXT"],
        &[],
    );
}

#[test]
fn matched_values_and_joins_are_said() {
    check(
        &[
            "shop.customers: id INTEGER, country TEXT = US|DE",
            "shop.orders: order_id INTEGER, customer_id INTEGER; customer_id -> customers.id",
        ],
        "orders of customers in the United States",
        400,
        &["holds 'US' for United States", "  customer_id INTEGER, -- -> customers.id"],
        &[],
    );
}

#[test]
fn a_matched_value_is_not_the_only_spelling() {
    check(
        &["shop.orders: order_id INTEGER, status TEXT = pending|Pending|PENDING|paid"],
        "pending orders",
        400,
        &["'pending', 'paid' in several cases: compare lower(status)"],
        &[],
    );
}

#[test]
fn wide_tables_show_keys_and_what_the_question_means_and_name_some_others() {
    let columns: Vec<String> = (0..60).map(|number| format!("measure_{number} REAL")).collect();
    let wide = format!("plant.readings: reading_id INTEGER, {}, humidity REAL", columns.join(", "));
    check(
        &[&wide],
        "average humidity",
        300,
        &["reading_id", "humidity", "-- also: measure_", " more\n"],
        &["measure_40"],
    );
}

#[test]
fn what_fits_is_given_whole_best_table_first() {
    let machines = [
        "belts", "cranes", "fans", "lathes", "mixers", "motors", "ovens", "presses", "pumps", "robots", "tanks",
        "valves",
    ];
    let tables: Vec<String> =
        machines.iter().map(|name| format!("plant.{name}: {name}_id INTEGER, {name}_state TEXT = on|off")).collect();
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    let catalog = catalog_of(&tables);
    let index = Index::build(&catalog, &WordEmbedder).expect("an index");
    let linked = Linker::new(&catalog, &index, &WordEmbedder).link("state of the pumps", &LinkOptions::default());
    let whole = context(&catalog, &linked, 1_200);
    assert_eq!((whole.tables.len(), whole.omitted.len()), (12, 0), "{}", whole.text);
    assert!(whole.text.starts_with("CREATE TABLE pumps (") && whole.text.contains("-- 'on', 'off'"), "{}", whole.text);
    // With less room, the last tables lose what is said of their columns, and then their places.
    let tight = context(&catalog, &linked, whole.tokens - 20);
    assert_eq!(tight.tables.len(), 12, "{}", tight.text);
    assert!(tight.text.matches("'on'").count() < 12, "{}", tight.text);
    let little = context(&catalog, &linked, 100);
    assert!(little.tables[0].name == "pumps" && !little.omitted.is_empty(), "{}", little.text);
}

#[test]
fn a_small_budget_keeps_the_best_table() {
    let columns: Vec<String> = (0..30).map(|number| format!("measure_{number} REAL")).collect();
    let wide = format!("plant.readings: reading_id INTEGER, {}", columns.join(", "));
    check(&[&wide], "readings", 40, &["CREATE TABLE readings"], &["measure_29"]);
}

#[test]
fn a_masked_key_still_says_where_it_leads() {
    let mut orders = entry_of("shop.orders: order_id INTEGER, buyer TEXT = a@b|c@d; buyer -> customers.email");
    orders.change_profile(|profile| {
        profile.columns[1].masked = Some(Mask::by_values("values look like e-mail addresses"))
    });
    let customers = entry_of("shop.customers: email TEXT, city TEXT = Graz|Oslo");
    let catalog = catalog_with(vec![orders, customers], Vec::new());
    let index = Index::build(&catalog, &WordEmbedder).expect("an index");
    let linked = Linker::new(&catalog, &index, &WordEmbedder).link("orders by city", &LinkOptions::default());
    let text = context(&catalog, &linked, 400).text;
    assert!(text.contains("  buyer TEXT, -- -> customers.email; masked\n"), "{text}");
}

/// An entry of whose columns it is said how they are written.
fn with_facts(line: &str, columns: &[&str]) -> Entry {
    let mut entry = entry_of(line);
    let told = |column: &&str| {
        let kind = FactKind::TextDates { column: (*column).to_owned(), form: format!("form of {column}"), by: None };
        Fact::new(kind, 100, 100, String::new())
    };
    entry.change_profile(|profile| profile.facts = columns.iter().map(told).collect());
    entry
}

#[test]
fn what_rows_say_is_told_of_likely_tables_and_of_the_columns_that_the_question_means() {
    let orders = with_facts(
        "shop.orders: order_id INTEGER, a TEXT, b TEXT, c TEXT, d TEXT, e TEXT, delivered TEXT",
        &["a", "b", "c", "d", "e", "delivered"],
    );
    let suppliers = with_facts("shop.suppliers: supplier_id INTEGER, since TEXT", &["since"]);
    let catalog = catalog_with(vec![orders, suppliers], Vec::new());
    let index = Index::build(&catalog, &WordEmbedder).expect("an index");
    let mut linked =
        Linker::new(&catalog, &index, &WordEmbedder).link("orders delivered by suppliers", &LinkOptions::default());
    let mut text = |times_less: f32| {
        linked.tables.sort_by_key(|table| table.id.name.clone());
        linked.tables[0].score = 0.9;
        linked.tables[1].score = 0.9 / times_less;
        context(&catalog, &linked, 1_000).text
    };
    let likely = text(2.0);
    assert!(likely.contains("form of delivered") && likely.contains("form of since"), "{likely}");
    assert_eq!(likely.matches("form of").count(), 5, "four of a table\n{likely}");
    let unlikely = text(6.0);
    assert!(unlikely.contains("CREATE TABLE suppliers") && !unlikely.contains("form of since"), "{unlikely}");
}
