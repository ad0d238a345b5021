//! What the conditions of a statement say of single columns, however they are written.

use super::names::ColumnRef;
use super::values::{Comparison, LiteralValue};

/// A condition on one base column that rows have to meet, of a query at any depth: a part of WHERE or ON that stands beside
/// the others by AND.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// The column.
    pub column: ColumnRef,
    /// What it has to be.
    pub test: Test,
    /// Whether upper and lower case are the same: `lower(status) = 'paid'`.
    pub ignores_case: bool,
}

/// What a column has to be. Of values, those are left out that the text doesn't tell: parameters, values of other queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// One of these.
    OneOf(Vec<LiteralValue>),
    /// None of these; or, where a condition says so, NULL.
    NoneOf(Vec<LiteralValue>),
    /// NULL.
    Null,
    /// Not NULL.
    NotNull,
    /// Larger or smaller than this, where the text tells it, or than a moment such as now.
    Ordered(Comparison, Option<LiteralValue>),
    /// Of a form, or of another one.
    Matches {
        /// The pattern.
        pattern: String,
        /// It is a regular expression, which may be found anywhere in the value; else LIKE's.
        is_regular: bool,
        /// Values of the form are left out.
        negated: bool,
    },
}

impl Test {
    /// What the others have to be.
    pub(crate) fn negated(self) -> Self {
        use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
        match self {
            Self::OneOf(values) => Self::NoneOf(values),
            Self::NoneOf(values) => Self::OneOf(values),
            Self::Null => Self::NotNull,
            Self::NotNull => Self::Null,
            Self::Ordered(operator, value) => {
                let other = match operator {
                    Less => GreaterOrEqual,
                    LessOrEqual => Greater,
                    Greater => LessOrEqual,
                    GreaterOrEqual => Less,
                    other => other,
                };
                Self::Ordered(other, value)
            }
            Self::Matches { pattern, is_regular, negated } => Self::Matches { pattern, is_regular, negated: !negated },
        }
    }

    /// What a column has to be that passes either, where that can be said.
    pub(crate) fn or(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::OneOf(mut values), Self::OneOf(others)) => {
                values.extend(others);
                Some(Self::OneOf(values))
            }
            (Self::Null, Self::Null) => Some(Self::Null),
            // What has no end, or hasn't come to it.
            (Self::Null, Self::Ordered(..)) | (Self::Ordered(..), Self::Null) => Some(Self::Null),
            (Self::Null, Self::NoneOf(values)) | (Self::NoneOf(values), Self::Null) => Some(Self::NoneOf(values)),
            (Self::Null, Self::OneOf(values)) | (Self::OneOf(values), Self::Null) => Some(Self::OneOf(values)),
            _ => None,
        }
    }
}
