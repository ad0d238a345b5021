//! `cargo xtask tidy`: the rules of this repository that neither the compiler nor clippy can hold;
//! `cargo xtask bench`: instructions against a baseline; `cargo xtask fuzz`: any text through the guard; `cargo xtask picture`: the README's picture.
//!
//! Each rule is a function in `rules/` that looks at the tracked files and returns what it found, so that a rule
//! reads like the sentence in CONTRIBUTING.md it enforces.

#![expect(clippy::print_stdout, reason = "a command-line tool for developers")]

mod bench;
mod fuzz;
mod picture;
mod repository;
mod rules;

use std::process::ExitCode;

use repository::Repository;

fn main() -> anyhow::Result<ExitCode> {
    match std::env::args().nth(1).as_deref() {
        Some("tidy") => tidy(),
        Some("bench") => bench::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("fuzz") => fuzz::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("picture") => {
            print!("{}", picture::draw()?);
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            println!("usage: cargo xtask tidy | bench [--save] | fuzz | picture");
            Ok(ExitCode::from(2))
        }
    }
}

fn tidy() -> anyhow::Result<ExitCode> {
    let repository = Repository::open()?;
    let mut complaints = Vec::new();
    for (name, rule) in rules::ALL {
        for complaint in rule(&repository)? {
            complaints.push(format!("{name}: {complaint}"));
        }
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    println!("tidy: {} rules, {} files, {} complaints", rules::ALL.len(), repository.files.len(), complaints.len());
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
