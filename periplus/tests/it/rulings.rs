//! What people say of columns, from outside: it holds, whatever becomes of the catalog's file, and what doesn't hold is said.

use std::fs;
use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::project::Project;
use crate::served::Served;

fn indexed(more: &str) -> Project {
    let project = Project::over(
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, remark TEXT, kind TEXT);
         INSERT INTO notes VALUES (1, 'amber', 'call'), (2, 'basil', 'call'), (3, 'cedar', 'mail');",
    );
    let source = "[[sources]]\nid = \"data\"\ndsn = \"sqlite:data.db\"\n";
    project.write("periplus.toml", &format!("{source}[model]\nprovider = \"none\"\n{more}"));
    assert_eq!(project.run(&["index"]).code, 0);
    project
}

/// Whether a statement over that column is refused.
fn is_masked(project: &Project, column: &str) -> bool {
    let (code, document) = project.json(&["query", &format!("SELECT {column} FROM notes")]);
    let is_masked = document["findings"].to_string().contains("masked_column");
    assert_eq!(is_masked, code == 1, "{document:#}");
    is_masked
}

/// The whole catalog as it is, and a way back to it.
fn older(project: &Project) -> Vec<u8> {
    fs::read(project.path(".periplus/catalog.db")).unwrap()
}

fn put_back(project: &Project, older: &[u8]) {
    let aside = project.path(".periplus/older");
    fs::write(&aside, older).unwrap();
    fs::rename(aside, project.path(".periplus/catalog.db")).unwrap();
    for log in ["catalog.db-wal", "catalog.db-shm"] {
        let _ = fs::remove_file(project.path(".periplus").join(log));
    }
}

#[test]
fn what_a_key_has_masked_stays_masked_when_its_table_is_looked_at_again() {
    let project = Project::over(
        "CREATE TABLE passengers (pax_ref TEXT PRIMARY KEY, cabin TEXT); CREATE TABLE tickets (number INTEGER, pax_ref TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
         INSERT INTO passengers SELECT printf('PX%05d', i * 37), 'A' || i % 4 FROM n;
         INSERT INTO tickets SELECT rowid, pax_ref FROM passengers;",
    );
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!(project.run(&["query", "SELECT pax_ref FROM tickets"]).code, 0);
    assert_eq!(project.run(&["mask", "passengers.pax_ref"]).code, 0);
    let is_refused = || project.run(&["query", "SELECT pax_ref FROM tickets"]).stdout.contains("masked_column");
    assert!(is_refused(), "it refers to what is masked");
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    for change in
        ["INSERT INTO tickets SELECT number + 100, pax_ref FROM tickets", "ALTER TABLE tickets ADD COLUMN seat TEXT"]
    {
        database.execute_batch(change).unwrap();
        assert_eq!(project.run(&["index"]).code, 0);
        assert!(is_refused(), "after {change}");
    }
    assert_eq!(project.run(&["index", "--full"]).code, 0);
    assert!(is_refused());
}

#[test]
fn a_mask_outlives_an_older_catalog_and_status_says_so() {
    let project = indexed("");
    let backup = older(&project);
    assert_eq!(project.run(&["mask", "notes.remark", "--why", "what people wrote"]).code, 0);
    put_back(&project, &backup);
    assert!(is_masked(&project, "remark") && !is_masked(&project, "kind"));
    let (_, status) = project.json(&["status"]);
    let said = |status: &Value| status["rulings"].as_array().unwrap().len();
    assert!(said(&status) == 1 && status["rulings"][0].as_str().unwrap().contains("put back"), "{status:#}");
    // Without the witness the catalog is what is known, and it is written anew.
    fs::remove_file(project.path(".periplus/catalog.rulings.jsonl")).unwrap();
    assert!(is_masked(&project, "remark"));
    let (_, status) = project.json(&["status"]);
    assert!(status["rulings"][0].as_str().unwrap().contains("written there again"), "{status:#}");
    put_back(&project, &backup);
    assert!(is_masked(&project, "remark"));
}

#[test]
fn a_server_that_runs_sees_a_mask_at_once_also_in_a_catalog_that_was_put_in_place_of_its_own() {
    let project = indexed("");
    let backup = older(&project);
    let mut served = Served::over(project.command(&["serve"]));
    served.initialize();
    let mut rows = |column: &str| {
        let question = json!({"sql": format!("SELECT {column} FROM notes"), "source": "data"});
        served.call("read_query", &question).to_string()
    };
    assert!(rows("remark").contains("amber"));
    assert_eq!(project.run(&["mask", "notes.remark"]).code, 0);
    assert!(rows("remark").contains("masked_column"));
    put_back(&project, &backup);
    assert!(rows("remark").contains("masked_column"));
    // What is said of the new file is seen, too.
    assert_eq!(project.run(&["mask", "notes.kind"]).code, 0);
    let (remark, kind) = (rows("remark"), rows("kind"));
    assert!(remark.contains("masked_column") && kind.contains("masked_column"), "{remark} {kind}");
}

