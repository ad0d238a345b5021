//! Whole replies of the command line, as a script, an agent with a shell or a person reads them: what changes in them shows
//! as a difference in the snapshots of `replies/`.
//!
//! `replies/commands.txt` holds the commands, run in its order in one project over `replies/shop.sql`:
//! `name | form | arguments`, where the form is `text`, `json` or `both`. A snapshot is the command, its exit code, what
//! it prints on standard output and standard error, and the document that it prints instead.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use testkit::{snapshot_names, stable_text};

use crate::project::{Project, Run};

const SCHEMA: &str = include_str!("replies/shop.sql");
const COMMANDS: &str = include_str!("replies/commands.txt");
/// What the demo tells, compared where it is run.
pub(crate) const DEMO: &str = "demo";

#[test]
fn replies_over_a_small_shop_are_as_they_were() {
    let project = Project::over_source("shop", SCHEMA);
    let mut changed = Vec::new();
    for line in COMMANDS.lines() {
        let [name, form, arguments] = line.splitn(3, " | ").collect::<Vec<_>>().try_into().unwrap();
        let arguments: Vec<&str> = serde_json::from_str(arguments).unwrap();
        let mut reply = format!("$ periplus{}\n", arguments.iter().map(|it| quoted(it)).collect::<String>());
        if form != "json" {
            reply.push_str(&printed(&run(&project, &arguments)));
        }
        if form != "text" {
            let document = run(&project, &[&["--json"], &arguments[..]].concat());
            reply.push_str(&format!("\n── with --json\n{}", printed(&document)));
        }
        if !is_as_it_was(name, &reply, &project) {
            changed.push(name);
        }
    }
    assert!(changed.is_empty(), "{changed:?} are other than their snapshots");
    let mut names: Vec<&str> = COMMANDS.lines().filter_map(|line| line.split(" | ").next()).chain([DEMO]).collect();
    names.sort_unstable();
    assert_eq!(snapshot_names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/replies")), names);
}

fn run(project: &Project, arguments: &[&str]) -> Run {
    Run::of(project.command_inside(arguments).output().unwrap())
}

/// Whether a reply is its snapshot; if not, the difference is printed.
pub(crate) fn is_as_it_was(name: &str, reply: &str, project: &Project) -> bool {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("replies");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let binary = assert_cmd::cargo::cargo_bin!("periplus");
    let canonical = project.folder().canonicalize().unwrap();
    let reply = stable_text(reply, &[(binary, "periplus"), (&canonical, "[PROJECT]"), (project.folder(), "[PROJECT]")]);
    // What people say of columns is said by who runs the tests.
    let user = whoami::username().unwrap_or_default();
    let reply = reply.replace(&format!("by {user} "), "by [USER] ");
    let reply = reply.replace(&format!("\"by\": \"{user}\""), "\"by\": \"[USER]\"");
    catch_unwind(AssertUnwindSafe(|| settings.bind(|| insta::assert_snapshot!(name, reply)))).is_ok()
}

/// What a run left on the screen, and how it ended.
pub(crate) fn printed(run: &Run) -> String {
    let mut text = run.stdout.clone();
    if !run.stderr.is_empty() {
        text.push_str(&format!("── standard error\n{}", run.stderr));
    }
    if run.code != 0 {
        text.push_str(&format!("── exit code {}\n", run.code));
    }
    text
}

/// The argument as it is typed, behind a blank.
fn quoted(argument: &str) -> String {
    let is_plain = argument.chars().all(|it| it.is_ascii_alphanumeric() || "-_.,=:/".contains(it));
    if is_plain && !argument.is_empty() { format!(" {argument}") } else { format!(" {argument:?}") }
}
