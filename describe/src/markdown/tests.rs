//! Pages written, edited and read back.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::{Catalog, ColumnProfile, Entry, KnownValues, Overrides, Store, Table, TableId};
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};

use super::page::{Page, ROWS_SAY};
use super::{Drift, LIST_FILE, check, read_back, reading, write};
use crate::testing::{catalog, profiled, source, table};

struct Folder {
    _holder: tempfile::TempDir,
    docs: PathBuf,
    store: Store,
}

fn store_at(path: &Path) -> Store {
    Store::open(path, Arc::new(catalog::NoMaskRules)).unwrap()
}

impl Folder {
    fn new(tables: &[Table]) -> Self {
        let holder = tempfile::tempdir().unwrap();
        let docs = holder.path().join("docs");
        let store = store_at(&holder.path().join("catalog.db"));
        store.put_source(&source()).unwrap();
        store.put_structure("s", tables).unwrap();
        Self { _holder: holder, docs, store }
    }

    fn catalog(&self) -> Catalog {
        self.store.catalog().unwrap()
    }

    fn write(&self) -> super::Written {
        write(&self.catalog(), "s", &self.docs).unwrap()
    }

    fn read(&self) -> super::Report {
        read_back(&self.store, &self.docs).unwrap()
    }

    fn page(&self, file: &str) -> String {
        fs::read_to_string(self.docs.join(file)).unwrap()
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let page = self.page(file);
        assert!(page.contains(from), "{from:?} is not in\n{page}");
        fs::write(self.docs.join(file), page.replacen(from, to, 1)).unwrap();
    }

    fn overrides(&self, name: &str) -> BTreeMap<String, String> {
        self.catalog().entry(&TableId::new("s", name)).unwrap().overrides.0.clone()
    }
}

fn orders() -> Table {
    table("orders", &[("id", "INTEGER"), ("status", "TEXT"), ("customer_id", "INTEGER")], &["id"], &[])
}

fn changed(table: &Table) -> Table {
    let mut changed = table.clone();
    changed.comment = Some("Now with a comment".into());
    changed
}

const PURPOSE: &str = "## Purpose\n\nOne row for each order";

#[test]
fn writing_twice_touches_nothing_and_reading_back_changes_nothing() {
    let folder = Folder::new(&[orders()]);
    assert_eq!(folder.write().written.len(), 3, "the page, the list, the glossary");
    let again = folder.write();
    assert_eq!((again.written.len(), again.unchanged), (0, 3));
    let report = folder.read();
    assert_eq!((report.pages, report.changed.len(), report.problems.len()), (1, 0, 0), "{report:?}");
    assert_eq!(check(&folder.catalog(), "s", &folder.docs).unwrap(), []);
}

#[test]
fn an_edit_wins_and_survives_every_regeneration() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    let purpose = folder.page("orders.md");
    let start = purpose.find("## Purpose").unwrap();
    let end = purpose.find("\n## Business").unwrap();
    folder.edit(
        "orders.md",
        &purpose[start..end],
        "## Purpose\n\nOurs: a | b,  *two* spaces.\n\n#### Deep\n\n    code\n",
    );
    folder.edit(
        "orders.md",
        "- **Domain:** not known\n- **Nullable:** yes\n",
        "- **Domain:**\n  - a\n  - b\n- **Nullable:** yes\n",
    );
    assert_eq!(folder.read().changed.len(), 1);
    let kept = folder.overrides("orders");
    assert_eq!(kept["purpose"], "Ours: a | b,  *two* spaces.\n\n#### Deep\n\n    code");
    assert_eq!(kept["columns.id.domain"], "\n  - a\n  - b");
    folder.write();
    folder.store.put_structure("s", &[changed(&orders())]).unwrap();
    folder.write();
    let page = folder.page("orders.md");
    assert!(page.contains("## Purpose\n\nOurs: a | b,  *two* spaces.\n\n#### Deep\n\n    code\n"), "{page}");
    assert!(page.contains("- **Domain:**\n  - a\n  - b\n- **Nullable:**"), "{page}");
    assert_eq!(folder.read().changed, []);
    assert_eq!(folder.overrides("orders"), kept);
}