#[test]
fn what_the_configuration_keeps_open_is_not_said_to_be_masked() {
    let project = indexed("[profile]\nnot_sensitive = [\"notes.remark\"]\nsensitive = [\"notes.kind\"]\n");
    let run = project.run(&["mask", "notes.remark", "notes.id"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains("\nmasked: notes.id\n"), "{}", run.stdout);
    assert!(
        run.stdout.contains("notes.remark stays open: the configuration's [profile] not_sensitive"),
        "{}",
        run.stdout
    );
    let (code, document) = project.json(&["mask", "--release", "notes.kind"]);
    assert_eq!((code, &document), (1, &json!({"released": [], "still_masked": ["notes.kind"]})));
    // What was said holds once the configuration lets it.
    let configuration = fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", configuration.split("[profile]").next().unwrap());
    assert_eq!(project.run(&["index"]).code, 0);
    assert!(is_masked(&project, "remark") && !is_masked(&project, "kind"));
}

fn with_addresses(more: &str) -> Project {
    let project = Project::over(
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, remark TEXT, kind TEXT, reach TEXT);
         INSERT INTO notes VALUES (1, 'amber', 'call', 'ann@example.com'), (2, 'basil', 'call', 'bob@example.org'),
             (3, 'cedar', 'mail', 'cem@example.net');",
    );
    configure(&project, more);
    project
}

fn configure(project: &Project, more: &str) {
    let source = "[[sources]]\nid = \"data\"\ndsn = \"sqlite:data.db\"\n";
    project.write("periplus.toml", &format!("{source}[model]\nprovider = \"none\"\n{more}"));
    assert_eq!(project.run(&["index"]).code, 0);
}

#[test]
fn what_values_gave_away_is_masked_again_as_soon_as_nobody_releases_it_any_more() {
    let project = with_addresses("[profile]\nnot_sensitive = [\"notes.reach\"]\n");
    assert!(!is_masked(&project, "reach"));
    let configuration = fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", configuration.split("[profile]").next().unwrap());
    assert!(is_masked(&project, "reach"), "before the next index");
    assert_eq!(project.run(&["index"]).code, 0);
    assert!(is_masked(&project, "reach"), "after it");
    assert_eq!(project.run(&["mask", "--release", "*.reach", "--why", "made up"]).code, 0);
    assert_eq!(project.run(&["index"]).code, 0);
    assert!(!is_masked(&project, "reach"));
    let (_, listed) = project.json(&["mask"]);
    let why = listed[0]["why"].as_str().unwrap();
    assert!(listed[0]["state"] == "released" && why.contains(": made up"), "{listed:#}");
    let (code, document) = project.json(&["mask", "--undo", "notes.reach", "notes.kind"]);
    assert_eq!((code, &document), (0, &json!({"masked": ["notes.reach"], "open": ["notes.kind"]})));
    assert!(is_masked(&project, "reach"));
    assert_eq!(project.run(&["index"]).code, 0);
    assert!(is_masked(&project, "reach"));
    let stored = older(&project);
    assert!(!stored.windows(11).any(|bytes| bytes == b"ann@example"), "it is still stored");
}

#[test]
fn names_of_people_found_by_their_values_follow_the_setting_at_once() {
    let names = ["Anna Schmidt", "Peter Meyer", "Laura Becker", "Thomas Wagner", "Julia Hoffmann", "Michael Fischer"];
    let rows: Vec<String> = names.iter().enumerate().map(|(id, name)| format!("({id}, '{name}')")).collect();
    let sql =
        format!("CREATE TABLE notes (id INTEGER PRIMARY KEY, c7 TEXT); INSERT INTO notes VALUES {};", rows.join(","));
    let project = Project::over(&sql);
    configure(&project, "[profile]\nperson_names = \"show\"\n");
    assert!(!is_masked(&project, "c7"));
    let configuration = fs::read_to_string(project.path("periplus.toml")).unwrap();
    project.write("periplus.toml", configuration.split("[profile]").next().unwrap());
    assert!(is_masked(&project, "c7"));
    assert_eq!(project.run(&["index"]).code, 0);
    assert!(is_masked(&project, "c7"));
}

#[test]
fn a_pattern_masks_all_that_it_names_and_one_that_names_nothing_is_an_error() {
    let project = indexed("");
    let (code, document) = project.json(&["mask", "notes.*k*"]);
    assert_eq!((code, &document), (0, &json!({"masked": ["notes.remark", "notes.kind"], "still_open": []})));
    assert!(is_masked(&project, "remark") && is_masked(&project, "kind") && !is_masked(&project, "id"));
    let (code, document) = project.json(&["mask", "*.nothing"]);
    assert!(code == 1 && document.to_string().contains("unknown_column"), "{document:#}");
}

