//! `cargo xtask bench`: how many instructions linking, checking, reading and indexing take, and what profiling asks of a
//! database, held against `bench/baseline.txt`; `--save` writes that file.
//!
//! Instructions are counted by Valgrind's callgrind, since times on shared cores say nothing. Hash maps are seeded at random,
//! so two runs differ by a little less than a hundredth.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail, ensure};

/// Kinds of work, each with how often it is done more in the second run than in the first.
const WORK: [(&str, u64); 4] = [("sql", 4), ("guard", 4), ("index", 1), ("link", 2)];
/// From this share on, a difference is no accident.
const TOLERANCE: f64 = 0.03;
const BASELINE: &str = "bench/baseline.txt";

/// Counts, and compares or saves.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let save = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => false,
        ["--save"] => true,
        _ => bail!("usage: cargo xtask bench [--save]"),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the root")?;
    let built =
        Command::new("cargo").args(["build", "--release", "--locked", "-p", "bench"]).current_dir(root).status()?;
    ensure!(built.success(), "the benches can't be built");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let program = target.join("release/bench");
    let counted = count(&program)?;
    let path = root.join(BASELINE);
    if save {
        let lines: Vec<String> = counted.iter().map(|(name, figure)| format!("{name} {figure}\n")).collect();
        fs::write(&path, lines.concat())?;
        return Ok(ExitCode::SUCCESS);
    }
    let stored = fs::read_to_string(&path).with_context(|| format!("{BASELINE} can't be read"))?;
    Ok(if compare(&figures(&stored)?, &counted) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn count(program: &Path) -> anyhow::Result<BTreeMap<String, u64>> {
    let folder = std::env::temp_dir().join(format!("periplus-bench-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let counted = count_in(program, &folder);
    fs::remove_dir_all(&folder)?;
    counted
}

fn count_in(program: &Path, folder: &Path) -> anyhow::Result<BTreeMap<String, u64>> {
    let prepared = Command::new(program).arg("prepare").arg(folder).output()?;
    ensure!(prepared.status.success(), "preparing failed: {}", String::from_utf8_lossy(&prepared.stderr));
    let mut counted = figures(&String::from_utf8_lossy(&prepared.stdout))?;
    for (name, more) in WORK {
        let instructions = |times| instructions(program, name, folder, times);
        let (few, many) = (instructions(1)?, instructions(1 + more)?);
        counted.insert(format!("{name}_instructions"), many.saturating_sub(few) / more);
    }
    Ok(counted)
}

/// The instructions that the whole process takes.
fn instructions(program: &Path, name: &str, folder: &Path, times: u64) -> anyhow::Result<u64> {
    let out = folder.join("callgrind.out");
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .arg(name)
        .arg(folder)
        .arg(times.to_string())
        .output()
        .context("valgrind can't be started; it is a package of that name")?;
    ensure!(run.status.success(), "`bench {name}` failed: {}", String::from_utf8_lossy(&run.stderr));
    let written = fs::read_to_string(&out)?;
    let total = written.lines().find_map(|line| line.strip_prefix("summary: ").or(line.strip_prefix("totals: ")));
    total.and_then(|total| total.trim().parse().ok()).context("callgrind wrote no total")
}

fn figures(text: &str) -> anyhow::Result<BTreeMap<String, u64>> {
    text.lines()
        .map(|line| {
            let (name, figure) = line.split_once(' ').with_context(|| format!("`{line}` is no figure"))?;
            Ok((name.to_owned(), figure.trim().parse().with_context(|| format!("`{line}` is no figure"))?))
        })
        .collect()
}

/// Prints both sides; `false` where more is done than before, or something isn't measured.
fn compare(stored: &BTreeMap<String, u64>, counted: &BTreeMap<String, u64>) -> bool {
    let mut holds = stored.keys().eq(counted.keys());
    if !holds {
        println!("{BASELINE} holds other figures than are counted: save it anew");
    }
    for (name, now) in counted {
        let Some(before) = stored.get(name) else { continue };
        let change = *now as f64 / *before as f64 - 1.0;
        let verdict = match change {
            _ if change > TOLERANCE => "MORE",
            _ if change < -TOLERANCE => "less: save it",
            _ => "",
        };
        holds &= change <= TOLERANCE;
        println!("{name:24} {before:>14} {now:>14} {:>+7.1} % {verdict}", change * 100.0);
    }
    holds
}

#[cfg(test)]
mod tests {
    use super::{compare, figures};

    #[test]
    fn more_work_than_before_fails_and_less_doesnt() {
        let stored = figures("link 1000\nsql 1000\n").unwrap();
        for (counted, holds) in [
            ("link 1000\nsql 1000\n", true),
            ("link 1029\nsql 900\n", true),
            ("link 1031\nsql 1000\n", false),
            ("link 1000\n", false),
        ] {
            assert_eq!(compare(&stored, &figures(counted).unwrap()), holds, "{counted}");
        }
    }
}
