//! What questions are answered with: a model, opened when the first question comes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use agent::AgentOptions;
use llm::{ChatModel, LlmError, WebSearch};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::context::unpoisoned;
use crate::error::ToolError;

/// Questions that a model on this machine works on at a time, and one behind an endpoint; more wait.
const AT_ONCE: (usize, usize) = (1, 8);

/// Into so many shares the places are divided, of which a caller has one.
const SHARES: usize = 2;

type Open = Box<dyn Fn() -> Result<Box<dyn ChatModel>, LlmError> + Send + Sync>;

/// What questions are answered with.
pub struct Asking {
    open: Open,
    model: OnceCell<Arc<dyn ChatModel>>,
    web_search: Option<Box<dyn WebSearch>>,
    options: AgentOptions,
    is_for_agents: bool,
    places: Semaphore,
    /// Each caller's share of the places.
    shares: Mutex<HashMap<String, Arc<Semaphore>>>,
    share: usize,
}

/// What one question is answered with, while it is worked on.
pub(crate) struct Place<'a> {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) web_search: Option<&'a dyn WebSearch>,
    pub(crate) options: AgentOptions,
    _share: Option<OwnedSemaphorePermit>,
    _place: Option<SemaphorePermit<'a>>,
}

impl Asking {
    /// A model that runs on this machine. People and programs may ask it; an agent does better by itself.
    pub fn locally(
        open: impl Fn() -> Result<Box<dyn ChatModel>, LlmError> + Send + Sync + 'static,
        options: AgentOptions,
    ) -> Self {
        Self::new(Box::new(open), options, AT_ONCE.0, false)
    }

    /// A model behind an endpoint, which agents are offered as well.
    pub fn remotely(
        open: impl Fn() -> Result<Box<dyn ChatModel>, LlmError> + Send + Sync + 'static,
        options: AgentOptions,
    ) -> Self {
        Self::new(Box::new(open), options, AT_ONCE.1, true)
    }

    fn new(open: Open, options: AgentOptions, at_once: usize, is_for_agents: bool) -> Self {
        let (model, places) = (OnceCell::new(), Semaphore::new(at_once));
        let share = (at_once / SHARES).max(1);
        Self { open, model, web_search: None, options, is_for_agents, places, shares: Mutex::default(), share }
    }

    /// The same with a search of the web, for large models.
    #[must_use]
    pub fn with_web_search(self, web_search: Option<Box<dyn WebSearch>>) -> Self {
        Self { web_search, ..self }
    }

    /// Whether agents are offered a tool that asks it.
    pub(crate) fn is_for_agents(&self) -> bool {
        self.is_for_agents
    }

    /// Waits until a question of that caller may be worked on: first among the caller's own, then among all.
    pub(crate) async fn place(self: &Arc<Self>, caller: &str) -> Result<Place<'_>, ToolError> {
        let share = self.share_of(caller).acquire_owned().await.ok();
        let place = self.places.acquire().await.ok();
        let open = async || {
            let asking = Arc::clone(self);
            let opened = tokio::task::spawn_blocking(move || (asking.open)()).await;
            let opened = opened.map_err(|_| ToolError::new("interrupted", "opening the model was interrupted"))?;
            opened.map(Arc::from).map_err(|error| ToolError::of(error.code(), &error, error.hints()))
        };
        let model = Arc::clone(self.model.get_or_try_init(open).await?);
        Ok(Place {
            model,
            web_search: self.web_search.as_deref(),
            options: self.options.clone(),
            _share: share,
            _place: place,
        })
    }

    fn share_of(&self, caller: &str) -> Arc<Semaphore> {
        let mut shares = unpoisoned(&self.shares);
        // Who has asked for nothing is forgotten.
        shares.retain(|name, share| name == caller || Arc::strong_count(share) > 1);
        Arc::clone(shares.entry(caller.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.share))))
    }
}
