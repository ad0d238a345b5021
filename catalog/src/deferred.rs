//! Parts of an entry that are read from the catalog's file when somebody asks for them.
//!
//! Profiles and descriptions are by far the most of a catalog, and a question looks at those of a few tables. What is read
//! later comes from the same moment as the rest. Reading can fail, and who asks is told: a part that can't be read is not a
//! part that isn't there.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;

use crate::model::description::TableDescription;
use crate::model::masks::{Examination, Rulings};
use crate::model::profile::TableProfile;
use crate::model::structure::TableId;

/// Where parts are read from: the catalog's file as it was at one moment.
pub(crate) trait Moment: Send + Sync {
    /// The JSON of a part of that table, which lies in that row; says why where it can't be had whole.
    fn body(&self, table: &TableId, kind: PartKind, row: i64) -> Result<String, String>;
}

/// Kinds of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    Examination,
    Rulings,
    Profile,
    Description,
}

/// A part of the catalog that can't be read as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The table it is about, where that can be told.
    pub table: Option<TableId>,
    /// What it is: `structure`, `profile`, `masks`, `rulings`, `description`, `source` …
    pub part: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.table {
            Some(table) => write!(formatter, "the {} of `{}` can't be read: {}", self.part, table.local(), self.reason),
            None => write!(formatter, "a {} can't be read: {}", self.part, self.reason),
        }
    }
}

/// What can be deferred.
pub(crate) trait Part: DeserializeOwned {
    const KIND: PartKind;
    /// What it is called in a [`Damage`].
    const NAME: &'static str;

    /// Frees what was allocated for more than came.
    fn shrink(&mut self) {}
}

impl Part for Examination {
    const KIND: PartKind = PartKind::Examination;
    const NAME: &'static str = "masks";
}

impl Part for Rulings {
    const KIND: PartKind = PartKind::Rulings;
    const NAME: &'static str = "rulings";
}

impl Part for TableProfile {
    const KIND: PartKind = PartKind::Profile;
    const NAME: &'static str = "profile";

    fn shrink(&mut self) {
        self.shrink_to_fit();
    }
}

impl Part for TableDescription {
    const KIND: PartKind = PartKind::Description;
    const NAME: &'static str = "description";

    fn shrink(&mut self) {
        self.shrink_to_fit();
    }
}

/// A part that is there, or is missing, or is read when it is first asked for.
#[derive(Clone)]
pub(crate) struct Deferred<T> {
    value: OnceLock<Result<Option<T>, Damage>>,
    from: Option<Unread>,
}

/// What a part is read from.
#[derive(Clone)]
enum Unread {
    /// The row of that number.
    Row(Arc<dyn Moment>, i64),
    /// Its JSON, or why that can't be had whole.
    Body(Result<String, String>),
}

impl<T: Part> Deferred<T> {
    /// To be read from there.
    pub(crate) fn later(moment: &Arc<dyn Moment>, row: i64) -> Self {
        Self { value: OnceLock::new(), from: Some(Unread::Row(Arc::clone(moment), row)) }
    }

    /// To be decoded from this.
    pub(crate) fn of_body(body: Result<String, String>) -> Self {
        Self { value: OnceLock::new(), from: Some(Unread::Body(body)) }
    }

    /// The part, read now if it wasn't before and then given to `finish`.
    pub(crate) fn read(&self, table: &TableId, finish: impl FnOnce(&mut T)) -> Result<Option<&T>, &Damage> {
        let read = || {
            let body = match &self.from {
                Some(Unread::Row(moment, row)) => moment.body(table, T::KIND, *row),
                Some(Unread::Body(body)) => body.clone(),
                None => return Ok(None),
            };
            let decoded = body.and_then(|body| serde_json::from_str::<T>(&body).map_err(|error| error.to_string()));
            let mut part = decoded.map_err(|reason| Damage { table: Some(table.clone()), part: T::NAME, reason })?;
            finish(&mut part);
            part.shrink();
            Ok(Some(part))
        };
        // Once for each part, however often it is asked for.
        let told = || read().inspect_err(|damage| tracing::debug!(%damage, "a part of the catalog can't be read"));
        self.value.get_or_init(told).as_ref().map(Option::as_ref)
    }

    /// Changes the part if it has been read; what is read later is finished by who reads it.
    pub(crate) fn amend(&mut self, change: impl FnOnce(&mut T)) {
        if let Some(Ok(Some(part))) = self.value.get_mut() {
            change(part);
        }
    }

    /// The part as far as it has been read.
    pub(crate) fn take(self) -> Option<T> {
        self.value.into_inner().and_then(Result::ok).flatten()
    }
}

impl<T> From<Option<T>> for Deferred<T> {
    fn from(part: Option<T>) -> Self {
        Self { value: OnceLock::from(Ok(part)), from: None }
    }
}
