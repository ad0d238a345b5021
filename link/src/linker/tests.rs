#![allow(clippy::unwrap_used, reason = "a failed look-up is a failed test")]

use catalog::{
    Catalog, Entry, Fact, FactKind, LastUpdate, Memory, MemoryId, MemoryKind, MemoryState, NewMemory, Reach, Share,
    TableId, TableUsage, Traffic, Usage, UsedColumn, UsualMeasure,
};
use index::Index;

use super::Linker;
use crate::linked::{Evidence, EvidenceKind, Linked, Strategy};
use crate::options::{LinkOptions, Signal, Signals};
use crate::testing::{WordEmbedder, catalog_of, catalog_with, entry_of};

const SHOP: &[&str] = &[
    "shop.customers: customer_id INTEGER, name TEXT, country TEXT = US|DE|FR, email TEXT",
    "shop.orders: order_id INTEGER, customer_id INTEGER, placed_at DATE, status TEXT = open|paid|cancelled;
        customer_id -> customers.customer_id",
    "shop.order_items: item_id INTEGER, order_id INTEGER, product_id INTEGER, quantity INTEGER;
        order_id -> orders.order_id, product_id ~> products.product_id",
    "shop.products: product_id INTEGER, title TEXT, price REAL, colour TEXT = red|blue",
    "shop.employees: employee_id INTEGER, name TEXT, salary REAL",
    "shop.suppliers: supplier_id INTEGER, company TEXT",
    "shop.warehouses: warehouse_id INTEGER, city TEXT = Oslo|Lyon",
    "shop.shipments: shipment_id INTEGER, warehouse_id INTEGER, carrier TEXT; warehouse_id -> warehouses.warehouse_id",
    "shop.page_views: view_id INTEGER, url TEXT, seen_at DATE",
    "shop.audit_log: entry_id INTEGER, actor TEXT, action TEXT",
    "shop.currencies: code TEXT, rate REAL",
];

fn linked(catalog: &Catalog, question: &str) -> Linked {
    linked_with(catalog, question, &LinkOptions { token_budget: 50, ..LinkOptions::default() })
}

fn linked_with(catalog: &Catalog, question: &str, options: &LinkOptions) -> Linked {
    let index = Index::build(catalog, &WordEmbedder).unwrap();
    Linker::new(catalog, &index, &WordEmbedder).link(question, options)
}

fn names(linked: &Linked) -> Vec<&str> {
    linked.tables.iter().map(|table| table.id.name.as_str()).collect()
}

fn check_best(question: &str, expected: &[&str]) {
    let linked = linked(&catalog_of(SHOP), question);
    let mut best = names(&linked)[..expected.len()].to_vec();
    best.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(best, expected, "{question}: {:?}", names(&linked));
}

#[test]
fn tables_that_the_question_names_come_first() {
    check_best("How many employees earn a salary above 5000?", &["employees"]);
    check_best("List all suppliers by company", &["suppliers"]);
    check_best("What is the price of each product?", &["products"]);
}

#[test]
fn values_find_the_table_that_holds_them_and_its_spelling() {
    let linked = linked(&catalog_of(SHOP), "How many of them live in Germany?");
    assert_eq!(names(&linked)[0], "customers");
    let hit = &linked.values[0];
    assert_eq!((hit.column.as_str(), hit.stored.as_str(), hit.asked.as_str()), ("country", "DE", "Germany"));
    assert!(linked.tables[0].reasons.iter().any(|reason| reason.kind == EvidenceKind::Value), "{:?}", linked.tables[0]);
}

#[test]
fn the_table_between_two_others_is_lifted() {
    let linked = linked(&catalog_of(SHOP), "Which products did customers from France buy?");
    let rank = |name: &str| names(&linked).iter().position(|table| *table == name).unwrap();
    assert!(rank("orders") < rank("shipments") && rank("order_items") < rank("audit_log"), "{:?}", names(&linked));
}

#[test]
fn every_table_of_the_scope_is_ranked_once_and_many_are_irrelevant() {
    let catalog = catalog_of(SHOP);
    let linked = linked(&catalog, "How many employees are there?");
    let mut all = names(&linked);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), SHOP.len());
    assert!(linked.tables[0].is_relevant());
    assert!(linked.irrelevant().count() >= SHOP.len() / 3, "{:?}", linked.tables);
    assert!(linked.tables.windows(2).all(|pair| pair[0].score >= pair[1].score - 1e-6));
}