#[test]
fn text_that_is_only_out_of_date_is_no_edit() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    folder.store.put_structure("s", &[changed(&orders())]).unwrap();
    assert_eq!(folder.read().changed, []);
    assert!(matches!(
        check(&folder.catalog(), "s", &folder.docs).unwrap().as_slice(),
        [Drift::Outdated { .. }, Drift::Outdated { .. }]
    ));
    assert_eq!(folder.write().written.len(), 2);
}

#[test]
fn a_section_put_back_or_deleted_loses_its_override() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    let original = folder.page("orders.md");
    folder.edit("orders.md", PURPOSE, "## Purpose\n\nMine. One row for each order");
    folder.edit("orders.md", "- **Description:** Status", "- **Description:** Mine. Status");
    folder.read();
    assert_eq!(folder.overrides("orders").len(), 2);
    folder.write();
    folder.edit("orders.md", "Mine. ", "");
    let page = folder.page("orders.md");
    let line = page.lines().find(|line| line.contains("Mine. Status")).unwrap();
    folder.edit("orders.md", &format!("{line}\n"), "");
    folder.read();
    assert_eq!(folder.overrides("orders"), BTreeMap::new());
    folder.write();
    assert_eq!(folder.page("orders.md"), original);
}

#[test]
fn an_edit_made_elsewhere_is_not_undone_by_an_old_page() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    let elsewhere = Overrides(BTreeMap::from([("notes".to_owned(), "From the web page.".to_owned())]));
    folder.store.put_overrides(&TableId::new("s", "orders"), &elsewhere).unwrap();
    folder.edit("orders.md", PURPOSE, "## Purpose\n\nMine. One row for each order");
    folder.read();
    let kept = folder.overrides("orders");
    assert_eq!(kept["notes"], "From the web page.");
    assert!(kept["purpose"].starts_with("Mine."));
}

#[test]
fn sections_and_front_matter_that_people_add_are_kept() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    let page = folder.page("orders.md");
    let page =
        format!("---\nowner: sales\n---\n{page}").replace("\n## Notes\n", "\n## Ownership\n\nSales.\n\n## Notes\n");
    fs::write(folder.docs.join("orders.md"), page).unwrap();
    folder.read();
    assert_eq!(folder.overrides("orders")["sections.Ownership"], "Sales.");
    folder.write();
    let page = folder.page("orders.md");
    assert!(page.starts_with("---\nowner: sales\n---\n\n<!-- periplus {"), "{page}");
    assert!(page.contains("\n## Ownership\n\nSales.\n"), "{page}");
    assert_eq!(folder.read().changed, []);
    folder.edit("orders.md", "\n## Ownership\n\nSales.\n", "");
    folder.read();
    assert!(!folder.overrides("orders").contains_key("sections.Ownership"));
}

#[test]
fn a_malformed_page_is_reported_and_the_others_go_on() {
    for (from, to, reason) in [
        ("## Notes", "## Purpose", "stands here twice"),
        ("### status", "### stauts", "no column `stauts`"),
        ("### status", "### id", "the column `id` stands here twice"),
        ("- **Type:** `TEXT`", "- **Type:** `BLOB`", "comes from the database"),
        ("## Examples\n", "## Examples\n\n```sql\nSELECT 1\n", "never closed"),
        ("# Table: orders", "# orders", "no title"),
        ("### status\n", "### status\n\nProse.\n", "before its first field"),
        ("\"format\":2", "\"format\":3", "newer version"),
        ("\"table\":\"orders\"", "\"table\":\"odres\"", "no table `s.odres`"),
        ("## Columns", "## What the Rows Say\n\nNot to be summed.\n\n## Columns", "none of the table's facts"),
    ] {
        let folder = Folder::new(&[orders(), table("other", &[("x", "TEXT")], &[], &[])]);
        folder.write();
        folder.edit("orders.md", from, to);
        folder.edit("other.md", "- **Description:** `x`", "- **Description:** Mine");
        let report = folder.read();
        assert_eq!(report.changed, [TableId::new("s", "other")], "{to}");
        assert_eq!(report.problems.len(), 1, "{to}: {report:?}");
        let problem = &report.problems[0];
        assert!(problem.reason.contains(reason), "{problem:?}");
        assert_eq!(problem.file.file_name().unwrap(), "orders.md");
        assert!(problem.line >= 1 && problem.line <= folder.page("orders.md").lines().count());
        let damaged = folder.page("orders.md");
        let written = folder.write();
        assert_eq!(written.kept, [], "{to}");
        assert_eq!(folder.read().problems, [], "{to}");
        match written.aside.as_slice() {
            [] => assert!(["## Purpose", "### id"].contains(&to), "{to}: a line of it isn't ours"),
            [aside] => assert_eq!(fs::read_to_string(&aside.kept_as).unwrap(), damaged, "{to}"),
            several => panic!("{several:?}"),
        }
        assert_eq!(folder.write().aside, [], "{to}");
    }
}

