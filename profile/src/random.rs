//! Numbers that look random and are the same in every run, so that a resumed run finds what an undisturbed one would.

/// The SplitMix64 generator (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator of its own for a name: FNV-1a over its bytes is the seed.
    pub(crate) fn named(name: &str) -> Self {
        Self(
            name.bytes()
                .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)),
        )
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number between `first` and `last`, both included. The bias is below one in 2^32 for spans below that.
    pub(crate) fn between(&mut self, first: i64, last: i64) -> i64 {
        let span = u128::from(last.abs_diff(first)) + 1;
        let offset = (u128::from(self.next()) * span) >> 64;
        i64::try_from(i128::from(first) + i128::try_from(offset).unwrap_or(0)).unwrap_or(last)
    }

    /// One of the items.
    pub(crate) fn one_of<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        let last = i64::try_from(items.len().checked_sub(1)?).unwrap_or(i64::MAX);
        items.get(usize::try_from(self.between(0, last)).unwrap_or(0))
    }

    /// The items in another order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for position in (1..items.len()).rev() {
            let other = self.between(0, i64::try_from(position).unwrap_or(0));
            items.swap(position, usize::try_from(other).unwrap_or(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_name_gives_the_same_numbers_in_every_run_and_another_name_others() {
        let draw = |name: &str| (0..5).map(|_| Random::named(name).between(0, 1000)).collect::<Vec<_>>();
        assert_eq!(draw("orders"), draw("orders"));
        assert_ne!(draw("orders"), draw("order"));
    }

    #[test]
    fn one_of_each_stretch_has_what_comes_again_as_often_as_all_have() {
        let rows: Vec<usize> = (0..20_000).collect();
        let mut random = Random::named("t");
        let some: Vec<&usize> = rows.chunks(2).filter_map(|rows| random.one_of(rows)).collect();
        let again = some.iter().filter(|row| **row % 20 == 7).count();
        assert_eq!(some.len(), 10_000);
        assert!((400..600).contains(&again), "{again} of 500");
        assert_eq!(random.one_of::<u8>(&[]), None);
    }

    #[test]
    fn numbers_cover_the_span_and_stay_in_it() {
        let mut random = Random::named("t");
        let mut seen = [false; 7];
        for _ in 0..500 {
            seen[usize::try_from(random.between(-3, 3) + 3).unwrap()] = true;
        }
        assert_eq!(seen, [true; 7]);
        for (first, last) in [(i64::MIN, i64::MAX), (5, 5), (i64::MAX, i64::MAX)] {
            assert!((first..=last).contains(&random.between(first, last)));
        }
    }
}
