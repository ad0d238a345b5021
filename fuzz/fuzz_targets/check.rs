//! Any text in any dialect under any policy: a verdict comes out, and it keeps what the guard promises.
//!
//! The first byte of an input chooses dialect and policy, the rest is the text. A panic anywhere is a failure, in the
//! thread too that reads deep statements. Rewrites are checked like what they came from.

#![no_main]

mod promises;
mod scene;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

use crate::scene::Scenes;

static SCENES: LazyLock<Scenes> = LazyLock::new(Scenes::new);

/// One in so many inputs is checked twice, which tells whether the order of a hash map gets into a verdict.
const TWICE_ONE_IN: u64 = 8;

fuzz_target!(|input: &[u8]| {
    let Some((byte, text)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let scene = SCENES.chosen_by(*byte);
    let verdict = scene.check(&text);
    promises::hold(&text, scene.dialect, &verdict);
    if hash(input).is_multiple_of(TWICE_ONE_IN) {
        assert_eq!(verdict, scene.check(&text), "two checks of the same text differ");
    }
    let rewrites: BTreeSet<&str> =
        verdict.findings.iter().filter_map(|it| it.rewrite.as_deref()).chain(verdict.first_rewrite()).collect();
    for rewrite in rewrites {
        promises::hold(rewrite, scene.dialect, &scene.check(rewrite));
    }
});

fn hash(input: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    hasher.finish()
}
