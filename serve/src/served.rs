//! What is served to whom, and again where the configuration says something else now.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use crate::caller::{Caller, Rights, Role};
use crate::context::{Configuration, Context};
use crate::error::ToolError;
use crate::indexing::{IndexRuns, StartIndexing};

/// Reads the configuration again: what is served by it.
pub type Reload = Box<dyn Fn() -> BoxFuture<'static, Result<Serving, Box<dyn Error + Send + Sync>>> + Send + Sync>;

/// What is to be served.
pub struct Serving {
    context: Context,
    roles: Vec<Role>,
    reload: Option<Reload>,
    is_outdated: Arc<AtomicBool>,
    indexing: Option<StartIndexing>,
}

impl Serving {
    /// The same to everybody, by a configuration that stays.
    pub fn new(context: Context) -> Self {
        Self { context, roles: Vec::new(), reload: None, is_outdated: Arc::default(), indexing: None }
    }

    /// To callers of these roles what they say.
    #[must_use]
    pub fn with_roles(self, roles: Vec<Role>) -> Self {
        Self { roles, ..self }
    }

    /// The same, if it is by that text.
    fn by(self, text: &str) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let by = self.context.options().configuration.as_ref();
        match by.is_some_and(|configuration| configuration.text == text) {
            true => Ok(self),
            false => Err("the file was changed while it was read".into()),
        }
    }

    /// The same, and where the configuration's file has changed, what this reads from it.
    #[must_use]
    pub fn read_again_by(self, reload: Reload) -> Self {
        Self { reload: Some(reload), ..self }
    }

    /// The same, and once somebody sets this, it is read again though the configuration says the same: something else has changed
    /// by which it was made.
    #[must_use]
    pub fn outdated_by(self, is_outdated: Arc<AtomicBool>) -> Self {
        Self { is_outdated, ..self }
    }

    /// The same, and administrators may have databases indexed by this.
    #[must_use]
    pub fn indexed_by(self, start: StartIndexing) -> Self {
        Self { indexing: Some(start), ..self }
    }
}

/// What is served at the moment.
pub(crate) struct Served {
    now: RwLock<Now>,
    reload: Option<Reload>,
    is_outdated: Arc<AtomicBool>,
    index_runs: Option<Arc<IndexRuns>>,
    /// The text that couldn't be taken over last, and when that was; held while one is being read.
    refused: Mutex<Option<(Option<String>, Instant)>>,
}

#[derive(Clone)]
struct Now {
    everybody: Arc<Context>,
    roles: Arc<BTreeMap<String, (Rights, Arc<Context>)>>,
}

impl Now {
    fn new(context: Context, roles: Vec<Role>) -> Self {
        let roles = roles.into_iter().map(|role| (role.name, (role.rights, Arc::new(role.context)))).collect();
        Self { everybody: Arc::new(context), roles: Arc::new(roles) }
    }
}

impl Served {
    pub(crate) fn new(serving: Serving) -> Self {
        let Serving { context, roles, reload, is_outdated, indexing } = serving;
        let index_runs = indexing.map(|start| Arc::new(IndexRuns::new(start)));
        let now = RwLock::new(Now::new(context, roles));
        Self { now, reload, is_outdated, index_runs, refused: Mutex::new(None) }
    }