#[test]
fn a_page_cut_short_is_written_anew_and_one_with_other_text_is_kept_beside() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    let whole = folder.page("orders.md");
    let cut = whole.find("```sql").unwrap() + "```sql".len();
    fs::write(folder.docs.join("orders.md"), &whole[..cut]).unwrap();
    let written = folder.write();
    assert_eq!((written.aside.len(), folder.page("orders.md")), (0, whole.clone()));
    for number in ["kept", "kept-2"] {
        let damaged = format!("{}\nAsk Ada first.\n", &whole[..cut]);
        fs::write(folder.docs.join("orders.md"), &damaged).unwrap();
        let aside = folder.write().aside;
        assert_eq!(aside[0].file, folder.docs.join("orders.md"));
        assert_eq!(aside[0].kept_as, folder.docs.join(format!("orders.md.{number}")));
        assert!(aside[0].reason.contains("never closed"), "{aside:?}");
        assert_eq!(fs::read_to_string(&aside[0].kept_as).unwrap(), damaged);
        assert_eq!(folder.page("orders.md"), whole);
    }
    assert_eq!((folder.read().pages, check(&folder.catalog(), "s", &folder.docs).unwrap().len()), (1, 0));
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let folder = Folder::new(&[orders()]);
    let error = read_back(&folder.store, &folder.docs).unwrap_err();
    assert_eq!(error.code(), "docs_folder");
    assert!(error.hints()[0].contains("docs write"));
}

#[test]
fn people_s_text_about_a_table_that_is_gone_is_kept_aside() {
    let gone = ["edited", "read", "broken", "untouched", "titled"];
    let tables: Vec<Table> = gone.iter().map(|name| table(name, &[("x", "TEXT")], &[], &[])).collect();
    let folder = Folder::new(&[tables.as_slice(), &[orders()]].concat());
    folder.write();
    folder.edit("read.md", "- **Description:** `x`", "- **Description:** Mine");
    folder.read();
    folder.write();
    folder.edit("edited.md", "- **Description:** `x`", "- **Description:** Mine");
    folder.edit("broken.md", "## Notes", "## Purpose");
    fs::write(folder.docs.join("titled.md"), "# Table: titled\n\nBy hand.\n").unwrap();
    fs::create_dir(folder.docs.join("other")).unwrap();
    fs::copy(folder.docs.join("untouched.md"), folder.docs.join("other/x.md")).unwrap();
    let foreign = folder.page("untouched.md").replace("\"source\":\"s\"", "\"source\":\"foreign\"");
    fs::write(folder.docs.join("other/y.md"), foreign).unwrap();
    folder.store.put_structure("s", &[orders()]).unwrap();
    assert_eq!(folder.read().problems.len(), 7);
    let written = folder.write();
    let names = |paths: Vec<&PathBuf>| -> Vec<String> {
        paths.into_iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(written.removed.iter().collect()), ["untouched.md", "x.md"]);
    assert_eq!(
        names(written.aside.iter().map(|aside| &aside.kept_as).collect()),
        ["broken.md.kept", "edited.md.kept", "read.md.kept", "titled.md.kept"]
    );
    assert!(fs::read_to_string(folder.docs.join("edited.md.kept")).unwrap().contains("Mine"));
    assert_eq!(folder.read().problems.len(), 1, "a page of another catalog's source is left alone");
    assert!(folder.docs.join("other/y.md").exists());
    assert_eq!(check(&folder.catalog(), "s", &folder.docs).unwrap(), []);
}

