//! A database of singers and concerts, its catalog, and a model that replies what it is given.

use std::sync::Mutex;

use agent::{Action, Agent, AgentError, AgentOptions, Feedback, Outcome, Step};
use async_trait::async_trait;
use catalog::{Catalog, Dialect, Memory, MemoryId, MemoryKind, MemoryState, NewMemory, Reach, Source};
use connect::Connector;
use guard::Policy;
use index::Index;
use link::Linker;
use llm::{
    ChatModel, ChatReply, ChatRequest, Embedder, LlmError, ModelInfo, SearchEndpoint, StopReason, ToolCall, Usage,
    WebSearch,
};
use testkit::TempDatabase;

const SCRIPT: &str = "
    CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, birth_year INTEGER);
    CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, title TEXT, year INTEGER, venue_id INTEGER REFERENCES venue (venue_id));
    CREATE TABLE venue (venue_id INTEGER PRIMARY KEY, venue_name TEXT, city TEXT);
    CREATE TABLE singer_in_concert (
        singer_id INTEGER REFERENCES singer (singer_id), concert_id INTEGER REFERENCES concert (concert_id));
    CREATE TABLE tour (id INTEGER PRIMARY KEY, motto TEXT);
    CREATE TABLE stop (tour_id INTEGER REFERENCES tour (id), day TEXT);
    INSERT INTO tour VALUES (1, 'Home again');
    INSERT INTO stop VALUES (1, '2015-05-01'), (1, '2015-05-03');
    INSERT INTO singer VALUES (1, 'Ana', 'France', 1990), (2, 'Bo', 'Netherlands', 1985), (3, 'Cleo', 'France', 1979);
    INSERT INTO venue VALUES (1, 'Stadium', 'Lyon'), (2, 'Hall', 'Delft');
    INSERT INTO concert VALUES (1, 'Spring', 2014, 1), (2, 'Autumn', 2015, 2);
    INSERT INTO singer_in_concert VALUES (1, 1), (2, 1), (3, 2);";

/// Everything but the model.
pub(crate) struct World {
    _database: TempDatabase,
    connector: Box<dyn Connector>,
    pub(crate) catalog: Catalog,
    pub(crate) options: AgentOptions,
    pub(crate) web: Option<SearchEndpoint>,
}

impl World {
    /// The same over another database, with comments on its tables and columns.
    pub(crate) async fn over(script: &str, comments: &[String]) -> Self {
        let database = testkit::database(script);
        let connector = connect::connect("music", &database.dsn()).unwrap();
        let mut tables = connector.introspect().await.unwrap();
        let mut next = comments.iter().cycle().cloned();
        for table in &mut tables {
            table.comment = next.next();
            table.columns.iter_mut().for_each(|column| column.comment = next.next());
        }
        let catalog = testkit::looked_at(&testkit::catalog_from_tables(Dialect::Sqlite, "music", tables));
        Self { _database: database, connector, catalog, options: AgentOptions::default(), web: None }
    }

    pub(crate) async fn new() -> Self {
        let database = testkit::database(SCRIPT);
        let connector = connect::connect("music", &database.dsn()).unwrap();
        let tables = connector.introspect().await.unwrap();
        let bare = testkit::catalog_from_tables(Dialect::Sqlite, "music", tables);
        let known = testkit::with_known_values(bare, "singer", "country", &["France", "Netherlands"]);
        let catalog = testkit::looked_at(&known);
        Self { _database: database, connector, catalog, options: AgentOptions::default(), web: None }
    }

    /// The same with something that a person said.
    pub(crate) fn remember(&mut self, kind: MemoryKind, question: &str, sql: &str, correction: Option<&str>) {
        let mut memories = self.catalog.memories().to_vec();
        memories.push(Memory {
            id: MemoryId(memories.len() as i64 + 1),
            content: NewMemory {
                source: "music".into(),
                kind,
                question: question.into(),
                sql: sql.into(),
                correction: correction.map(str::to_owned),
                author: "ana".into(),
                reach: Reach::default(),
            },
            created_at: "2026-01-02T00:00:00Z".parse().unwrap(),
            state: MemoryState::Active,
        });
        let sources: Vec<Source> = self.catalog.sources().to_vec();
        self.catalog = Catalog::new(sources, self.catalog.entries().to_vec(), memories, 2);
    }

    /// The same where what was said last is something else.
    pub(crate) fn change_last(&mut self, change: impl FnOnce(&mut NewMemory)) {
        let mut memories = self.catalog.memories().to_vec();
        change(&mut memories.last_mut().unwrap().content);
        let sources: Vec<Source> = self.catalog.sources().to_vec();
        self.catalog = Catalog::new(sources, self.catalog.entries().to_vec(), memories, 3);
    }

    pub(crate) async fn ask(&self, question: &str, model: Option<&Script>) -> Result<Outcome, AgentError> {
        self.ask_again(question, None, model).await
    }

