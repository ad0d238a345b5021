//! What the engine says is there: sources, tables, columns, keys, indexes.

use std::fmt;

use dialect::{Dialect, Identities};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::identity::Identity;
use super::last_update::LastUpdate;
use crate::names::place_of;

/// A database that Periplus has been pointed at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The name it has in the configuration, unique in a catalog: `shop`.
    pub name: String,
    /// The SQL it speaks.
    pub dialect: Dialect,
    /// Where it is, with every secret removed: `sqlite:shop.db`, `postgres://host:5432/sales`.
    pub location: String,
    /// What the user says about it, for people and for models.
    pub description: Option<String>,
    /// The schemas in which a table is looked for that is named without one, first to last; empty where that isn't known
    /// or where there are none.
    #[serde(default)]
    pub search_path: Vec<String>,
    /// Functions that the database has besides those of its engine.
    #[serde(default)]
    pub functions: AddedFunctions,
    /// When an index run last went through all of its tables.
    pub indexed_at: Option<Timestamp>,
    /// When keys and facts were last looked for over all of its tables together: nothing takes it back, unlike `indexed_at`, which
    /// isn't there while a run hasn't ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_at: Option<Timestamp>,
}

impl Source {
    /// What the database calls itself in names that say in which database a table is: the end of its location, `shop` of
    /// `duckdb:data/shop.duckdb` and of `postgres://host/shop`.
    pub fn database(&self) -> Option<&str> {
        let end = self.location.split('?').next()?.rsplit(['/', ':', '\\']).next()?;
        let stem = end.split('.').next().unwrap_or(end);
        (!stem.is_empty()).then_some(stem)
    }

    /// A source that nothing else is known of.
    pub fn new(name: impl Into<String>, dialect: Dialect, location: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            dialect,
            location: location.into(),
            description: None,
            search_path: Vec::new(),
            functions: AddedFunctions::default(),
            indexed_at: None,
            compared_at: None,
        }
    }
}

/// Functions that extensions and users have added to a database, as far as they matter to who may call what. Names are
/// `schema.name`, both in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AddedFunctions {
    /// Brought by an extension that says of each of that name that it changes nothing: not volatile.
    #[serde(default)]
    pub not_volatile: Vec<String>,
    /// Those that somebody has made, and volatile ones of extensions: they may do anything, read any table, and a call by the
    /// bare name may mean one of them rather than the engine's own.
    // Catalogs of earlier versions have some of them under another name; no call is let through for that.
    #[serde(default, alias = "volatile_namesakes")]
    pub unsure: Vec<String>,
    /// The same in schemas where the engine doesn't look for a bare name.
    #[serde(default)]
    pub elsewhere: Vec<String>,
    /// Types that a value can be cast to and that call what somebody has made, where no call is to be seen.
    #[serde(default)]
    pub types: Vec<String>,
    /// Tables whose rows are such a type.
    #[serde(default)]
    pub row_types: Vec<String>,
    /// Operators over types of the engine's own that do the same.
    #[serde(default)]
    pub operators: Vec<String>,
    /// Functions of the engine's own that one which somebody made takes the place of, also where the engine calls them for
    /// an operator or another form.
    #[serde(default)]
    pub shadowed: Vec<String>,
}

/// Which table, in which source. Names are spelt as the engine spells them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct TableId {
    /// [`Source::name`].
    pub source: String,
    /// The schema or database inside the source, where the engine has them.
    pub schema: Option<String>,
    /// The table's own name.
    pub name: String,
}

impl TableId {
    /// The name as it has to be written in a statement, with its schema where it has one.
    pub fn written(&self, dialect: &Dialect) -> String {
        dialect.qualified(self.schema.as_deref(), &self.name)
    }

    /// A table without a schema.
    pub fn new(source: impl Into<String>, name: impl Into<String>) -> Self {
        Self { source: source.into(), schema: None, name: name.into() }
    }

