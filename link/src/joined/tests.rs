use index::Index;

use super::{JOINED_NAMES, Joined, Looked, joined_of, probability};
use crate::graph::JoinGraph;
use crate::relations::Relations;
use crate::shelf::{WordEmbedder, catalog_of};

/// What the second look measures of each table, given the first odds by name; the others have odds of -5.
fn measured(tables: &[&str], odds: &[(&str, f32)]) -> impl Fn(&str, &str) -> f32 + use<> {
    let catalog = catalog_of(tables);
    let index = Index::build(&catalog, &WordEmbedder).expect("an index");
    let positions: Vec<Option<usize>> = index.units().iter().map(|unit| catalog.position(&unit.table)).collect();
    let relations = Relations::new(&catalog, &index, &JoinGraph::new(&catalog), &positions);
    let names: Vec<String> = index.units().iter().map(|unit| unit.table.name.clone()).collect();
    let of = |name: &String| odds.iter().find(|(known, _)| known == name).map_or(-5.0, |(_, odds)| *odds);
    let odds: Vec<f32> = names.iter().map(of).collect();
    let units: Vec<usize> = (0..names.len()).collect();
    let looked = Looked { units: &units, odds: &odds, explained: &|_, _| 0.0, weights: &[], places: &|_| [0, 0, 0] };
    let rows: Vec<Joined> = joined_of(&looked, &relations);
    move |table, number| {
        let row = names.iter().position(|name| name == table).expect("a table of that name");
        rows[row][JOINED_NAMES.iter().position(|name| *name == number).expect("a number of that name")]
    }
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
    let (bridge, beside) = (of("takes", "between two joined by keys"), of("locker", "between two joined by keys"));
    assert!(bridge > 0.8 && beside < 0.1, "{bridge} {beside}");
    assert!(of("takes", "on the way between likely ones") > 0.0);
    assert_eq!(of("menu", "on the way between likely ones"), 0.0);
    assert!(of("takes", "reached from the likely ones") > of("menu", "reached from the likely ones"));
}

#[test]
fn steps_are_counted_from_the_best() {
    let of = measured(CHAIN, &[("locker", 3.0)]);
    let steps = ["locker", "pupil", "takes", "menu"].map(|table| of(table, "steps to the best"));
    assert_eq!(&steps[..2], [0.0, 1.0]);
    assert!(steps[2] <= 2.0 && steps[3] == 5.0, "{steps:?}");
}

#[test]
fn a_likelier_table_with_the_same_columns_is_seen() {
    let columns = "visit_no INTEGER, patient TEXT, ward TEXT, arrived DATE";
    let tables = [format!("s.visit: {columns}"), format!("s.visit_old: {columns}")];
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    let of = measured(&tables, &[("visit", 1.0), ("visit_old", 0.0)]);
    assert!((of("visit_old", "best of those that look alike") - probability(1.0)).abs() < 1e-6);
    assert!(of("visit_old", "below the best that looks alike") < 0.0);
    assert!(of("visit", "below the best that looks alike") > 0.0);
}
