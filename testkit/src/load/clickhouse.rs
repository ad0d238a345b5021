//! ClickHouse's words.

use super::language::{DeclaredType, Keys, Language, with_backslashes};

/// ClickHouse's words.
pub const CLICKHOUSE: &dyn Language = &Clickhouse;

struct Clickhouse;

impl Language for Clickhouse {
    fn name(&self) -> &'static str {
        "ClickHouse"
    }

    fn type_name(&self, declared: DeclaredType) -> String {
        match declared {
            DeclaredType::Integer => "Int64".to_owned(),
            DeclaredType::Real => "Float64".to_owned(),
            DeclaredType::Decimal { precision, scale } => format!("Decimal({precision}, {scale})"),
            // Its `JSON` takes documents apart, and gives them back in another form.
            DeclaredType::Char(_) | DeclaredType::Varchar(_) | DeclaredType::Text | DeclaredType::Json => {
                "String".to_owned()
            }
            DeclaredType::Boolean => "Bool".to_owned(),
            // Its `Date` begins in 1970.
            DeclaredType::Date => "Date32".to_owned(),
            DeclaredType::Timestamp => "DateTime('UTC')".to_owned(),
        }
    }

    fn month_of(&self, moment: &str) -> String {
        format!("formatDateTime({moment}, '%Y-%m')")
    }

    fn keys(&self) -> Keys {
        Keys::SortingOnly
    }

    fn text_literal(&self, text: &str) -> String {
        with_backslashes(text)
    }

    fn column_type(&self, declared: DeclaredType, nullable: bool) -> String {
        let name = self.type_name(declared);
        if nullable { format!("Nullable({name})") } else { name }
    }

    fn table_options(&self, key: &[String]) -> String {
        let order = if key.is_empty() { "tuple()".to_owned() } else { format!("({})", key.join(", ")) };
        format!(" ENGINE = MergeTree ORDER BY {order}")
    }
}
