use index::{Index, UnitNumber};

use super::{RerankingInput, probability, reranking_features};
use crate::features::RerankingFeatures;
use crate::graph::JoinGraph;
use crate::relations::Relations;
use crate::testing::{WordEmbedder, catalog_of};

/// What reranking measures of each table, given first-stage odds by name; the others have odds of -5.
fn measured(tables: &[&str], odds: &[(&str, f32)]) -> impl Fn(&str) -> RerankingFeatures + use<> {
    let catalog = catalog_of(tables);
    let index = Index::build(&catalog, &WordEmbedder).expect("an index");
    let positions = index.units().iter().map(|unit| catalog.position(&unit.table)).collect();
    let relations = Relations::new(&catalog, &index, &JoinGraph::new(&catalog), &positions);
    let names: Vec<String> = index.units().iter().map(|unit| unit.table.name.clone()).collect();
    let of = |name: &String| odds.iter().find(|(known, _)| known == name).map_or(-5.0, |(_, odds)| *odds);
    let odds: Vec<f32> = names.iter().map(of).collect();
    let units: Vec<UnitNumber> = (0..names.len()).map(UnitNumber).collect();
    let input = RerankingInput {
        units: &units,
        odds: &odds,
        explained: &|_, _| 0.0,
        weights: &[],
        places: &|_| [0, 0, 0],
        asked_column: &|_, _| 0.5,
    };
    let rows: Vec<RerankingFeatures> = reranking_features(&input, &relations);
    move |table| rows[names.iter().position(|name| name == table).expect("a table of that name")]
}

const CHAIN: &[&str] = &[
    "s.pupil: pupil_id INTEGER, name TEXT",
    "s.course: course_id INTEGER, title TEXT",
    "s.takes: pupil_id INTEGER, course_id INTEGER; pupil_id -> pupil.pupil_id, course_id -> course.course_id",
    "s.locker: locker_id INTEGER, pupil_id INTEGER; pupil_id -> pupil.pupil_id",
    "s.menu: dish TEXT, price REAL",
];

#[test]
fn the_table_between_two_likely_ones_is_seen() {
    let of = measured(CHAIN, &[("pupil", 2.0), ("course", 2.0)]);
    let (bridge, beside) = (of("takes").between_keyed, of("locker").between_keyed);
    assert!(bridge > 0.8 && beside < 0.1, "{bridge} {beside}");
    assert!(of("takes").between_likely > 0.0);
    assert_eq!(of("menu").between_likely, 0.0);
    assert!(of("takes").walk_from_likely > of("menu").walk_from_likely);
}

#[test]
fn steps_are_counted_from_the_best() {
    let of = measured(CHAIN, &[("locker", 3.0)]);
    let steps = ["locker", "pupil", "takes", "menu"].map(|table| of(table).steps_to_best);
    assert_eq!(&steps[..2], [0.0, 1.0]);
    assert!(steps[2] <= 2.0 && steps[3] == 5.0, "{steps:?}");
}

#[test]
fn a_likelier_table_with_the_same_columns_is_seen() {
    let columns = "visit_no INTEGER, patient TEXT, ward TEXT, arrived DATE";
    let tables = [format!("s.visit: {columns}"), format!("s.visit_old: {columns}")];
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    let of = measured(&tables, &[("visit", 1.0), ("visit_old", 0.0)]);
    assert!((of("visit_old").best_look_alike - probability(1.0)).abs() < 1e-6);
    assert!(of("visit_old").probability_above_look_alike < 0.0);
    assert!(of("visit").probability_above_look_alike > 0.0);
}

#[test]
fn what_likely_tables_refer_to_is_seen_however_many_refer_to_it() {
    let parts: Vec<String> = (0..100)
        .map(|number| format!("s.part{number}: id INTEGER, note{number} TEXT, party INTEGER; party -> party.id"))
        .chain(["s.party: id INTEGER, title TEXT".to_owned(), "s.menu: dish TEXT".to_owned()])
        .collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let of = measured(&parts, &[("part77", 2.0)]);
    let likely = probability(2.0);
    assert!((of("party").best_referring - likely).abs() < 1e-6);
    assert!((of("party").best_referring_of_best - 1.0).abs() < 1e-6);
    assert!((of("party").referring_column_words - likely / 2.0).abs() < 1e-6);
    assert!(of("party").second_referring < 0.01);
    assert_eq!(of("menu").best_referring, 0.0);
    assert!(of("part77").best_referred > of("menu").best_referred);
}
