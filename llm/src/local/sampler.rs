//! Which token comes next: the likeliest, or one drawn by temperature.

/// Draws tokens. The seed is the request's, so that the same request gives the same reply.
#[derive(Debug)]
pub(super) struct Sampler {
    temperature: f32,
    random: fastrand::Rng,
}

/// Of a temperature draw, only the likeliest tokens that share this much of the probability take part (nucleus
/// sampling, Holtzman et al. 2020); the value Qwen2.5 ships with in its generation settings is 0.8.
const NUCLEUS: f32 = 0.8;

impl Sampler {
    /// `temperature` 0: always the likeliest.
    pub(super) fn new(temperature: f32, seed: u64) -> Self {
        Self { temperature, random: fastrand::Rng::with_seed(seed) }
    }

    /// The index of the next token. An empty slice gives 0.
    pub(super) fn next(&mut self, logits: &[f32]) -> u32 {
        if self.temperature <= 0.0 { likeliest(logits) } else { self.draw(logits) }
    }

    fn draw(&mut self, logits: &[f32]) -> u32 {
        let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut weights: Vec<(u32, f32)> = logits
            .iter()
            .enumerate()
            .map(|(index, logit)| (index as u32, ((logit - top) / self.temperature).exp()))
            // What is a millionth as likely as the likeliest can't be in the nucleus; most of the vocabulary is.
            .filter(|(_, weight)| *weight > 1e-6)
            .collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        let total: f32 = weights.iter().map(|(_, weight)| weight).sum();
        let mut kept = 0.0;
        let count = weights.iter().position(|(_, weight)| {
            kept += weight;
            kept >= NUCLEUS * total
        });
        weights.truncate(count.map_or(weights.len(), |index| index + 1));
        let mut point = self.random.f32() * weights.iter().map(|(_, weight)| weight).sum::<f32>();
        for (index, weight) in &weights {
            point -= weight;
            if point <= 0.0 {
                return *index;
            }
        }
        weights.last().map_or_else(|| likeliest(logits), |(index, _)| *index)
    }
}

/// The logarithm of a token's probability at temperature 1; 0 for one that isn't among them.
pub(super) fn log_probability(logits: &[f32], token: u32) -> f32 {
    let Some(chosen) = logits.get(token as usize) else { return 0.0 };
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = logits.iter().map(|logit| (logit - top).exp()).sum();
    chosen - top - total.ln()
}

fn likeliest(logits: &[f32]) -> u32 {
    let mut best = 0usize;
    for (index, logit) in logits.iter().enumerate() {
        if *logit > logits[best] {
            best = index;
        }
    }
    best as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_temperature_the_likeliest_is_taken() {
        assert_eq!(Sampler::new(0.0, 0).next(&[0.1, 2.0, -1.0, 1.9]), 1);
    }

    #[test]
    fn a_temperature_draws_only_from_the_nucleus_and_from_all_of_it() {
        let mut sampler = Sampler::new(1.0, 0);
        let mut seen = [0usize; 4];
        for _ in 0..1000 {
            // Probabilities .45, .40, .10, .05: the first two share .85.
            seen[sampler.next(&[0.45f32.ln(), 0.40f32.ln(), 0.10f32.ln(), 0.05f32.ln()]) as usize] += 1;
        }
        assert!(seen[0] > 400 && seen[1] > 350, "{seen:?}");
        assert_eq!(seen[2] + seen[3], 0, "{seen:?}");
    }

    #[test]
    fn probabilities_are_those_of_a_softmax() {
        let logits = [0.6f32.ln() + 3.0, 0.3f32.ln() + 3.0, 0.1f32.ln() + 3.0];
        assert!((log_probability(&logits, 1).exp() - 0.3).abs() < 1e-5);
        assert_eq!(log_probability(&logits, 9), 0.0);
    }

    #[test]
    fn the_same_request_draws_the_same_tokens() {
        let logits: Vec<f32> = (0..50).map(|index| (index as f32 * 0.7).sin()).collect();
        let draw = |seed| {
            let mut sampler = Sampler::new(0.9, seed);
            (0..20).map(|_| sampler.next(&logits)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