#[test]
fn a_source_that_explains_more_of_the_question_wins() {
    let catalog = catalog_of(&[
        "school.student: student_id INTEGER, name TEXT, age INTEGER",
        "school.enrolment: student_id INTEGER, course_id INTEGER; student_id -> student.student_id",
        "clinic.student: student_id INTEGER, name TEXT, insurance TEXT",
        "clinic.allergy: student_id INTEGER, allergy_name TEXT = milk|nuts; student_id -> student.student_id",
    ]);
    let linked = linked(&catalog, "Name of each student with an allergy");
    let first: Vec<String> = linked.tables[..2].iter().map(|table| table.id.to_string()).collect();
    assert!(first.iter().all(|name| name.starts_with("clinic.")), "{first:?}");
}

#[test]
fn one_source_can_be_asked_alone() {
    let catalog = catalog_of(&["a.orders: id INTEGER", "b.orders: id INTEGER"]);
    let options = LinkOptions { source: Some("b".into()), ..LinkOptions::default() };
    let linked = linked_with(&catalog, "orders", &options);
    assert_eq!(linked.tables.len(), 1);
    assert_eq!(linked.tables[0].id.source, "b");
}

fn updated(line: &str, at: &str, rows: u64) -> Entry {
    let mut entry = entry_of(line);
    entry.table_mut().last_update = Some(LastUpdate::of_engine(at.parse().unwrap()));
    entry.table_mut().row_count = entry.table.row_count.map(|count| catalog::RowCount { value: rows, ..count });
    entry
}

#[test]
fn copies_rank_behind_the_table_to_use_and_say_why() {
    let columns = "order_id INTEGER, customer_id INTEGER, status TEXT";
    let catalog = catalog_with(
        vec![
            updated(&format!("shop.orders: {columns}"), "2023-01-01T00:00:00Z", 900),
            updated(&format!("shop.orders_v2: {columns}"), "2025-06-01T00:00:00Z", 800),
            updated(&format!("shop.orders_archive: {columns}"), "2025-05-20T00:00:00Z", 9_000),
            updated("shop.orders_backlog: ticket INTEGER, reason TEXT", "2025-06-01T00:00:00Z", 10),
        ],
        Vec::new(),
    );
    let current = linked(&catalog, "How many orders does each customer have?");
    assert_eq!(names(&current)[0], "orders_v2");
    let old = current.tables.iter().find(|table| table.id.name == "orders").unwrap();
    let reason = old.reasons.iter().find(|reason| reason.kind == EvidenceKind::LookAlike).unwrap();
    assert!(reason.text.contains("`orders_v2`") && reason.weight < 0.0, "{reason:?}");
    let past = linked(&catalog, "How many orders of each customer are in the archive?");
    assert_eq!(names(&past)[0], "orders_archive", "the question asks for it");
}

#[test]
fn a_year_asks_for_an_archive_and_not_for_a_backup() {
    let columns = "id INTEGER, patient_id INTEGER, status TEXT";
    for (copy, expected) in [("visits_backup_2023", "visits"), ("visits_archive_2023", "visits_archive_2023")] {
        let catalog = catalog_with(
            vec![
                updated(&format!("clinic.visits: {columns}"), "2025-06-01T00:00:00Z", 900),
                updated(&format!("clinic.{copy}: {columns}"), "2025-01-01T00:00:00Z", 400),
                updated("clinic.rooms: id INTEGER, floor INTEGER", "2025-06-01T00:00:00Z", 10),
            ],
            Vec::new(),
        );
        assert_eq!(names(&linked(&catalog, "How many visits were cancelled in 2023?"))[0], expected);
    }
}

#[test]
fn the_table_with_the_earlier_rows_comes_along_unless_the_years_are_in_the_other() {
    let mut tables: Vec<Entry> = SHOP.iter().map(|line| entry_of(line)).collect();
    let archive = entry_of("shop.AUFTR: AUFNR INTEGER, KDNR INTEGER, DAT TEXT, STAT INTEGER");
    let orders = tables.iter_mut().find(|entry| entry.table.id.name == "orders").unwrap();
    let preceded = FactKind::Preceded {
        column: "placed_at".into(),
        since: "2020-01-01".into(),
        by: archive.table.id.clone(),
        by_column: "DAT".into(),
        overlaps: false,
        columns: Vec::new(),
    };
    orders.change_profile(|profile| profile.facts.push(Fact::new(preceded, 3, 3, String::new())));
    tables.push(archive);
    let catalog = catalog_with(tables, Vec::new());
    let rank = |question: &str| {
        let linked = linked(&catalog, question);
        let archive = linked.tables.iter().position(|table| table.id.name == "AUFTR").unwrap();
        (archive, linked.tables[archive].reasons.first().map(|reason| reason.text.clone()))
    };
    let (place, reason) = rank("How many orders were placed in 2018 and 2021?");
    assert_eq!((place, reason.as_deref()), (1, Some("it has the earlier rows of `orders`")));
    assert!(rank("How many orders were placed?").0 <= 3);
    assert!(rank("How many orders were placed in 2023?").0 > 3);
}

