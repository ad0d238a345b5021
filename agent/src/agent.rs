//! What a question is answered with: the catalog, the linker, the connection, the model, the policy, the settings.

use catalog::Catalog;
use connect::Connector;
use guard::Policy;
use link::Linker;
use llm::{ChatModel, WebSearch};

use crate::options::{AgentOptions, MAX_TOOL_CALLS, Mode};

/// Answers questions about one source.
pub struct Agent<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) linker: &'a Linker<'a>,
    pub(crate) connector: &'a dyn Connector,
    pub(crate) model: Option<&'a dyn ChatModel>,
    pub(crate) policy: &'a Policy,
    pub(crate) options: AgentOptions,
    pub(crate) web_search: Option<&'a dyn WebSearch>,
}

impl<'a> Agent<'a> {
    /// An agent for the source behind `connector`. Without a model it answers from approved queries, and otherwise
    /// returns the context it would have used.
    pub fn new(
        catalog: &'a Catalog,
        linker: &'a Linker<'a>,
        connector: &'a dyn Connector,
        model: Option<&'a dyn ChatModel>,
        policy: &'a Policy,
        options: AgentOptions,
    ) -> Self {
        Self { catalog, linker, connector, model, policy, options, web_search: None }
    }

    /// The same agent with a search of the web, where there is one, among the tools that large models may call.
    #[must_use]
    pub fn with_web_search(self, web_search: Option<&'a dyn WebSearch>) -> Self {
        Self { web_search, ..self }
    }

    pub(crate) fn tool_calls_allowed(&self) -> usize {
        self.options.max_tool_calls.clamp(1, MAX_TOOL_CALLS)
    }

    pub(crate) fn drafter(&self) -> Drafter {
        match self.model.map(ChatModel::info) {
            Some(info) if !info.small => Drafter::Large,
            _ => Drafter::Small,
        }
    }

    /// Whether the model is led by its own calls of tools.
    pub(crate) fn uses_tools(&self, model: &dyn ChatModel) -> bool {
        match self.options.mode {
            Mode::Auto => model.info().tools && !model.info().small,
            Mode::Scripted => false,
            Mode::Tools => model.info().tools,
        }
    }
}

/// Who drafts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drafter {
    Small,
    Large,
}
