//! Tables of `specs/structure.txt`: the names alone say what is personal.

use catalog::{Column, Table, TableId};
use privacy::Sensitivity;

pub(crate) fn column(name: &str, data_type: &str) -> Column {
    Column::new(name, data_type)
}

pub(crate) fn table(name: &str, columns: Vec<Column>) -> Table {
    Table { columns, ..Table::new(TableId::new("s", name)) }
}

#[test]
fn names_tell_what_is_personal_and_nothing_else() {
    let (mut personal, mut missed, mut harmless, mut wrong) = (0, Vec::new(), 0, Vec::new());
    for line in include_str!("../specs/structure.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some((name, columns)) = line.split_once(": ") else { continue };
        let expected: Vec<bool> = columns.split(' ').map(|column| column.ends_with('*')).collect();
        let columns = columns.split(' ').map(|written| {
            let written = written.trim_end_matches('*');
            let (name, data_type) = written.split_once(':').unwrap_or((written, "varchar(80)"));
            column(name, data_type)
        });
        let table = table(name.rsplit('.').next().unwrap_or(name), columns.collect());
        let found = Sensitivity::standard().by_structure(&table);
        for ((column, expected), found) in table.columns.iter().zip(expected).zip(found) {
            let about = format!("{name}.{}: {}", column.name, found.as_ref().map_or("", |found| &found.reason));
            personal += usize::from(expected);
            harmless += usize::from(!expected);
            match (expected, found) {
                (true, None) => missed.push(about),
                (false, Some(_)) => wrong.push(about),
                _ => {}
            }
        }
    }
    assert!(
        missed.is_empty() && wrong.is_empty(),
        "{} of {personal} missed, {} of {harmless} wrong\nmissed: {missed:#?}\nwrong: {wrong:#?}",
        missed.len(),
        wrong.len()
    );
}

#[test]
fn fields_of_a_type_tell_what_the_column_is_called_otherwise() {
    for (data_type, expected) in [
        ("employees (employee_id integer, salary numeric(10,2), \"full name\" text)", true),
        ("pay[] (salary integer, cur text)", true),
        ("holder employees (id integer, inner pay) pay (salary integer, cur text)", true),
        ("STRUCT(salary INTEGER, cur VARCHAR)", true),
        ("STRUCT(a STRUCT(ssn VARCHAR))[]", true),
        ("MAP(VARCHAR, STRUCT(salary INTEGER))", true),
        ("Array(Tuple(salary Int32, cur String))", true),
        ("Tuple(width Int32, height Int32)", false),
        ("STRUCT(name VARCHAR, weight DECIMAL(10, 2))", false),
        ("numeric(10,2)", false),
        ("Enum8('salary' = 1, 'ssn, email' = 2)", false),
        ("DateTime64(3, 'UTC')", false),
    ] {
        let found = Sensitivity::standard().by_structure(&table("things", vec![column("p", data_type)]));
        assert_eq!(found[0].is_some(), expected, "{data_type}: {found:?}");
    }
}

#[test]
fn which_step_of_pay_somebody_has_is_pay() {
    let refers = |to: &str| catalog::ForeignKey {
        columns: vec!["step_id".to_owned()],
        ref_table: TableId::new("s", to),
        ref_columns: vec!["id".to_owned()],
        origin: catalog::KeyOrigin::Declared,
    };
    for (of, to, expected) in
        [("employees", "salary_bands", true), ("employees", "departments", false), ("machines", "speed_bands", false)]
    {
        let mut table = table(of, vec![column("id", "integer"), column("step_id", "integer")]);
        table.foreign_keys = vec![refers(to)];
        let found = Sensitivity::standard().by_structure(&table);
        assert_eq!(found[1].is_some(), expected, "{of} {to}: {found:?}");
    }
}

#[test]
fn rows_are_about_a_patient_and_not_about_who_wrote_them() {
    for (column_name, to, expected) in
        [("patient_ref", "patients", true), ("clerk", "staff", false), ("approved_by", "employees", false)]
    {
        let key = catalog::ForeignKey {
            columns: vec![column_name.to_owned()],
            ref_table: TableId::new("s", to),
            ref_columns: vec!["id".to_owned()],
            origin: catalog::KeyOrigin::Declared,
        };
        let columns = vec![column("id", "integer"), column(column_name, "integer"), column("weight_kg", "real")];
        let table = Table { foreign_keys: vec![key], ..table("measured", columns) };
        let found = Sensitivity::standard().by_structure(&table);
        assert_eq!(found[2].is_some(), expected, "{column_name}: {found:?}");
    }
}