#[test]
fn stale_tables_are_ranked_down_and_kept() {
    let mut stale = entry_of("shop.invoices_a: id INTEGER, amount REAL");
    stale.change_profile(|profile| profile.stale = true);
    let catalog = catalog_with(vec![stale, entry_of("shop.invoices_b: id INTEGER, amount REAL")], Vec::new());
    let linked = linked(&catalog, "total amount of invoices");
    assert_eq!(names(&linked), ["invoices_b", "invoices_a"]);
}

#[test]
fn tables_that_cannot_be_read_are_ranked_down_and_kept() {
    let mut locked = entry_of("shop.invoices_a: id INTEGER, amount REAL");
    locked.change_profile(|profile| profile.skipped = Some("it can't be read: permission denied".into()));
    let catalog = catalog_with(vec![locked, entry_of("shop.invoices_b: id INTEGER, amount REAL")], Vec::new());
    let linked = linked(&catalog, "total amount of invoices");
    assert_eq!(names(&linked), ["invoices_b", "invoices_a"]);
    assert!(linked.tables[1].reasons.iter().any(|reason| reason.text == "the database doesn't let us read it"));
}

#[test]
fn members_of_a_family_rank_together() {
    let days: Vec<String> =
        (1..=9).map(|day| format!("web.events_2024010{day}: event_id INTEGER, page TEXT")).collect();
    let mut lines: Vec<&str> = days.iter().map(String::as_str).collect();
    lines.push("web.users: user_id INTEGER, name TEXT");
    let linked = linked(&catalog_of(&lines), "events for each page");
    assert_eq!(linked.tables.len(), 2);
    assert_eq!(linked.tables[0].id.name, "events_20240109", "the newest stands for all");
    assert_eq!(linked.tables[0].others().count(), 8);
    assert_eq!(linked.rank(&catalog::TableId::new("web", "events_20240103")), Some(0));
}

#[test]
fn the_member_that_a_question_names_stands_for_its_family() {
    let mut lines: Vec<String> =
        (10..=20).map(|year| format!("fec.indiv{year}: cmte_id TEXT, amount INTEGER, city TEXT")).collect();
    lines.push("fec.committees: cmte_id TEXT, name TEXT".to_owned());
    let catalog = catalog_of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    for (question, expected) in [("individual amounts by city in 2016", "indiv16"), ("amounts by city", "indiv20")] {
        let linked = linked(&catalog, question);
        let family = linked.tables.iter().find(|table| table.members.len() == 11).expect("the family is one entry");
        assert_eq!(family.id.name, expected, "{question}");
        assert_eq!(family.others().count(), 10);
        let context = crate::context(&catalog, &linked, 2_000).text;
        assert!(context.contains(&format!("CREATE TABLE {expected} (")), "{question}: {context}");
    }
}

#[test]
fn values_are_shown_of_the_member_that_is_asked_for() {
    let mut lines: Vec<String> =
        (2017..=2019).map(|year| format!("web.visits_{year}: page TEXT = checkout|cart, hits INTEGER")).collect();
    lines.push("web.users: user_id INTEGER, name TEXT".to_owned());
    let catalog = catalog_of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let linked = linked(&catalog, "hits of the checkout page in 2018");
    assert_eq!(linked.tables[0].id.name, "visits_2018");
    assert!(linked.values.iter().any(|hit| hit.table.name == "visits_2018" && hit.stored == "checkout"), "{linked:#?}");
}