#[test]
fn a_server_goes_by_what_the_configuration_says_now_and_answers_nobody_where_that_is_wrong() {
    let project = with_addresses("[profile]\nnot_sensitive = [\"notes.reach\"]\n");
    let mut served = Served::over(project.command(&["serve"]));
    served.initialize();
    let mut rows = || served.call("read_query", &json!({"sql": "SELECT reach FROM notes"})).to_string();
    assert!(rows().contains("ann@example.com"));
    let open = fs::read_to_string(project.path("periplus.toml")).unwrap();
    let masked = open.split("[profile]").next().unwrap();
    project.write("periplus.toml", masked);
    let said = rows();
    assert!(said.contains("masked_column") && !said.contains("ann@"), "{said}");
    for wrong in [format!("{open}\nno_such_key = 1\n"), String::new(), "# nothing\n".to_owned()] {
        project.write("periplus.toml", &wrong);
        let said = rows();
        assert!(said.contains("configuration_changed") && !said.contains("ann@"), "{said}");
    }
    let since = std::time::Instant::now();
    for _ in 0..20 {
        assert!(rows().contains("configuration_changed"));
    }
    assert!(since.elapsed().as_secs() < 5, "what was refused isn't waited for again each time");
    // Who saves a file in place has it empty for a moment.
    project.write("periplus.toml", "");
    let path = project.path("periplus.toml");
    let saved = masked.to_owned();
    let saving = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(200));
        fs::write(path, saved).unwrap();
    });
    let said = rows();
    assert!(said.contains("masked_column") && !said.contains("ann@"), "{said}");
    saving.join().unwrap();
    project.write("periplus.toml", &open);
    assert!(rows().contains("ann@example.com"));
}

#[test]
fn a_column_that_is_open_again_is_looked_at_again() {
    for back in [&["mask", "--undo", "notes.kind"][..], &["mask", "--release", "notes.kind"]] {
        let project = indexed("");
        assert_eq!(project.run(&["mask", "notes.kind"]).code, 0);
        assert_eq!(project.run(&["index"]).code, 0);
        assert_eq!(project.run(back).code, 0);
        let (code, status) = project.json(&["status", "--check"]);
        assert!(code == 4 && status.to_string().contains("released since"), "{status:#}");
        assert_eq!(project.run(&["index"]).code, 0);
        let (_, notes) = project.json(&["describe", "notes"]);
        assert_eq!(notes["columns"][2]["values"], json!(["call", "mail"]), "{notes:#}");
        assert_eq!(project.run(&["status", "--check"]).code, 0);
    }
}

/// An endpoint whose model says this, whatever it is asked.
fn model_that_says(text: &str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let message = json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    let body = json!({ "choices": [message] }).to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let _ = stream.read(&mut [0; 65536]);
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = stream.write_all((head + &body).as_bytes());
        }
    });
    format!("http://{address}/v1")
}

#[test]
fn what_a_model_takes_for_personal_is_masked_in_the_name_of_who_asked_unless_a_person_released_it() {
    let project = indexed("");
    let says = |numbers: &[usize]| {
        let found: Vec<_> = numbers.iter().map(|number| json!({"number": number, "kind": "health"})).collect();
        let base_url = model_that_says(&json!({ "personal": found }).to_string());
        let source = "[[sources]]\nid = \"data\"\ndsn = \"sqlite:data.db\"\n";
        let model = format!("[model]\nprovider = \"openai\"\nname = \"m\"\nbase_url = \"{base_url}\"\n");
        project.write("periplus.toml", &format!("{source}{model}"));
    };
    says(&[3]);
    let (code, document) = project.json(&["mask", "--with-model", "--dry-run"]);
    let suspected = json!([{"source": "data", "column": "notes.kind", "kind": "a person's health"}]);
    assert_eq!((code, &document["suspected"]), (0, &suspected), "{document:#}");
    assert!(!is_masked(&project, "kind"), "a dry run masks nothing");
    let (code, document) = project.json(&["mask", "--with-model"]);
    assert_eq!((code, &document["masked"]), (0, &json!(["notes.kind"])), "{document:#}");
    assert!(is_masked(&project, "kind") && !is_masked(&project, "remark"));
    let (_, listed) = project.json(&["mask"]);
    assert!(listed[0]["why"].as_str().unwrap().contains("takes it for a person's health"), "{listed:#}");
    // What a person released is not asked about again.
    assert_eq!(project.run(&["mask", "--release", "notes.kind"]).code, 0);
    let run = project.run(&["mask", "--with-model"]);
    assert_eq!(run.code, 1, "there is no third column to name any more");
    assert!(run.stderr.contains("nothing was learnt of its columns: there is no column 3"), "{}", run.stderr);
    assert!(!is_masked(&project, "kind"));
}

