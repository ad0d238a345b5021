//! Which columns may not be shown, and who says so.
//!
//! What follows from the structure is computed whenever a structure is read, by [`MaskRules`], and kept nowhere. What only
//! the values told, and what people said, is kept apart from what was measured: a profile can be lost or be out of date
//! without a column being opened by that.
//!
//! Invariant: what isn't known to be open isn't [`Exposure::Open`].

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::profile::TableProfile;
use super::structure::{Column, RowPolicy, Table, TableId};
use crate::names::place_of;
use crate::view::Catalog;

/// Why a column may not be shown.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Mask {
    /// Who says so.
    pub by: MaskedBy,
    /// A phrase for people: `name matches "email"`, `values look like IBANs`. It holds no value.
    pub reason: String,
    /// How sure that is, 0 to 1. What is only likely is masked too.
    pub confidence: f64,
    /// It hides names of people, about which [`MaskRules::masks_names`] decides whenever it is read.
    pub hides_names: bool,
}

impl Mask {
    /// What the values of a column told, beyond doubt.
    pub fn by_values(reason: impl Into<String>) -> Self {
        Self { by: MaskedBy::Values, reason: reason.into(), confidence: 1.0, hides_names: false }
    }
}

/// Who says that a column is sensitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MaskedBy {
    /// The configuration.
    Configuration,
    /// The configuration, which lets nobody use it at all: not even whether it has a value is told.
    Denied,
    /// Its name, its comment or what stands beside it.
    Structure,
    /// The columns that it is made from.
    Origin,
    /// Its values.
    Values,
    /// A person.
    Person,
}

impl MaskedBy {
    /// Whether the configuration says it, which nobody but the operator can change.
    pub fn is_configured(self) -> bool {
        matches!(self, Self::Configuration | Self::Denied)
    }
}

/// Catalogs before format 5 held the reason alone.
impl<'de> Deserialize<'de> for Mask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Stored {
            Reason(String),
            Whole {
                by: MaskedBy,
                reason: String,
                confidence: f64,
                #[serde(default)]
                hides_names: bool,
            },
        }
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Reason(reason) => Self::by_values(reason),
            Stored::Whole { by, reason, confidence, hides_names } => Self { by, reason, confidence, hides_names },
        })
    }
}

/// What a column's structure says of it.
#[derive(Clone, Debug, PartialEq)]
pub enum StructureVerdict {
    /// It is sensitive.
    Masked(Mask),
    /// The configuration says that it is not, whatever it is called and holds.
    Kept,
    /// Nothing: its values and people have to tell.
    Open,
}

/// Decides by structure and configuration alone which columns are sensitive.
pub trait MaskRules: Send + Sync {
    /// A verdict for each column, in the table's order.
    fn verdicts(&self, table: &Table) -> Vec<StructureVerdict>;

    /// Whether nothing is said of the rows of a table, not even how many there are.
    fn hides_rows(&self, _table: &TableId) -> bool {
        false
    }

    /// Whether nobody may use a column at all.
    fn denies(&self, _table: &Table, _column: &Column) -> bool {
        false
    }

    /// Whether names of people are masked.
    fn masks_names(&self) -> bool {
        true
    }

    /// The policies that choose which rows of a table are seen, where these aren't those of the role that the catalog was made
    /// with.
    fn row_policies(&self, _table: &TableId) -> Option<&[RowPolicy]> {
        None
    }

    /// Another text of other rules: what was decided by those doesn't hold by these.
    fn mark(&self) -> String {
        String::new()
    }

    /// The columns that hold what others do, as far as structures tell.
    fn lineage(&self, _catalog: &Catalog) -> Lineage {
        Lineage::default()
    }
}

/// A column that is made from others: of a view, of a table that reads others, generated, or a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeColumn {
    /// Its table.
    pub table: TableId,
    /// Its name.
    pub column: String,
    /// The columns that it is made from, in tables or in other views; `None` where that can't be told.
    pub origins: Option<Vec<(TableId, String)>>,
    /// Whether somebody has stored in it what is made of these under a condition, or another value than theirs: then whether
    /// there is one tells of them.
    pub is_computed: bool,
}

/// The rows of a view, or of another relation that isn't stored as it is, and what they follow from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeRows {
    /// The relation.
    pub table: TableId,
    /// The columns that decide which rows there are, as those in its conditions do; `None` where that can't be told.
    pub deciding: Option<Vec<(TableId, String)>>,
    /// The relations that it reads.
    pub reads: Vec<TableId>,
    /// How these rows came into it.
    pub by: RowsBy,
}

/// How rows come into a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowsBy {
    /// By its own query or policies: nothing but these rows is in it. Whoever has released a column of it has looked at them.
    Itself,
    /// By a text that makes it anew with these columns: nothing but these rows is in it.
    Making(Vec<String>),
    /// By a text that adds rows with values in these columns.
    Adding(Vec<String>),
    /// By no text: one changes values of these columns.
    Changing(Vec<String>),
}

impl RowsBy {
    /// The columns that a text writes.
    pub fn columns(&self) -> &[String] {
        match self {
            Self::Itself => &[],
            Self::Making(columns) | Self::Adding(columns) | Self::Changing(columns) => columns,
        }
    }
}

/// What columns and rows are made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lineage {
    /// The columns that are made from others.
    pub columns: Vec<MadeColumn>,
    /// The relations whose rows are made from others'.
    pub rows: Vec<MadeRows>,
    /// Columns that stay masked, whatever the rest says, until a person releases them.
    pub held: Vec<(TableId, String, Mask)>,
}

/// Why a column is closed that is made from no masked one; behind it stands, where that is known, which one it is.
pub const DECIDED: &str = "which rows there are follows from a masked column";

