//! A statement as a log has it.

use jiff::Timestamp;

/// A statement that was run, as far as a log tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logged {
    /// Its text. Constants may be parameters, such as `$1`.
    pub sql: String,
    /// Who ran it.
    pub user: Option<String>,
    /// When, or when it was last run.
    pub at: Option<Timestamp>,
    /// How often.
    pub runs: u64,
}

impl Logged {
    /// A statement that was run once.
    pub fn once(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), runs: 1, ..Self::default() }
    }

    /// The same with the values of its parameters in their places, where those are known: `$2` is the second.
    pub(crate) fn with_parameters(self, values: &[Option<String>]) -> Self {
        let mut sql = String::with_capacity(self.sql.len());
        let mut rest = self.sql.as_str();
        while let Some(at) = rest.find('$') {
            let (before, behind) = rest.split_at(at);
            sql.push_str(before);
            let digits: usize = behind[1..].bytes().take_while(u8::is_ascii_digit).count();
            let (parameter, after) = behind.split_at(1 + digits);
            let value = parameter[1..].parse::<usize>().ok().and_then(|number| values.get(number.checked_sub(1)?));
            match value {
                Some(Some(value)) => sql.push_str(&format!("'{}'", value.replace('\'', "''"))),
                Some(None) => sql.push_str("NULL"),
                None => sql.push_str(parameter),
            }
            rest = after;
        }
        sql.push_str(rest);
        Self { sql, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::Logged;

    #[test]
    fn parameters_are_put_in_their_places() {
        let values = [Some("O'Brien".to_owned()), None];
        let put = |sql: &str| Logged::once(sql).with_parameters(&values).sql;
        assert_eq!(
            put("SELECT * FROM t WHERE a = $1 AND b = $2 AND c = $3"),
            "SELECT * FROM t WHERE a = 'O''Brien' AND b = NULL AND c = $3"
        );
        assert_eq!(put("SELECT $$x$$ || '€$'"), "SELECT $$x$$ || '€$'");
    }
}