    /// The name inside its source: `orders` or `sales.orders`.
    pub fn local(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{schema}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// `source.schema.table`, the name that is unique in a catalog.
impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.source, self.local())
    }
}

/// A condition that the engine adds whenever rows of a table are read, a policy of PostgreSQL's row security: one of the table
/// itself, or one that the owner of a view is under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RowPolicy {
    /// What it is called.
    pub name: String,
    /// A query of the table under that condition.
    pub query: String,
    /// The functions in it that aren't the engine's own.
    pub functions: Vec<PolicyFunction>,
}

/// A function that people have made, called by a [`RowPolicy`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyFunction {
    /// With its schema.
    pub name: String,
    /// The query that it is, where it is one without arguments.
    pub query: Option<String>,
}

/// A table or view as introspection found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// Which one.
    pub id: TableId,
    /// Table, view …
    pub kind: TableKind,
    /// The engine's comment.
    pub comment: Option<String>,
    /// A view's query text.
    pub definition: Option<String>,
    /// In the table's own order.
    pub columns: Vec<Column>,
    /// Column names, in key order; empty where there is none.
    pub primary_key: Vec<String>,
    /// Declared ones, then inferred ones.
    pub foreign_keys: Vec<ForeignKey>,
    /// All indexes but the primary key's.
    pub indexes: Vec<Index>,
    /// Rows, and whether that is exact.
    pub row_count: Option<RowCount>,
    /// When the data last changed, where that can be known.
    pub last_update: Option<LastUpdate>,
    /// Tables and views whose rows it gives, as far as the engine says: children that inherit from it, what a table of
    /// another engine stands in front of, what a view reads. What is behind those is theirs to say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads_from: Vec<TableId>,
    /// Its partitions, which are no tables of their own here; what is configured of one of them holds of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<TableId>,
    /// What chooses the rows that this connection sees of it, besides the view's own query.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub row_policies: Vec<RowPolicy>,
    /// What the engine tells it by, whatever it is called.
    #[serde(default, skip_serializing_if = "Identity::is_empty")]
    pub identity: Identity,
}

impl Table {
    /// A table of which nothing but its name is known.
    pub fn new(id: TableId) -> Self {
        Self {
            id,
            kind: TableKind::Table,
            comment: None,
            definition: None,
            columns: Vec::new(),
            primary_key: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            row_count: None,
            last_update: None,
            reads_from: Vec::new(),
            partitions: Vec::new(),
            row_policies: Vec::new(),
            identity: Identity::default(),
        }
    }

    /// Takes out what was counted or found in its rows.
    pub(crate) fn conceal_rows(&mut self) {
        // The engine notes when it has counted again, which is after many rows.
        (self.row_count, self.last_update) = (None, None);
        self.foreign_keys.iter_mut().for_each(ForeignKey::forget_values);
    }

    /// Whether this table, as it is now, may be what `other` was when that was looked at: by what the engine tells tables by and,
    /// where that is but a time or a place that others may take, by its columns.
    pub fn may_be(&self, other: &Self, dialect: &Dialect) -> bool {
        let (Some(is), Some(was)) = (&self.identity.own, &other.identity.own) else { return false };
        let column = |column: &Column| (column.name.clone(), column.data_type.clone());
        let same_columns = || self.columns.iter().map(column).eq(other.columns.iter().map(column));
        match dialect.names().identities {
            _ if self.definition.is_some() => false,
            Identities::Time => same_columns(),
            Identities::Place => is == was && same_columns(),
            // A part that was detached is a table of its own.
            Identities::Lasting => is == was || other.identity.parts.contains(is),
        }
    }

    /// The place of the column of that name: as it is spelt, or in another case where that is one column alone.
    pub fn place_of(&self, name: &str) -> Option<usize> {
        place_of(self.columns.iter().map(|column| column.name.as_str()), name)
    }