#[test]
fn values_of_another_member_are_not_shown_of_the_one_that_is_asked_for() {
    let catalog = catalog_of(&[
        "web.visits_2017: page TEXT = home|about, hits INTEGER",
        "web.visits_2018: page TEXT = home|about, hits INTEGER",
        "web.visits_2019: page TEXT = home|checkout, hits INTEGER",
        "web.users: user_id INTEGER, name TEXT = ann",
    ]);
    let linked = linked(&catalog, "hits of the checkout page in 2018");
    assert_eq!(linked.tables[0].id.name, "visits_2018");
    assert!(linked.values.is_empty(), "{:?}", linked.values);
    let of_a_value = |reason: &&Evidence| reason.kind == EvidenceKind::Value;
    assert_eq!(linked.tables[0].reasons.iter().find(of_a_value), None);
}

#[test]
fn a_year_that_a_family_has_not_is_said() {
    let mut lines: Vec<String> =
        (2017..=2019).map(|year| format!("web.visits_{year}: page TEXT, hits INTEGER")).collect();
    lines.push("web.users: user_id INTEGER, name TEXT".to_owned());
    let linked = linked(&catalog_of(&lines.iter().map(String::as_str).collect::<Vec<_>>()), "page hits in 2022");
    assert_eq!(linked.tables[0].id.name, "visits_2019");
    assert!(
        linked.tables[0].reasons.iter().any(|reason| reason.text == "it has nothing of 2022" && reason.weight < 0.0)
    );
}

#[test]
fn a_table_that_is_called_by_its_name_comes_first() {
    let mut lines = SHOP.to_vec();
    lines.push("shop.products_23: product_id INTEGER, title TEXT, price REAL, colour TEXT");
    lines.push("shop.product_patents_23: product_id INTEGER, patent_no TEXT, expires DATE");
    for (question, expected) in
        [("what is in products_23", "products_23"), ("the `audit_log`, by customer", "audit_log")]
    {
        let linked = linked(&catalog_of(&lines), question);
        assert_eq!(names(&linked)[0], expected, "{question}: {:?}", names(&linked));
        assert!(linked.tables[0].reasons.iter().any(|reason| reason.text == "the question calls it by its name"));
    }
}

#[test]
fn no_table_is_irrelevant_while_profiles_are_missing() {
    let mut entries: Vec<Entry> = SHOP.iter().map(|line| entry_of(line)).collect();
    entries[3] = entries[3].clone().with_profile(None);
    let linked = linked(&catalog_with(entries, Vec::new()), "salaries of employees, customers of each country");
    assert_eq!(linked.irrelevant().count(), 0);
    let reasons = linked.tables.iter().flat_map(|table| &table.reasons);
    assert_eq!(reasons.filter(|reason| reason.kind == EvidenceKind::Unreadable).count(), 0);
    assert!(linked.strategy.reason().contains("without a profile: 1"), "{:?}", linked.strategy);
}

#[test]
fn reasons_say_what_stands_there_and_what_ties_tables() {
    let lines = [
        "fec.committees: cmte_id TEXT, name TEXT",
        "fec.contributions: cmte_id TEXT, amount REAL, city TEXT",
        "fec.filings: filing_no TEXT, filed_at DATE",
    ];
    let linked = linked(&catalog_of(&lines), "amount that each committee got in contributions");
    let reasons: Vec<&str> =
        linked.tables.iter().flat_map(|table| &table.reasons).map(|reason| reason.text.as_str()).collect();
    assert!(reasons.iter().any(|text| text.contains("shares `cmte_id` with `co")), "{reasons:?}");
    assert!(!reasons.iter().any(|text| text.contains("is joined to")), "{reasons:?}");
}

fn approved(question: &str, sql: &str) -> Memory {
    let content = NewMemory {
        source: "shop".into(),
        kind: MemoryKind::Approved,
        question: question.into(),
        sql: sql.into(),
        correction: None,
        author: "ann".into(),
        reach: Reach::default(),
    };
    Memory { id: MemoryId(7), content, created_at: jiff::Timestamp::UNIX_EPOCH, state: MemoryState::Active }
}

#[test]
fn approved_queries_lift_their_tables_and_undone_ones_do_not() {
    let entries = || SHOP.iter().map(|line| entry_of(line)).collect::<Vec<_>>();
    let memory = approved("Who churned last quarter?", "SELECT actor FROM audit_log WHERE action = 'cancel'");
    let question = "Who churned last quarter?";
    let approved = linked(&catalog_with(entries(), vec![memory.clone()]), question);
    assert_eq!(names(&approved)[0], "audit_log");
    assert_eq!(approved.examples[0].memory, MemoryId(7));
    let state = MemoryState::Undone { at: jiff::Timestamp::UNIX_EPOCH, by: "ann".into() };
    let undone = linked(&catalog_with(entries(), vec![Memory { state, ..memory }]), question);
    assert!(undone.examples.is_empty());
}