#[test]
fn the_line_of_a_problem_is_the_line_of_the_fault() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    folder.edit("orders.md", "### status", "### stauts");
    let line = folder.page("orders.md").lines().position(|line| line == "### stauts").unwrap() + 1;
    assert_eq!(folder.read().problems[0].line, line);
}

#[test]
fn an_edit_that_was_not_read_back_is_not_overwritten() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    folder.edit("orders.md", PURPOSE, "## Purpose\n\nMine. One row for each order");
    folder.store.put_structure("s", &[changed(&orders())]).unwrap();
    let written = folder.write();
    assert_eq!(written.kept.len(), 1);
    assert!(folder.page("orders.md").contains("Mine."));
    assert!(
        check(&folder.catalog(), "s", &folder.docs).unwrap().contains(&Drift::Edited(folder.docs.join("orders.md")))
    );
}

#[test]
fn deleted_files_are_written_again_and_pages_of_dropped_tables_removed() {
    let folder = Folder::new(&[orders(), table("old", &[("x", "TEXT")], &[], &[])]);
    folder.write();
    fs::remove_file(folder.docs.join("orders.md")).unwrap();
    assert_eq!(folder.read().changed, []);
    folder.store.put_structure("s", &[orders()]).unwrap();
    let written = folder.write();
    assert_eq!(written.removed, [folder.docs.join("old.md")]);
    assert!(folder.docs.join("orders.md").exists() && !folder.docs.join("old.md").exists());
}

#[test]
fn other_markdown_is_left_alone() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    let readme = "# About\n\n```\n# Table: orders\n```\n";
    fs::write(folder.docs.join("README.md"), readme).unwrap();
    fs::write(folder.docs.join("image.md"), [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(folder.read().problems, []);
    assert_eq!(folder.write().removed.len(), 0);
    assert_eq!(folder.page("README.md"), readme);
}

#[test]
fn windows_line_ends_are_no_edit() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    for file in ["orders.md", LIST_FILE] {
        let page = folder.page(file).replace('\n', "\r\n");
        fs::write(folder.docs.join(file), page).unwrap();
    }
    assert_eq!(folder.read().changed, []);
    assert_eq!(check(&folder.catalog(), "s", &folder.docs).unwrap(), []);
}

#[test]
fn a_page_without_its_comments_is_known_by_its_title() {
    let folder = Folder::new(&[orders()]);
    fs::create_dir_all(&folder.docs).unwrap();
    let page = "# Table: orders\n\n## Purpose\n\nBy hand.\n\n## Columns\n\n### status\n\n* **description:** Mine\n";
    fs::write(folder.docs.join("orders.md"), page).unwrap();
    folder.read();
    let kept = folder.overrides("orders");
    assert_eq!((kept["purpose"].as_str(), kept["columns.status.description"].as_str()), ("By hand.", "Mine"));
}

#[test]
fn values_cannot_break_a_page() {
    let mut status = ColumnProfile::empty("status");
    status.values = KnownValues::All(vec!["a|b".into(), "`x`".into(), "</table>\n## Columns\n<!-- x".into()]);
    let mut entry = profiled(orders(), vec![ColumnProfile::empty("id"), status, ColumnProfile::empty("customer_id")]);
    let row = vec![Some("1|2".into()), Some("a\n\n## Notes\n```".into()), None];
    entry.change_profile(|profile| profile.sample_rows = vec![row]);
    let catalog = catalog(vec![entry]);
    let text = Page::of(&catalog.entries()[0], &catalog).render();
    let reading = reading::read(&text).unwrap().unwrap();
    assert_eq!(reading.parts["columns.status.domain"].text, "one of `a|b`, `` `x` ``, `</table> ## Columns <!-- x`");
    assert!(text.contains("| 1\\|2 | a ## Notes \\`\\`\\` | NULL |"), "{text}");
}

