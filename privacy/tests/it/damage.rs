//! Whatever a table is called and holds, it is judged without a panic, and the same way twice.

use privacy::{Seen, Sensitivity};
use proptest::prelude::*;

use crate::structure::{column, table};

proptest! {
    #[test]
    fn any_names_and_values_are_judged(
        names in prop::collection::vec("\\PC{0,30}|[a-zA-Z_0-9äöüßñéØЖω]{0,40}", 1..12),
        values in prop::collection::vec("\\PC{0,40}|[0-9A-Za-z@.:/ +(){}-]{0,40}", 0..20),
    ) {
        let columns = names.iter().map(|name| {
            let mut column = column(name, "text");
            column.comment = Some(name.clone());
            column
        });
        let table = table(&names[0], columns.collect());
        let sensitivity = Sensitivity::standard();
        let found = sensitivity.by_structure(&table);
        prop_assert_eq!(&found, &sensitivity.by_structure(&table));
        prop_assert_eq!(found.len(), table.columns.len());
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let seen = |column| Seen { column, values: values.clone(), different: 0.9 };
        let seen: Vec<Seen<'_>> = table.columns.iter().map(seen).collect();
        let found = sensitivity.by_values(&table, &seen);
        prop_assert_eq!(&found, &sensitivity.by_values(&table, &seen));
        prop_assert_eq!(found.len(), table.columns.len());
        for found in found.into_iter().flatten() {
            prop_assert!((0.0..=1.0).contains(&found.confidence));
        }
    }
}