#[test]
fn strategies_follow_the_size_of_the_scope() {
    let few = catalog_of(&SHOP[..3]);
    assert!(matches!(linked(&few, "orders").strategy, Strategy::Full { .. }));
    let many = catalog_of(SHOP);
    assert!(matches!(linked(&many, "orders").strategy, Strategy::Focused { .. }));
    let roomy = LinkOptions { token_budget: 5_000, ..LinkOptions::default() };
    let whole = linked_with(&many, "orders", &roomy);
    assert!(whole.strategy.reason().contains("5000 tokens"), "{:?}", whole.strategy);
    assert_eq!((names(&whole)[0], whole.irrelevant().count()), ("orders", 0));
    assert_eq!(linked(&few, "orders").irrelevant().count(), 0);
    let nothing = linked(&many, "xyzzy?");
    assert!(matches!(nothing.strategy, Strategy::Full { .. }) && nothing.irrelevant().count() == 0);
    assert_eq!(nothing.unmatched_terms, ["xyzzy"]);
    let hardly = linked(&many, "orders xyzzy plugh frobozz quux");
    assert!(matches!(hardly.strategy, Strategy::Full { .. }) && hardly.irrelevant().count() == 0);
    assert!(hardly.tables[0].score < linked(&many, "orders").tables[0].score / 2.0, "{}", hardly.tables[0].score);
}

#[test]
fn questions_in_other_languages_find_tables_and_values_with_english_names() {
    for (question, language, best, value) in [
        ("Wie viele Bestellungen wurden storniert?", "German", "orders", "cancelled"),
        ("¿Cuántos clientes tenemos en Alemania?", "Spanish", "customers", "DE"),
        ("Combien de commandes ont été payées ?", "French", "orders", "paid"),
        ("Quantos produtos são azuis?", "Portuguese", "products", "blue"),
        ("有多少客户在德国", "Chinese", "customers", "DE"),
        ("オスロの倉庫", "Japanese", "warehouses", ""),
    ] {
        let linked = linked(&catalog_of(SHOP), question);
        assert_eq!((linked.language, names(&linked)[0]), (Some(language), best), "{question}: {:?}", names(&linked));
        let stored = linked.values.first().map_or("", |hit| hit.stored.as_str());
        assert_eq!(stored, value, "{question}");
        assert!(!linked.fit.is_elsewhere(), "{question}: {:?}", linked.fit);
    }
    assert_eq!(linked(&catalog_of(SHOP), "How many customers are in Germany?").language, None);
}

#[test]
fn a_question_about_something_else_is_told_from_one_that_the_catalog_answers() {
    let catalog = catalog_of(SHOP);
    for question in ["How do I bake bread?", "Tell me a joke about penguins", "Wie backe ich ein Brot mit Sauerteig?"] {
        let linked = linked(&catalog, question);
        assert!(linked.fit.is_elsewhere(), "{question}: {:?}", linked.fit);
        assert_eq!(linked.irrelevant().count(), 0, "{question}");
    }
    for question in ["orders", "Who are our best buyers by salary?", "red products", "", "show me all of them"] {
        let linked = linked(&catalog, question);
        assert!(!linked.fit.is_elsewhere(), "{question}: {:?}", linked.fit);
    }
}

#[test]
fn the_map_names_what_each_area_turns_on() {
    let catalog = catalog_of(SHOP);
    let index = Index::build(&catalog, &WordEmbedder).unwrap();
    let linker = Linker::new(&catalog, &index, &WordEmbedder);
    let areas = linker.areas(Some("shop"));
    let named: Vec<Vec<&str>> =
        areas.iter().map(|area| area.tables.iter().map(|id| id.name.as_str()).collect()).collect();
    assert!(named.iter().any(|names| names.contains(&"orders") && names.contains(&"order_items")), "{named:?}");
    assert!(named.iter().all(|names| !names.contains(&"currencies")), "it belongs to nothing: {named:?}");
    assert!(linker.areas(Some("elsewhere")).is_empty());
}