#[test]
fn what_is_configured_of_a_partition_holds_of_the_whole() {
    let whole = Table {
        partitions: vec![TableId::new("s", "sales_2024")],
        ..table("sales", vec![column("id", "integer"), column("amount", "integer")])
    };
    let denied = |what, pattern: &str| privacy::Denied { source: None, what, pattern: pattern.to_owned() };
    for (deny, expected) in [
        (denied(privacy::DeniedWhat::Tables, "sales_2024"), [true, true]),
        (denied(privacy::DeniedWhat::Columns, "sales_2024.amount"), [false, true]),
        (denied(privacy::DeniedWhat::Tables, "sales_2023"), [false, false]),
    ] {
        let sensitivity = Sensitivity { deny: vec![deny.clone()], ..Sensitivity::standard() };
        let found = sensitivity.by_structure(&whole);
        assert_eq!([found[0].is_some(), found[1].is_some()], expected, "{deny:?}");
        assert_eq!(sensitivity.unmatched([&whole].into_iter()).is_empty(), expected[1], "{deny:?}");
    }
}

#[test]
fn comments_tell_what_names_hide() {
    for (comment, expected) in [
        ("E-Mail-Adresse des Kunden", true),
        ("Telefonnummer", true),
        ("date of birth", true),
        ("Fecha de nacimiento del cliente", true),
        ("numéro de téléphone", true),
        ("Name of the patient", true),
        ("home address of the employee", true),
        ("Monatsgehalt in EUR", true),
        ("Дата рождения", true),
        ("type of phone", false),
        ("whether the e-mail address was verified", false),
        ("name of the product", false),
        ("number of e-mails sent", false),
        ("id of the address", false),
        ("IP address of the server", false),
        ("address of the store", false),
        ("how often the job ran", false),
    ] {
        let mut column = column("c17", "varchar(80)");
        column.comment = Some(comment.into());
        let found = Sensitivity::standard().by_structure(&table("t0815", vec![column]));
        assert_eq!(found[0].is_some(), expected, "{comment}: {found:?}");
    }
}

#[test]
fn a_text_that_refers_is_a_key_unless_it_may_be_an_address() {
    let refers = |column: &str| catalog::ForeignKey {
        columns: vec![column.to_owned()],
        ref_table: TableId::new("s", "emails"),
        ref_columns: vec!["id".to_owned()],
        origin: catalog::KeyOrigin::Declared,
    };
    let columns = vec![column("automated_email_id", "varchar(24)"), column("user_email", "varchar(80)")];
    let table =
        Table { foreign_keys: vec![refers("automated_email_id"), refers("user_email")], ..table("runs", columns) };
    let found = Sensitivity::standard().by_structure(&table);
    assert!(found[0].is_none() && found[1].is_some(), "{found:?}");
}

#[test]
fn a_reference_is_as_personal_as_its_name_unless_that_is_of_a_row() {
    for (written, refers_to, expected) in [
        ("ssn:integer", "listed", true),
        ("salary:numeric", "listed", true),
        ("phone:bigint", "listed", true),
        ("birth_year:integer", "listed", true),
        ("religion:integer", "listed", true),
        ("religion_id:integer", "listed", true),
        ("national_id:integer", "listed", true),
        ("latitude:numeric", "listed", true),
        ("main_diag:integer", "diagnoses", true),
        ("disease_id:integer", "diseases", true),
        ("admitted_for:varchar(8)", "diagnoses", true),
        ("tax_id:integer", "taxes", false),
        ("salary_id:integer", "listed", false),
        ("phone_id:integer", "listed", false),
        ("address:integer", "listed", false),
        ("department_id:integer", "listed", false),
    ] {
        let (name, data_type) = written.split_once(':').unwrap_or((written, "integer"));
        let key = catalog::ForeignKey {
            columns: vec![name.to_owned()],
            ref_table: TableId::new("s", refers_to),
            ref_columns: vec!["id".to_owned()],
            origin: catalog::KeyOrigin::Declared,
        };
        let columns = vec![column("id", "integer"), column("full_name", "text"), column(name, data_type)];
        let table = Table { foreign_keys: vec![key], ..table("patients", columns) };
        let found = Sensitivity::standard().by_structure(&table);
        assert_eq!(found[2].is_some(), expected, "{written}: {found:?}");
    }
}
