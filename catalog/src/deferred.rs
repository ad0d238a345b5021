//! Parts of an entry that are read from the catalog's file when somebody looks at them.
//!
//! Profiles and descriptions are by far the most of a catalog, and a question looks at those of a few tables. What is read
//! later comes from the same moment as the rest.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;

use crate::model::description::TableDescription;
use crate::model::profile::TableProfile;

/// Where parts are read from: the catalog's file as it was at one moment.
pub(crate) trait Moment: Send + Sync {
    /// The JSON of a part, by the number of its row; says why where there is none.
    fn body(&self, kind: Kind, row: i64) -> Result<String, String>;
}

/// Kinds of parts.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Profile,
    Description,
}

/// What can be deferred.
pub(crate) trait Part: DeserializeOwned {
    const KIND: Kind;

    /// Frees what was allocated for more than came.
    fn shrink(&mut self);
}

impl Part for TableProfile {
    const KIND: Kind = Kind::Profile;

    fn shrink(&mut self) {
        self.shrink_to_fit();
    }
}

impl Part for TableDescription {
    const KIND: Kind = Kind::Description;

    fn shrink(&mut self) {
        self.shrink_to_fit();
    }
}

/// A part that is there, or is missing, or is read on first use. It is used like the `Option` that it stands for.
pub struct Deferred<T> {
    value: OnceLock<Option<T>>,
    from: Option<(Arc<dyn Moment>, i64)>,
}

impl<T> Deferred<T> {
    /// To be read from there.
    pub(crate) fn later(moment: &Arc<dyn Moment>, row: i64) -> Self {
        Self { value: OnceLock::new(), from: Some((Arc::clone(moment), row)) }
    }
}

#[expect(private_bounds, reason = "only parts of an entry can be deferred")]
impl<T: Part> Deferred<T> {
    /// The part itself, read now if it wasn't before.
    pub fn into_inner(self) -> Option<T> {
        let _: &Option<T> = &self;
        self.value.into_inner().flatten()
    }
}

impl<T: Part> Deref for Deferred<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        self.value.get_or_init(|| {
            let (moment, row) = self.from.as_ref()?;
            let body = moment.body(T::KIND, *row);
            let decoded = body.and_then(|body| serde_json::from_str::<T>(&body).map_err(|error| error.to_string()));
            // Nobody can be told where it is first looked at; without it the table is as good as not profiled.
            let mut part =
                decoded.inspect_err(|error| tracing::warn!(%error, "a part of the catalog can't be read")).ok()?;
            part.shrink();
            Some(part)
        })
    }
}

impl<T: Part> DerefMut for Deferred<T> {
    fn deref_mut(&mut self) -> &mut Option<T> {
        let _: &Option<T> = self;
        self.value.get_mut().expect("it was read just now")
    }
}

impl<T> From<Option<T>> for Deferred<T> {
    fn from(part: Option<T>) -> Self {
        Self { value: OnceLock::from(part), from: None }
    }
}

impl<T> From<T> for Deferred<T> {
    fn from(part: T) -> Self {
        Some(part).into()
    }
}

impl<T: Clone> Clone for Deferred<T> {
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), from: self.from.clone() }
    }
}

impl<T: Part + PartialEq> PartialEq for Deferred<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Part + fmt::Debug> fmt::Debug for Deferred<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}
