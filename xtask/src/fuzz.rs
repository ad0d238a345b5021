//! `cargo xtask fuzz`: builds the fuzz target with coverage counters, makes its first inputs from the guard's specs, and
//! runs it.
//!
//! The counters come from a pass of LLVM that a stable compiler runs on request, and libFuzzer itself is a crate that is
//! compiled with the target; so nothing has to be installed. They are asked for here and not in a file of cargo's, since
//! build scripts must not get them: they are left out by naming the target platform.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, ensure};

/// A counter for each edge of the control flow, and what is compared with what.
const INSTRUMENTATION: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
];

/// What libFuzzer is told unless the command line says otherwise: inputs of up to 4 KiB, and one that takes more than ten
/// seconds is a failure.
const DEFAULTS: [&str; 4] = ["-max_len=4096", "-timeout=10", "-report_slow_units=1", "-print_final_stats=1"];

/// The stack of the threads that check statements when they are served, in KiB. A main thread has four times that.
const STACK: &str = "2048";

/// How many dialects the first byte of an input can choose; below this it stands for the default policy.
const DIALECTS: u8 = 5;

/// Runs the fuzz target with libFuzzer's arguments; one that is no option is a file to run once.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the root")?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("fuzz");
    let program = build(root, &target)?;

    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -s {STACK} && exec \"$0\" \"$@\"")).arg(program).args(DEFAULTS);
    command.args(arguments);
    if arguments.iter().all(|argument| argument.starts_with('-')) {
        let [corpus, seeds, failures] = ["corpus", "seeds", "failures"].map(|name| target.join(name));
        write_seeds(root, &seeds)?;
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&failures)?;
        command.arg(format!("-dict={}", root.join("fuzz/sql.dict").display()));
        command.arg(format!("-artifact_prefix={}/", failures.display())).arg(corpus).arg(seeds);
    }
    let status = command.status().context("the fuzz target can't be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn build(root: &Path, target: &Path) -> anyhow::Result<PathBuf> {
    let platform = platform()?;
    let status = Command::new("cargo")
        .args(["build", "--release", "--locked", "--bin", "check", "--target", &platform, "--manifest-path"])
        .arg(root.join("fuzz/Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .env("RUSTFLAGS", INSTRUMENTATION.join(" "))
        .status()
        .context("cargo can't be started")?;
    ensure!(status.success(), "the fuzz target doesn't build");
    Ok(target.join(platform).join("release/check"))
}

/// The platform that the compiler runs on.
fn platform() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("rustc can't be started")?;
    let text = String::from_utf8(output.stdout)?;
    let platform = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(platform.context("rustc doesn't say what it runs on")?.to_owned())
}

/// One file for each statement of the specs in each dialect.
fn write_seeds(root: &Path, folder: &Path) -> anyhow::Result<()> {
    let mut seeds = BTreeSet::new();
    for rule in fs::read_dir(root.join("guard/tests/specs"))? {
        let rule = rule?.path();
        if !rule.is_dir() {
            continue;
        }
        for file in fs::read_dir(rule)? {
            let text = fs::read_to_string(file?.path())?;
            seeds.extend(seeds_of(&text));
        }
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for (number, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(format!("{number:04}")), seed)?;
    }
    Ok(())
}

/// The inputs that one spec makes: each statement in each dialect, whichever it was written for. The first lines of a
/// spec are `-- key: value`, and `--§` stands between statements.
fn seeds_of(spec: &str) -> Vec<Vec<u8>> {
    let head = spec.lines().take_while(|line| line.starts_with("-- ") && line.contains(": ")).count();
    let body = spec.split_inclusive('\n').skip(head).collect::<String>();
    let seed = |dialect: u8, statement: &str| [&[dialect], statement.trim_end_matches('\n').as_bytes()].concat();
    body.split("\n--§\n").flat_map(|statement| (0..DIALECTS).map(move |dialect| seed(dialect, statement))).collect()
}

#[cfg(test)]
mod tests {
    use super::{DIALECTS, seeds_of};

    #[test]
    fn a_spec_makes_an_input_of_each_statement_in_each_dialect() {
        let spec = "-- expect: allow\n-- dialect: mysql\nSELECT 1\n--§\n-- a comment\nSELECT 2\n";
        let seeds = seeds_of(spec);
        assert_eq!(seeds.len(), 2 * usize::from(DIALECTS));
        assert_eq!(seeds[0], b"\x00SELECT 1");
        assert_eq!(seeds[9], b"\x04-- a comment\nSELECT 2");
    }
}