    fn now(&self) -> Now {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What those without a role of the operator's own are served.
    pub(crate) fn everybody(&self) -> Arc<Context> {
        self.now().everybody
    }

    /// What this caller is served. Between being admitted and being served the configuration may have been read again.
    ///
    /// # Errors
    /// `role_unknown` where the caller's role is in it no more, or allows less than it did.
    pub(crate) fn to(&self, caller: &Caller) -> Result<Arc<Context>, ToolError> {
        let now = self.now();
        match now.roles.get(&caller.role) {
            Some((rights, context)) if caller.rights <= *rights => Ok(Arc::clone(context)),
            None if Rights::ALL.iter().any(|rights| rights.name() == caller.role) => Ok(Arc::clone(&now.everybody)),
            _ => Err(ToolError::new(
                "role_unknown",
                "the caller's role isn't in the configuration any more, or allows less",
            )
            .hint("send the request again; the operator names roles in `[guard.roles.NAME]`")),
        }
    }

    /// The runs that look at the databases again, where there may be any.
    pub(crate) fn index_runs(&self) -> Option<Arc<IndexRuns>> {
        self.index_runs.clone()
    }

    /// What callers of that role may do; `None` where there is no such role, or no more.
    pub(crate) fn rights(&self, role: &str) -> Option<Rights> {
        let own = self.now().roles.get(role).map(|(rights, _)| *rights);
        own.or_else(|| Rights::ALL.into_iter().find(|rights| rights.name() == role))
    }

    /// Takes over what the configuration says now. Until it can be, nobody is answered: what was served before may not be
    /// shown any more.
    pub(crate) async fn refresh(&self) {
        self.read_outdated_again().await;
        let Some(reload) = self.reload.as_ref().filter(|_| self.changed().is_some()) else { return };
        let mut refused = self.refused.lock().await;
        let Some(configuration) = self.changed() else { return };
        let read = std::fs::read_to_string(&configuration.path).ok();
        if refused.as_ref().is_some_and(|(refused, at)| *refused == read && at.elapsed() < TRIED_AGAIN_AFTER) {
            return;
        }
        let text = settled(&configuration.path, read).await;
        let taken = match &text {
            Some(text) if says_something(text) => reload().await.and_then(|serving| serving.by(text)),
            _ => Err("the file is empty, or gone".into()),
        };
        match taken {
            Ok(Serving { context, roles, .. }) => {
                *self.now.write().unwrap_or_else(PoisonError::into_inner) = Now::new(context, roles);
                *refused = None;
                tracing::info!(file = %configuration.path.display(), "the configuration was read again");
            }
            Err(error) => {
                let (file, error) = (configuration.path.display(), shown::with_sources(error.as_ref()));
                tracing::error!(%file, %error, "the configuration can't be taken over, and nobody is answered");
                *refused = Some((text, Instant::now()));
            }
        }
    }

    /// Reads again what somebody has found to be outdated. Where that fails, statements are still the database's to refuse, and
    /// the next request tries again.
    async fn read_outdated_again(&self) {
        let Some(reload) = self.reload.as_ref().filter(|_| self.is_outdated.load(Ordering::Acquire)) else { return };
        let _alone = self.refused.lock().await;
        if self.changed().is_some() || !self.is_outdated.swap(false, Ordering::AcqRel) {
            return;
        }
        match reload().await {
            Ok(Serving { context, roles, .. }) => {
                *self.now.write().unwrap_or_else(PoisonError::into_inner) = Now::new(context, roles);
                tracing::info!("what roles may read was asked again");
            }
            Err(error) => {
                let error = shown::with_sources(error.as_ref());
                tracing::error!(%error, "what roles may read can't be asked");
                self.is_outdated.store(true, Ordering::Release);
            }
        }
    }

    /// The configuration, where its file says something else by now.
    fn changed(&self) -> Option<Configuration> {
        let everybody = self.everybody();
        everybody.options().configuration.as_ref().filter(|configuration| !configuration.holds()).cloned()
    }
}

/// How long a file has to be as it is before it counts: who saves it in place has it empty, or half of it, for a moment.
const SETTLED: Duration = Duration::from_millis(500);

/// How soon the same text is tried again, as what it names may be there by then.
const TRIED_AGAIN_AFTER: Duration = Duration::from_secs(10);

/// What a file that says this says once nobody is writing to it any more; `None` where it is gone, can't be read, or doesn't
/// settle.
async fn settled(path: &Path, mut text: Option<String>) -> Option<String> {
    for _ in 0..MOST_ROUNDS {
        tokio::time::sleep(SETTLED).await;
        let now = std::fs::read_to_string(path).ok();
        if now == text {
            return text;
        }
        text = now;
    }
    None
}

/// How often a file may be another one meanwhile.
const MOST_ROUNDS: usize = 20;

/// Whether there is more in it than comments.
fn says_something(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use super::{Now, Served};
    use crate::caller::{Caller, Rights, Role};
    use crate::context::{Context, Options};

    fn context(folder: &tempfile::TempDir) -> Context {
        let store = catalog::Store::open(&folder.path().join("catalog.db"), Arc::new(catalog::NoMaskRules)).unwrap();
        Context::new(store, None, llm::static_embedder(), Vec::new(), Options::default())
    }

    #[test]
    fn who_was_admitted_in_a_role_that_is_gone_is_served_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let own = |rights| vec![Role { name: "analyst".to_owned(), rights, context: context(&folder) }];
        let served = Served::new(super::Serving::new(context(&folder)).with_roles(own(Rights::Approver)));
        let caller = |role: &str, rights| Caller { name: "ann".to_owned(), role: role.to_owned(), rights };
        let analyst = caller("analyst", Rights::Approver);
        assert!(served.to(&analyst).is_ok() && served.to(&caller("reader", Rights::Reader)).is_ok());
        for roles in [own(Rights::Reader), Vec::new()] {
            *served.now.write().unwrap() = Now::new(context(&folder), roles);
            assert_eq!(served.to(&analyst).err().map(|error| error.code), Some("role_unknown"));
        }
    }
}
