//! Nothing masked comes out: whatever is damaged, killed, locked or still being made.
//!
//! A few cases of each kind always run. With `PERIPLUS_TEST_CASES=2000` it is all of them: each cell of each table of a
//! catalog damaged in each way, 2,000 random damages of its file, 200 killed runs, 100 rounds of polling.

mod damage;
mod gone;
mod kills;
mod later;
mod locked;
mod polling;
mod world;

pub(crate) use world::files_below;

/// How many cases: `few`, or the share of `PERIPLUS_TEST_CASES` that makes `all` at 2,000.
fn cases(few: usize, all: usize) -> usize {
    let asked: Option<usize> = std::env::var("PERIPLUS_TEST_CASES").ok().and_then(|asked| asked.parse().ok());
    asked.map_or(few, |asked| (asked.saturating_mul(all) / 2_000).clamp(few, all))
}

/// Chance, the same in each run unless `PERIPLUS_TEST_SEED` says otherwise.
fn chance() -> fastrand::Rng {
    let seed = std::env::var("PERIPLUS_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    fastrand::Rng::with_seed(seed.unwrap_or(1))
}