#[test]
fn tables_that_came_after_the_index_are_not_lost() {
    let index = Index::build(&catalog_of(&SHOP[..4]), &WordEmbedder).unwrap();
    let now = catalog_of(SHOP);
    let linked = Linker::new(&now, &index, &WordEmbedder).link("orders", &LinkOptions::default());
    assert_eq!(linked.tables.len(), SHOP.len());
    let late = linked.tables.iter().find(|table| table.id.name == "suppliers").unwrap();
    assert!(late.is_relevant() && late.reasons[0].kind == EvidenceKind::NotIndexed);
}

#[test]
fn the_same_question_always_has_the_same_answer_and_signals_can_be_switched_off() {
    let catalog = catalog_of(SHOP);
    let question = "paid orders of customers in Germany";
    assert_eq!(linked(&catalog, question), linked(&catalog, question));
    let signals = Signals { values: Signal::Off, ..Signals::default() };
    let without = linked_with(&catalog, question, &LinkOptions { signals, ..LinkOptions::default() });
    assert!(without.values.is_empty() && !linked(&catalog, question).values.is_empty());
}

#[test]
fn an_empty_catalog_and_an_empty_question_are_answered() {
    let empty = linked(&catalog_of(&[]), "orders");
    assert!(empty.tables.is_empty());
    assert_eq!(linked(&catalog_of(SHOP), "").tables.len(), SHOP.len());
}

/// What query logs tell of tables of the shop: how many statements read each, and what is computed from it under a name.
fn used(reads: &[(&str, u32)], computed: Option<(&str, &str)>) -> Catalog {
    let usage = |(name, statements): &(&str, u32)| {
        let table = TableId::new("shop", *name);
        let reads = Traffic { runs: u64::from(*statements), statements: *statements, users: 4, last: None };
        let measures = computed.filter(|(of, _)| of == name).map(|(_, called)| UsualMeasure {
            name: called.to_owned(),
            expression: "sum(quantity)".to_owned(),
            columns: vec![UsedColumn { table: table.clone(), column: "quantity".to_owned() }],
            share: Share { statements: 9, of_statements: 10, users: 4, of_users: 4 },
        });
        TableUsage { reads, measures: measures.into_iter().collect(), ..TableUsage::none(&table) }
    };
    let tables = reads.iter().map(usage).collect();
    catalog_of(SHOP).with_usage(vec![("shop".to_owned(), Usage { tables, ..Usage::default() })])
}

fn reasons_of_usage(linked: &Linked, name: &str) -> Vec<(String, bool)> {
    let table = linked.tables.iter().find(|table| table.id.name == name).unwrap();
    let of_usage = table.reasons.iter().filter(|reason| reason.kind == EvidenceKind::Usage);
    of_usage.map(|reason| (reason.text.clone(), reason.weight > 0.0)).collect()
}

#[test]
fn what_nobody_reads_ranks_lower() {
    let reads = [("customers", 160), ("orders", 40), ("products", 20), ("employees", 10)];
    let linked = linked(&used(&reads, None), "names of customers and suppliers");
    assert_eq!(reasons_of_usage(&linked, "suppliers"), [("no statement of the query logs reads it".to_owned(), false)]);
    assert!(reasons_of_usage(&linked, "customers").is_empty());
    // A few statements say nothing of what they don't read.
    let few = linked_with(&used(&[("customers", 12)], None), "names of suppliers", &LinkOptions::default());
    assert!(few.tables.iter().all(|table| table.reasons.iter().all(|it| it.kind != EvidenceKind::Usage)));
}

#[test]
fn a_name_that_people_give_to_what_they_compute_leads_to_its_table() {
    let question = "What was our volume last week?";
    let catalog = used(&[("orders", 100), ("order_items", 120)], Some(("order_items", "volume")));
    let linked = linked(&catalog, question);
    assert_eq!(names(&linked)[0], "order_items");
    let reasons = reasons_of_usage(&linked, "order_items");
    assert_eq!(reasons[0], ("people compute `volume` from it, in 9 statements".to_owned(), true));
    let options = LinkOptions {
        signals: Signals { usage: Signal::Off, ..Signals::default() },
        token_budget: 50,
        ..LinkOptions::default()
    };
    assert!(reasons_of_usage(&linked_with(&catalog, question, &options), "order_items").is_empty());
    // What is called like a table counts its rows, wherever they are counted.
    let catalog = used(&[("orders", 100), ("order_items", 120)], Some(("order_items", "orders")));
    assert!(reasons_of_usage(&linked_with(&catalog, "How many orders?", &options), "order_items").is_empty());
}