#[test]
fn a_saved_edit_reaches_the_catalog_within_a_second() {
    let folder = Folder::new(&[orders()]);
    folder.write();
    let (sender, receiver) = std::sync::mpsc::channel();
    let store = store_at(&folder.docs.parent().unwrap().join("catalog.db"));
    let watch = crate::watch(&folder.docs, store, move |report| sender.send(report).unwrap()).unwrap();
    folder.edit("orders.md", PURPOSE, "## Purpose\n\nMine. One row for each order");
    let saved = Instant::now();
    let report = receiver.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
    assert_eq!(report.changed.len(), 1);
    assert!(folder.overrides("orders")["purpose"].starts_with("Mine."));
    // Generous against a busy machine; on an idle one it takes the quiet time and little more.
    assert!(saved.elapsed() < Duration::from_secs(10), "{:?}", saved.elapsed());
    drop(watch);
}

/// Text with everything that means something on a page.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        Just("\n".to_owned()),
        Just("\n\n## Purpose\n".to_owned()),
        Just("\n### status\n".to_owned()),
        Just("\n- **Notes:** ".to_owned()),
        Just("\n```\n".to_owned()),
        Just("~~~~".to_owned()),
        Just("|`<b>&lt;\\*_".to_owned()),
        Just("\n<!-- periplus:hashes\n".to_owned()),
        Just("\n-->\n".to_owned()),
        Just("\n<!-- periplus {\n# Table: x\n".to_owned()),
        Just("  \r\n\t".to_owned()),
    ];
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn reread(entry: &Entry) -> (Page, Overrides) {
    let catalog = catalog(vec![entry.clone()]);
    let page = Page::of(entry, &catalog);
    let reading = reading::read(&page.render()).unwrap().unwrap();
    let merged = super::merge(&page, &reading, &entry.overrides).unwrap();
    (page, merged)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn writing_and_reading_back_changes_nothing(
        names in vec(nasty(), 0..4),
        types in vec(nasty(), 4),
        comment in nasty(),
        overridden in vec((0..12_usize, nasty()), 0..4),
    ) {
        let columns: Vec<(&str, &str)> =
            names.iter().map(String::as_str).zip(types.iter().map(String::as_str)).collect();
        let mut odd = table(&types[0], &columns, &[], &[]);
        odd.comment = Some(comment);
        let mut entry = Entry::bare(odd);
        for (part, text) in overridden {
            let catalog = catalog(vec![entry.clone()]);
            let keys: Vec<String> = Page::of(&entry, &catalog).parts().map(|part| part.key.clone()).collect();
            let facts = |key: &str| key.ends_with(".type") || key.ends_with(".nullable") || key == ROWS_SAY;
            let key = keys[part % keys.len()].clone();
            if !facts(&key) {
                entry.overrides.0.insert(key, text);
            }
        }
        let (_, merged) = reread(&entry);
        assert_eq!(merged, entry.overrides);
    }

    #[test]
    fn what_is_read_is_written_letter_for_letter(key in 0..9_usize, text in nasty()) {
        let mut entry = Entry::bare(orders());
        let catalog = catalog(vec![entry.clone()]);
        let page = Page::of(&entry, &catalog);
        let of_people = page.sections.iter().filter(|part| part.key != ROWS_SAY);
        let part = of_people.chain([&page.front, &page.introduction]).nth(key).unwrap();
        entry.overrides.0.insert(part.key.clone(), text);
        let (first, _) = reread(&entry);
        let read = reading::read(&first.render()).unwrap().unwrap().parts[&part.key].text.clone();
        entry.overrides.0.insert(part.key.clone(), read.clone());
        let (second, _) = reread(&entry);
        assert_eq!(first.render(), second.render());
        assert_eq!(second.part(&part.key).unwrap().text(), read);
    }

    #[test]
    fn no_file_makes_reading_fail(text in nasty()) {
        let _ = reading::read(&text);
    }
}

#[test]
fn the_page_of_a_table_reads_well() {
    let catalog = catalog(vec![Entry::bare(orders())]);
    let page = Page::of(&catalog.entries()[0], &catalog).render();
    let titles: Vec<&str> = page.lines().filter(|line| line.starts_with('#')).collect();
    let expected = [
        "# Table: orders",
        "## Purpose",
        "## Business Context",
        "## Columns",
        "### id",
        "### status",
        "### customer_id",
        "## Common Queries",
        "### Query Pattern: Number of orders by status",
        "## Relationships",
        "## Examples",
        "## Notes",
    ];
    assert_eq!(titles, expected);
}
