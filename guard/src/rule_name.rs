//! The rules by name.

use std::fmt;

use serde::Serialize;

macro_rules! rule_names {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What a finding came from: a rule of the guard, or the engine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RuleName {
            $($(#[$doc])* $variant,)*
        }

        impl RuleName {
            /// The name in the configuration and in findings, also the file name of the rule's page.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

rule_names! {
    /// Sums and averages are of amounts.
    AggregatedType = "aggregated_type",
    /// Every name means one thing.
    AmbiguousName = "ambiguous_name",
    /// A bare word is what the engine takes it for.
    BareWord = "bare_word",
    /// What the catalog holds of a table can't be read as it was written.
    CatalogUnreadable = "catalog_unreadable",
    /// A statement costs no more than the policy allows, by the engine's own plan.
    Cost = "cost",
    /// Nothing but reading: every effect that the reader has found refuses.
    Effects = "effects",
    /// Aggregates are over rows that no join has multiplied.
    FanOut = "fan_out",
    /// Functions by a list of those known to be pure.
    Functions = "functions",
    /// A quotient of whole numbers is not a whole number.
    IntegerDivision = "integer_division",
    /// Columns that are joined can be equal.
    JoinMismatch = "join_mismatch",
    /// The last day of a range ends with its last moment, not with its first.
    LastDay = "last_day",
    /// Literals that are compared with a profiled column occur in it.
    LiteralValue = "literal_value",
    /// What may not be read: tables and columns that the policy denies, and columns that are masked or that nobody has looked
    MaskedColumn = "masked_column",
    /// Relations of one FROM are connected by a condition.
    MissingJoin = "missing_join",
    /// A query that lists rows says how many it wants.
    MissingLimit = "missing_limit",
    /// Exactly one statement.
    OneStatement = "one_statement",
    /// The tables are among those that were shown.
    OutsideContext = "outside_context",
    /// The statement must be one that can be read: it parses, and is neither too long nor too deep.
    Readable = "readable",
    /// Small statements that ask for enormous work or enormous values.
    ResourceBomb = "resource_bomb",
    /// Conditions on large tables lead to an index.
    SlowFilter = "slow_filter",
    /// A table that nobody has written to for over a year, or that is another one's copy, is read only by those who mean it.
    StaleTable = "stale_table",
    /// Only queries: SELECT, VALUES, WITH … SELECT, and EXPLAIN of those; with a few harmless ways to ask about the schema.
    StatementKind = "statement_kind",
    /// What stands for a moment or for a whole life adds up to nothing.
    SummedLevels = "summed_levels",
    /// The engine's own tables, where definitions, users, settings and secrets are.
    SystemCatalog = "system_catalog",
    /// Values that are compared are of types that can be compared.
    TypeMismatch = "type_mismatch",
    /// Beside an aggregate stands what the rows are grouped by.
    UngroupedColumn = "ungrouped_column",
    /// What rows say that names and types don't is taken into account.
    UnheededFact = "unheeded_fact",
    /// Every column exists where it is looked for.
    UnknownColumn = "unknown_column",
    /// Every table exists.
    UnknownTable = "unknown_table",
    /// A table that the database wouldn't let us read when it was profiled: no privilege, or a view that has lost its table.
    UnreadableTable = "unreadable_table",
    /// What nearly everybody leaves out who reads a table is left out.
    UsualFilter = "usual_filter",
    /// No rule: what the engine said when it was asked.
    Engine = "engine",
}

impl fmt::Display for RuleName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for RuleName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