/// Why a column is closed that was masked before, and of which nothing says so any more; behind it stands why it was.
pub const HELD: &str = "masked before, and nobody has released it";

/// Why a column is closed of which nobody can say what it is made from.
pub const NOT_FOLLOWED: &str = "made by a query that can't be followed";

/// The rules of catalogs in which nothing is anybody's secret: made up for tests, or public.
#[derive(Clone, Copy, Debug)]
pub struct NoMaskRules;

impl MaskRules for NoMaskRules {
    fn verdicts(&self, table: &Table) -> Vec<StructureVerdict> {
        vec![StructureVerdict::Open; table.columns.len()]
    }
}

/// What looking at a table's values has told of which may be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Examination {
    /// Which table.
    pub table: TableId,
    /// [`Table::shape`] when its values were looked at: of another shape nothing is known to be open.
    pub shape: String,
    /// What the engine told the table by then: of another table of that name nothing is known to be open either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// The columns whose values were looked at and kept.
    pub columns: Vec<String>,
    /// Those of which the values are sensitive, or those of the columns that they are made from; also where they were kept
    /// because somebody had released them, which needn't hold for ever.
    pub found: Vec<FoundMask>,
}

/// A column that its values gave away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundMask {
    /// The column.
    pub column: String,
    /// Why.
    pub mask: Mask,
}

impl Examination {
    /// What was found by the values of that column, whatever its table has become since.
    pub fn found(&self, column: &str) -> Option<&Mask> {
        place_of(self.found.iter().map(|found| found.column.as_str()), column).map(|place| &self.found[place].mask)
    }

    /// Whether that is the table, of that shape, which was looked at. Which table it was, earlier versions didn't keep.
    pub fn covers(&self, table: &Table) -> bool {
        self.shape == table.shape() && (self.identity.is_none() || self.identity == table.identity.own)
    }

    /// Whether the values of that column were looked at.
    pub fn examined(&self, column: &str) -> bool {
        self.columns.iter().any(|name| name == column)
    }

    /// What the making of a profile has told of its table.
    pub fn of(table: &Table, profile: &TableProfile) -> Self {
        let found = profile.columns.iter().filter_map(|column| {
            let masked = column.masked.as_ref().filter(|mask| matches!(mask.by, MaskedBy::Values | MaskedBy::Origin));
            let mask = masked.or(column.overruled.as_ref())?.clone();
            Some(FoundMask { column: column.column.clone(), mask })
        });
        let read = profile.columns.iter().filter(|column| column.masked.is_none());
        Self {
            table: table.id.clone(),
            shape: table.shape(),
            identity: table.identity.own.clone(),
            columns: read.map(|column| column.column.clone()).collect(),
            found: found.collect(),
        }
    }
}

/// What people have said of a table's columns, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rulings(pub Vec<Ruling>);

impl Rulings {
    /// What holds for a column of that table, unless it was withdrawn.
    pub fn of(&self, table: &Table, column: &str) -> Option<&Ruling> {
        let place = table.place_of(column)?;
        let last = self.0.iter().rev().find(|ruling| table.place_of(&ruling.column) == Some(place));
        last.filter(|ruling| ruling.decision != Decision::Withdraw)
    }
}

/// What somebody has said of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ruling {
    /// The column.
    pub column: String,
    /// What.
    pub decision: Decision,
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Why, if that was said.
    pub why: Option<String>,
}

impl Ruling {
    /// The mask that it stands for.
    pub fn mask(&self) -> Mask {
        let reason = format!("{} masked it", self.by);
        Mask { by: MaskedBy::Person, reason, confidence: 1.0, hides_names: false }
    }
}

/// What a person decides of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It is sensitive.
    Mask,
    /// It is not.
    Release,
    /// What was said of it before no longer counts: the rules decide.
    Withdraw,
}

/// Whether a column's values may be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Exposure {
    /// They may.
    Open,
    /// They may not.
    Masked(Mask),
    /// Nobody has looked at them yet.
    Unexamined,
}

impl Exposure {
    /// Why they may not be shown, where that is known.
    pub fn mask(&self) -> Option<&Mask> {
        match self {
            Self::Masked(mask) => Some(mask),
            Self::Open | Self::Unexamined => None,
        }
    }

    /// What follows for each column of a table from everything that is said of it. The configuration comes before people,
    /// people before what is built in, and what is built in before what the values tell.
    pub(crate) fn of_table(
        table: &Table,
        rules: &dyn MaskRules,
        rulings: Option<&Rulings>,
        examination: Option<&Examination>,
    ) -> Vec<Self> {
        let covered = examination.filter(|examination| examination.covers(table));
        let of = |(column, verdict): (&super::structure::Column, StructureVerdict)| {
            let by_structure = match verdict {
                StructureVerdict::Kept => return Self::Open,
                StructureVerdict::Masked(mask) if mask.by.is_configured() => return Self::Masked(mask),
                StructureVerdict::Masked(mask) => Some(mask),
                StructureVerdict::Open => None,
            };
            if let Some(ruling) = rulings.and_then(|rulings| rulings.of(table, &column.name)) {
                return match ruling.decision {
                    Decision::Release => Self::Open,
                    Decision::Mask | Decision::Withdraw => Self::Masked(ruling.mask()),
                };
            }
            let found = || {
                let found = examination.and_then(|examination| examination.found(&column.name));
                found.filter(|mask| !mask.hides_names || rules.masks_names()).cloned()
            };
            match by_structure.or_else(found) {
                Some(mask) => Self::Masked(mask),
                None if covered.is_some_and(|covered| covered.examined(&column.name)) => Self::Open,
                None => Self::Unexamined,
            }
        };
        table.columns.iter().zip(rules.verdicts(table)).map(of).collect()
    }
}