    /// The column of that name, as [`Table::place_of`] finds it.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.place_of(name).and_then(|place| self.columns.get(place))
    }

    /// What its columns' names begin with only to say that they are its: see [`words::glued_prefix`].
    pub fn column_prefix(&self) -> Option<&str> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        words::glued_prefix(&names)
    }

    /// A hash over what it is made of: its kind, a view's query, its columns' names and types in their order. 16 hexadecimal
    /// digits. Of another shape, a name need not stand for what it stood for.
    pub fn shape(&self) -> String {
        let columns = self.columns.iter().map(|column| (&column.name, &column.data_type, &column.generated));
        let columns: Vec<(&String, &String, &Option<String>)> = columns.collect();
        short_hash(&serde_json::json!([self.kind, self.definition, columns, self.reads_from]).to_string())
    }

    /// A hash over name, kind, columns, declared keys, indexes, what it reads and which table it is to the engine: it changes when
    /// the structure does or another table has its name, and not when rows do. 16 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        let declared: Vec<&ForeignKey> =
            self.foreign_keys.iter().filter(|key| key.origin == KeyOrigin::Declared).collect();
        let mut parts = serde_json::json!([
            self.id,
            self.kind,
            self.comment,
            self.definition,
            self.columns,
            self.primary_key,
            declared,
            self.indexes
        ]);
        // Without any, the hash is the one that was made before they were known.
        if let Some(parts) = parts.as_array_mut() {
            parts.extend((!self.reads_from.is_empty()).then(|| serde_json::json!(self.reads_from)));
            parts.extend((!self.identity.is_empty()).then(|| serde_json::json!(self.identity)));
        }
        short_hash(&parts.to_string())
    }
}

/// The first 8 bytes of a text's SHA-256, as 16 hexadecimal digits.
pub(crate) fn short_hash(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The kind of a relation whose values are computed by words that aren't a view's query: a dictionary that is made from a
/// query of its own, or picks rows.
pub const COMPUTED: &str = "computed dictionary";
/// The kind of SQLite's full-text indexes that keep no texts: nobody can say what columns they were filled from.
pub const CONTENTLESS: &str = "contentless index";

/// What kind of relation it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// A base table.
    Table,
    /// A view.
    View,
    /// A materialized view.
    MaterializedView,
    /// A table that lives elsewhere.
    ForeignTable,
    /// What an engine calls something we don't know.
    Other(String),
}

impl TableKind {
    /// The word for output: `table`, `view` …
    pub fn name(&self) -> &str {
        match self {
            Self::Table => "table",
            Self::View => "view",
            Self::MaterializedView => "materialized view",
            Self::ForeignTable => "foreign table",
            Self::Other(name) => name,
        }
    }
}

/// A column as introspection found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// As the engine spells it.
    pub name: String,
    /// The engine's own words for the type: `VARCHAR(120)`.
    pub data_type: String,
    /// What kind of values that is, across engines.
    pub type_class: TypeClass,
    /// Whether NULL is allowed.
    pub nullable: bool,
    /// The default expression.
    pub default: Option<String>,
    /// The engine's comment.
    pub comment: Option<String>,
    /// The values of an enum type or of a `CHECK (c IN (…))`, in order.
    pub enum_values: Vec<String>,
    /// The expression over other columns that its values are made by, in the engine's words; `None` where they are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated: Option<String>,
}

/// A type of several fields, as it stands in the words for a column's type: PostgreSQL's row types, `STRUCT`, `Tuple`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composite {
    /// What stands before its fields: `STRUCT`, or the name of the type, without a schema and without brackets of lists.
    pub name: String,
    /// Each field's name and type.
    pub fields: Vec<(String, String)>,
}