#[test]
fn a_pattern_releases_what_is_masked_and_says_nothing_of_what_is_open() {
    let project = with_addresses("");
    let (code, document) = project.json(&["mask", "--release", "notes.*"]);
    assert_eq!((code, &document["released"]), (0, &json!(["notes.reach"])), "{document:#}");
    let (code, document) = project.json(&["mask", "--release", "notes.*"]);
    assert_eq!((code, &document["released"]), (0, &json!([])), "{document:#}");
}

#[test]
fn a_masked_column_that_is_renamed_is_told_until_somebody_takes_it_back() {
    let project = indexed("");
    assert_eq!(project.run(&["mask", "notes.remark", "notes.kind"]).code, 0);
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    database.execute_batch("ALTER TABLE notes RENAME COLUMN remark TO words").unwrap();
    let told = || {
        let (code, document) = project.json(&["index"]);
        assert_eq!(code, 0, "{document:#}");
        document["warnings"].to_string()
    };
    let warned = told();
    assert!(warned.contains("somebody masked `remark` of data.notes") && !warned.contains("`kind`"), "{warned}");
    assert_eq!(project.run(&["mask", "--undo", "notes.remark"]).code, 0);
    assert_eq!(told(), "[]");
    database.execute_batch("ALTER TABLE notes RENAME TO jottings").unwrap();
    assert!(told().contains("somebody masked `kind` of data.notes"));
    assert_eq!(project.run(&["index", "--prune"]).code, 0);
    assert_eq!(told(), "[]");
}

#[test]
fn what_people_masked_goes_along_with_a_table_that_gets_another_name() {
    let project = Project::over(
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, remark TEXT); CREATE TABLE drafts (id INTEGER PRIMARY KEY, remark TEXT);
         INSERT INTO notes VALUES (1, 'amber'), (2, 'basil'); INSERT INTO drafts VALUES (1, 'cedar'), (2, 'dill');",
    );
    project
        .write("periplus.toml", "[[sources]]\nid = \"data\"\ndsn = \"sqlite:data.db\"\n[model]\nprovider = \"none\"\n");
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!(project.run(&["mask", "notes.remark"]).code, 0);
    let refusal = |table: &str| {
        let (_, document) = project.json(&["query", &format!("SELECT remark FROM {table}")]);
        document["findings"][0]["code"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!([refusal("notes"), refusal("drafts")], ["masked_column", ""]);
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    let swap =
        "ALTER TABLE notes RENAME TO aside; ALTER TABLE drafts RENAME TO notes; ALTER TABLE aside RENAME TO drafts;";
    database.execute_batch(swap).unwrap();
    assert_eq!([refusal("notes"), refusal("drafts")], ["masked_column", "table_changed"]);
    assert_eq!(project.run(&["index"]).code, 0);
    // The name keeps what was said of it, too.
    assert_eq!([refusal("notes"), refusal("drafts")], ["masked_column", "masked_column"]);
    database.execute_batch("ALTER TABLE drafts RENAME TO letters").unwrap();
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!(refusal("letters"), "masked_column");
}

#[test]
fn a_release_is_of_a_table_and_not_of_whoever_gets_its_name() {
    let columns = "(id INTEGER PRIMARY KEY, email TEXT)";
    let project = Project::over(&format!(
        "CREATE TABLE stores {columns}; CREATE TABLE contacts {columns};
         INSERT INTO stores VALUES (1, 'north@shop.example'); INSERT INTO contacts VALUES (1, 'ann.lee@example.org');"
    ));
    project
        .write("periplus.toml", "[[sources]]\nid = \"data\"\ndsn = \"sqlite:data.db\"\n[model]\nprovider = \"none\"\n");
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!(project.run(&["mask", "--release", "stores.email"]).code, 0);
    assert_eq!(project.run(&["index"]).code, 0);
    let code = |table: &str| project.json(&["query", &format!("SELECT email FROM {table}")]).0;
    assert_eq!([code("stores"), code("contacts")], [0, 1]);
    let database = rusqlite::Connection::open(project.path("data.db")).unwrap();
    let swap = "ALTER TABLE stores RENAME TO aside; ALTER TABLE contacts RENAME TO stores; ALTER TABLE aside RENAME TO contacts;";
    database.execute_batch(swap).unwrap();
    assert_eq!(code("stores"), 1);
    assert_eq!(project.run(&["index"]).code, 0);
    assert_eq!([code("stores"), code("contacts")], [1, 1]);
}