    pub(crate) async fn ask_again(
        &self,
        question: &str,
        feedback: Option<&Feedback>,
        model: Option<&Script>,
    ) -> Result<Outcome, AgentError> {
        let embedder = SameForAll;
        let index = Index::build(&self.catalog, &embedder).unwrap();
        let linker = Linker::new(&self.catalog, &index, &embedder);
        let policy = Policy::default();
        let web = self.web.as_ref().map(|web| web as &dyn WebSearch);
        let model = model.map(|model| model as &dyn ChatModel);
        let options = self.options.clone();
        let agent =
            Agent::new(&self.catalog, &linker, self.connector.as_ref(), model, &policy, options).with_web_search(web);
        let mut told = 0;
        let outcome = agent.ask(question, feedback, &mut |step: &Step| told += step.number.min(1)).await;
        if let Ok(outcome) = &outcome {
            assert_eq!(told, outcome.trace.len(), "every step is told once");
            assert!(outcome.usage.tool_calls <= agent::MAX_TOOL_CALLS);
        }
        outcome
    }
}

/// An embedder that finds everything equally alike, so that words alone decide.
struct SameForAll;

impl Embedder for SameForAll {
    fn name(&self) -> &str {
        "same-for-all"
    }

    fn dimensions(&self) -> usize {
        8
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, LlmError> {
        Ok(texts.iter().map(|_| vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).collect())
    }
}

/// What the model does next.
#[derive(Clone)]
pub(crate) enum Reply {
    Text(&'static str),
    Call(&'static str, serde_json::Value),
    Down,
}

/// A model that replies from a list and keeps what it was asked.
pub(crate) struct Script {
    info: ModelInfo,
    replies: Mutex<std::collections::VecDeque<Reply>>,
    pub(crate) asked: Mutex<Vec<ChatRequest>>,
}

impl Script {
    pub(crate) fn small(replies: Vec<Reply>) -> Self {
        Self::new(true, replies)
    }

    pub(crate) fn large(replies: Vec<Reply>) -> Self {
        Self::new(false, replies)
    }

    fn new(small: bool, replies: Vec<Reply>) -> Self {
        let info =
            ModelInfo { name: "script".into(), small, tools: !small, json_schema: !small, context_tokens: 8_000 };
        Self { info, replies: Mutex::new(replies.into()), asked: Mutex::new(Vec::new()) }
    }

    /// Everything that was said to it in its `call`th call, counted from 0.
    pub(crate) fn prompt(&self, call: usize) -> String {
        let asked = self.asked.lock().unwrap();
        asked[call].messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn calls(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl ChatModel for Script {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn chat(&self, request: &ChatRequest, _on_text: &mut llm::OnText<'_>) -> Result<ChatReply, LlmError> {
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            asked.len()
        };
        let reply = self.replies.lock().unwrap().pop_front().expect("the test gave enough replies");
        let usage = Usage { prompt_tokens: 10, completion_tokens: 5 };
        match reply {
            Reply::Text(text) => Ok(ChatReply {
                text: text.into(),
                tool_calls: Vec::new(),
                usage,
                stop: StopReason::End,
                likelihood: None,
            }),
            Reply::Call(name, arguments) => {
                let call = ToolCall { id: format!("call{number}"), name: name.into(), arguments };
                Ok(ChatReply {
                    text: String::new(),
                    tool_calls: vec![call],
                    usage,
                    stop: StopReason::ToolCalls,
                    likelihood: None,
                })
            }
            Reply::Down => {
                Err(LlmError::Unreachable { endpoint: "http://localhost:1".into(), reason: "refused".into() })
            }
        }
    }
}

/// The trace without figures that depend on time or ranking, a line a step.
pub(crate) fn told(outcome: &Outcome) -> String {
    let lines = outcome.trace.iter().map(|step| match &step.action {
        Action::Triaged { search, .. } => format!("triaged: search {search}"),
        Action::Decomposed { intents } => format!("decomposed: {}", intents.join(" | ")),
        Action::Remembered { memory, used_as, .. } => format!("remembered: {memory} as {used_as}"),
        Action::Linked { intent, .. } => format!("linked: {intent}"),
        Action::Composed { .. } => "composed".to_owned(),
        Action::AskedModel { purpose, .. } => format!("asked model: {purpose}"),
        Action::Drafted { sql } => format!("drafted: {sql}"),
        Action::Checked { accepted, findings } => {
            let errors = findings.iter().filter(|finding| finding.severity > guard::Severity::Hint);
            let codes: Vec<&str> = errors.map(|finding| finding.code).collect();
            format!("checked: {} {}", if *accepted { "accepted" } else { "refused" }, codes.join(" "))
                .trim_end()
                .to_owned()
        }
        Action::Repaired { sql, .. } => format!("repaired: {sql}"),
        Action::Ran { rows, note, .. } => match (rows, note) {
            (Some(rows), _) => format!("ran: {rows} rows"),
            (None, note) => format!("ran: {}", note.clone().unwrap_or_default()),
        },
        Action::CalledTool { name, .. } => format!("tool: {name}"),
        Action::Chose { sql, .. } => format!("chose: {sql}"),
        Action::AskedBack { .. } => "asked back".to_owned(),
        Action::GaveUp { reason } => format!("gave up: {reason}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}
