//! By how much a quantity is larger in one table than in another.

use std::collections::HashSet;

/// By what one quantity has to be multiplied to be the other.
pub(super) struct Ratio {
    pub(super) factor: f64,
    pub(super) held: u64,
    pub(super) looked_at: u64,
}

impl Ratio {
    /// Factors between units that people keep quantities in: parts of a currency, metric prefixes, units of time, pounds and
    /// ounces, miles and inches.
    const FACTORS: [f64; 18] = [
        1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0, 1.0e6, 1.0e9, 12.0, 24.0, 60.0, 1440.0, 3600.0, 86_400.0,
        2.204_622, 16.0, 1.609_344, 2.54,
    ];

    pub(super) fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        /// Pairs and different values that there must be, and the share that must agree.
        const LEAST: usize = 12;
        const DIFFERENT: usize = 6;
        const SHARE: f64 = 0.75;
        /// How much more there may be in one than in the other, of how many pairs, in which share of them.
        const PARTS: std::ops::RangeInclusive<f64> = 1.02..=1.5;
        const MANY: usize = 30;
        const NEARLY_ALL: f64 = 0.9;
        let pairs: Vec<&(f64, f64)> = pairs.iter().filter(|(here, there)| *here != 0.0 && *there != 0.0).collect();
        if pairs.len() < LEAST {
            return None;
        }
        let mut ratios: Vec<f64> = pairs.iter().map(|(here, there)| there / here).collect();
        ratios.sort_by(f64::total_cmp);
        let middle = ratios[ratios.len() / 2];
        let candidates = Self::FACTORS.iter().flat_map(|factor| [*factor, 1.0 / factor]);
        let factor = candidates.min_by(|one, two| (middle / one - 1.0).abs().total_cmp(&(middle / two - 1.0).abs()))?;
        // A tax that is in one of them, or a discount: the same part of nearly all.
        let part = (middle * 1000.0).round() / 1000.0;
        let is_part = PARTS.contains(&part.max(1.0 / part)) && ratios.len() >= MANY;
        let near = ratios.iter().filter(|ratio| (*ratio / part - 1.0).abs() < 0.002).count();
        let factor = if is_part && near as f64 >= NEARLY_ALL * ratios.len() as f64 { part } else { factor };
        // What was rounded differs by half of its last digit.
        let holds = |(here, there): &&&(f64, f64)| {
            let rounded = if there.fract() == 0.0 && factor < 1.0 { 0.51 } else { 0.0051 * factor.max(1.0) };
            let is_near = (here * factor - there).abs() <= rounded + 0.002 * there.abs();
            is_near && (here * factor - there).abs() <= 0.02 * there.abs()
        };
        let held: Vec<&&(f64, f64)> = pairs.iter().filter(holds).collect();
        let different: HashSet<u64> = held.iter().map(|(_, there)| there.to_bits()).collect();
        let is_believed = held.len() as f64 >= SHARE * pairs.len() as f64 && different.len() >= DIFFERENT;
        is_believed.then_some(Self { factor, held: held.len() as u64, looked_at: pairs.len() as u64 })
    }

    pub(super) fn share(&self) -> f64 {
        self.held as f64 / self.looked_at as f64
    }
}