impl Composite {
    /// Every one in the words for a type, those in another's fields as well.
    fn in_type(words: &str) -> Vec<Self> {
        let (mut found, mut open, mut quote) = (Vec::new(), Vec::new(), None);
        for (at, sign) in words.char_indices() {
            match (sign, quote) {
                (sign, Some(quoted)) => quote = (sign != quoted).then_some(quoted),
                ('\'' | '"' | '`', None) => quote = Some(sign),
                ('(', None) => open.push(at),
                (')', None) => {
                    let Some(start) = open.pop() else { continue };
                    let fields: Vec<(String, String)> = elements(&words[start + 1..at]).filter_map(field).collect();
                    if !fields.is_empty() {
                        found.push(Self { name: type_name(&words[..start]), fields });
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// The parts of a text that commas separate, outside of brackets and quotes.
fn elements(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quote) = (0_i32, None);
    text.split(move |sign| {
        match (sign, quote) {
            (sign, Some(quoted)) => quote = (sign != quoted).then_some(quoted),
            ('\'' | '"' | '`', None) => quote = Some(sign),
            ('(', None) => depth += 1,
            (')', None) => depth -= 1,
            _ => {}
        }
        sign == ',' && depth == 0 && quote.is_none()
    })
}

/// `name type`, where it is that.
fn field(element: &str) -> Option<(String, String)> {
    let element = element.trim();
    let (name, rest) = match element.chars().next()? {
        quote @ ('"' | '`') => element[1..].split_once(quote)?,
        first if first.is_alphabetic() || first == '_' => element.split_once(char::is_whitespace)?,
        _ => return None,
    };
    let is_name = !name.is_empty() && !name.contains(['(', ')', '=', '\'']);
    (is_name && !rest.trim().is_empty()).then(|| (name.to_owned(), rest.trim().to_owned()))
}

/// The last name in words that end where its fields begin.
fn type_name(words: &str) -> String {
    let words = words.trim_end().trim_end_matches(['[', ']']);
    let quoted = words.strip_suffix('"').and_then(|rest| Some(rest.rsplit_once('"')?.1));
    let bare = words.rsplit(|sign: char| !(sign.is_alphanumeric() || sign == '_' || sign == '$')).next();
    quoted.or(bare).unwrap_or_default().to_owned()
}

impl Column {
    /// The types of several fields that its values are of or have in them.
    pub fn composites(&self) -> Vec<Composite> {
        if self.data_type.contains('(') { Composite::in_type(&self.data_type) } else { Vec::new() }
    }

    /// A column that may be NULL, of which nothing but name and type is known.
    pub fn new(name: impl Into<String>, data_type: impl Into<String>) -> Self {
        let data_type = data_type.into();
        Self {
            name: name.into(),
            type_class: TypeClass::of(&data_type),
            data_type,
            nullable: true,
            default: None,
            comment: None,
            enum_values: Vec::new(),
            generated: None,
        }
    }
}

/// Families of types that behave alike in comparisons and in profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TypeClass {
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction, exact or not.
    Real,
    /// Character data.
    Text,
    /// True and false.
    Boolean,
    /// Calendar dates.
    Date,
    /// Times of day.
    Time,
    /// Points in time.
    Timestamp,
    /// Bytes.
    Binary,
    /// JSON and other nested documents.
    Json,
    /// UUIDs.
    Uuid,
    /// Anything else, and columns with no declared type.
    Other,
}

impl TypeClass {
    /// The class of a declared type, by the words in it; array and unknown types are [`TypeClass::Other`].
    pub fn of(data_type: &str) -> Self {
        let lower = data_type.to_ascii_lowercase();
        let base = lower.split('(').next().unwrap_or_default().trim().to_owned();
        let has = |word: &str| base.contains(word);
        if base.ends_with("[]") || has("array") || has("struct") || has("map") || has("record") {
            return if has("json") { Self::Json } else { Self::Other };
        }
        if has("json") {
            Self::Json
        } else if has("uuid") || has("uniqueidentifier") {
            Self::Uuid
        } else if has("bool") || base == "bit" {
            Self::Boolean
        } else if has("timestamp") || has("datetime") {
            Self::Timestamp
        } else if has("date") {
            Self::Date
        } else if has("time") {
            Self::Time
        } else if has("interval") || has("point") || has("geo") {
            Self::Other
        } else if has("int") || has("serial") || base == "year" {
            Self::Integer
        } else if has("enum") {
            Self::Text
        } else if ["real", "floa", "doub", "dec", "num", "money"].iter().any(|word| has(word)) {
            Self::Real
        } else if ["char", "text", "clob", "string", "set", "name", "xml"].iter().any(|word| has(word)) {
            Self::Text
        } else if has("blob") || has("binary") || has("bytea") || has("bytes") {
            Self::Binary
        } else {
            Self::Other
        }
    }

    /// Whether values are numbers.
    pub fn is_numeric(self) -> bool {
        matches!(self, Self::Integer | Self::Real)
    }

    /// Whether values are dates or times.
    pub fn is_temporal(self) -> bool {
        matches!(self, Self::Date | Self::Time | Self::Timestamp)
    }
}

/// A reference from one table to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForeignKey {
    /// Columns here.
    pub columns: Vec<String>,
    /// The table they point to, always in the same source.
    pub ref_table: TableId,
    /// Columns there, in the same order.
    pub ref_columns: Vec<String>,
    /// Whether the schema says so or we found it.
    pub origin: KeyOrigin,
}

impl ForeignKey {
    /// Takes out of the evidence for it what was counted in rows.
    pub(crate) fn forget_values(&mut self) {
        if let KeyOrigin::Inferred(evidence) = &mut self.origin {
            // The confidence follows from both.
            let alone = if evidence.joined_in > 0 { KeyEvidence::JOINED_ALONE } else { evidence.name_fit };
            (evidence.inclusion, evidence.values_checked, evidence.confidence) = (None, 0, alone);
        }
    }
}

/// Where a foreign key comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyOrigin {
    /// The schema declares it.
    Declared,
    /// Nobody declared it; the evidence says how it was found.
    Inferred(KeyEvidence),
}

/// Why an undeclared foreign key is believed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeyEvidence {
    /// How well the names fit, 0 to 1.
    pub name_fit: f64,
    /// Statements of query logs that join so; 0 where names or values tell of it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub joined_in: u32,
    /// Share of sampled values found in the referenced column, 0 to 1; `None` where there were no values to look at.
    pub inclusion: Option<f64>,
    /// How many distinct values were looked up.
    pub values_checked: u64,
    /// The confidence that follows, 0 to 1.
    pub confidence: f64,
}

impl KeyEvidence {
    /// How far a join that many use is believed without values to look at.
    pub const JOINED_ALONE: f64 = 0.75;
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Key columns in order; an expression appears as its text.
    pub columns: Vec<String>,
    /// Whether it forbids duplicates.
    pub unique: bool,
}

impl Index {
    /// The name that what a ClickHouse table's rows are sorted by has as an index.
    pub const SORTING_KEY: &str = "sorting key";
}

/// How many rows a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RowCount {
    /// Rows.
    pub value: u64,
    /// Counted, or estimated.
    pub exactness: Exactness,
}

/// Whether a figure was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exactness {
    /// Counted over all rows.
    Exact,
    /// The engine's or our estimate.
    Estimate,
}

#[cfg(test)]
mod tests {
    use super::TypeClass;

    #[test]
    fn words_inside_other_words_do_not_make_a_class() {
        for (data_type, expected) in [
            ("ENUM('a', 'b')", TypeClass::Text),
            ("NUMERIC(10, 2)", TypeClass::Real),
            ("number", TypeClass::Real),
            ("set('x')", TypeClass::Text),
            ("bigint unsigned", TypeClass::Integer),
        ] {
            assert_eq!(TypeClass::of(data_type), expected, "{data_type}");
        }
    }
}
