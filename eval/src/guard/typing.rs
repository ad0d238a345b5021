//! Slips of the hand, the same on every machine.

/// A name with a letter left out, doubled, exchanged with the next, or replaced.
pub(super) fn slip(name: &str, hash: u64) -> Option<String> {
    let mut letters: Vec<char> = name.chars().collect();
    if letters.len() < 2 {
        return None;
    }
    let position = usize::try_from(hash / 4).ok()? % (letters.len() - 1);
    match hash % 4 {
        0 => {
            letters.remove(position);
        }
        1 => letters.insert(position, letters[position]),
        2 if letters[position] != letters[position + 1] => letters.swap(position, position + 1),
        _ => letters[position] = if letters[position].eq_ignore_ascii_case(&'x') { 'q' } else { 'x' },
    }
    let wrong: String = letters.into_iter().collect();
    (!wrong.eq_ignore_ascii_case(name)).then_some(wrong)
}

/// FNV-1a, 64 bits: a hash that is the same on every machine.
pub(super) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
