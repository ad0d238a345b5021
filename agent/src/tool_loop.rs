//! The way of working for large models: they call the tools, we count.
//!
//! The model starts with the linked context, so that most questions need no search at all, and ends with `submit`. The
//! last call that the budget allows can only be an ending. A submission is checked, repaired and run like any draft;
//! one that can't stand goes back with the findings while calls are left.

use llm::{ChatReply, ChatRequest, Message, Role, ToolCall};
use serde_json::Value as Json;
use shown::Text;

use crate::candidate::{Candidate, Run};
use crate::context::Composed;
use crate::error::AgentError;
use crate::extract;
use crate::options::Shape;
use crate::prompt::tools::{Offer, SystemParts, definitions, system};
use crate::prompt::{message, replied};
use crate::shape::Words;
use crate::tool_reply;
use crate::trace::Action;
use crate::work::{Cost, Work};

/// Room for a step: a query and a few sentences.
const STEP_TOKENS: u32 = 1_500;
/// The names of all tables are listed when they take at most this much.
const ALL_TABLES_TOKENS: usize = 1_000;
/// Examples shown at most.
const MOST_EXAMPLES: usize = 4;
/// Replies without a tool call or a statement that are put up with.
const MOST_EMPTY_REPLIES: usize = 2;
/// Characters of a reply that are kept in the trace.
const TRACED_CHARS: usize = 400;

/// How the loop ended.
pub(crate) enum Ending {
    /// With a statement, the last one submitted, and what the model said about it.
    Submitted(Box<Candidate>, Words),
    /// With a question to the user.
    Asked(String),
    /// Without either.
    Nothing(String),
}

impl Work<'_> {
    /// Lets the model work.
    pub(crate) async fn with_tools(&mut self, composed: &Composed) -> Result<Ending, AgentError> {
        let mut messages =
            vec![message(Role::System, &self.tools_system(composed)), message(Role::User, &Text::asked(self.question))];
        let mut last: Option<(Candidate, Words)> = None;
        let mut empty_replies = 0;
        while self.has_calls_left() {
            let left = self.agent.tool_calls_allowed() - self.usage.tool_calls;
            let web = self.agent.web_search.is_some();
            let offer = if left == 1 { Offer::Finish } else { Offer::All { web } };
            let request = ChatRequest {
                messages: messages.clone(),
                tools: definitions(self.agent.options.shape, offer),
                max_tokens: STEP_TOKENS,
                ..ChatRequest::default()
            };
            let reply = self.ask_model("next step", &request).await?;
            let Some(calls) = calls_of(&reply) else {
                empty_replies += 1;
                if empty_replies >= MOST_EMPTY_REPLIES {
                    break;
                }
                messages.push(replied(reply.text));
                messages.push(message(Role::User, &Text::said("Call `submit` with the query, or `ask_user`.")));
                continue;
            };
            messages.push(Message {
                role: Role::Assistant,
                content: reply.text,
                tool_calls: calls.clone(),
                tool_call_id: None,
            });
            for call in calls {
                let answered = self.answer_call(&call, composed).await?;
                self.trace.add(Action::CalledTool {
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                    reply: answered.text.to_string().chars().take(TRACED_CHARS).collect(),
                });
                if let Some(question) = answered.question {
                    return Ok(Ending::Asked(question));
                }
                if let Some((candidate, words)) = answered.submission {
                    if candidate.stands() {
                        return Ok(Ending::Submitted(Box::new(candidate), words));
                    }
                    last = Some((candidate, words));
                }
                let answer = message(Role::Tool, &answered.text);
                messages.push(Message { tool_call_id: Some(call.id), ..answer });
            }
        }
        Ok(match last {
            Some((candidate, words)) => Ending::Submitted(Box::new(candidate), words),
            None if self.has_calls_left() => {
                Ending::Nothing("the model neither called a tool nor wrote a query".into())
            }
            None => Ending::Nothing(format!("{} tool calls were spent without a query", self.usage.tool_calls)),
        })
    }

    fn tools_system(&self, composed: &Composed) -> Text {
        let names: Vec<String> =
            self.agent.catalog.tables_of(self.source()).map(|entry| entry.table.id.local()).collect();
        let all_tables = names.join(", ");
        let examples: Vec<(&str, &str)> = self
            .recalled
            .examples
            .iter()
            .map(|(memory, _)| (memory.content.question.as_str(), memory.content.sql.as_str()))
            .take(MOST_EXAMPLES)
            .collect();
        system(&SystemParts {
            dialect: self.dialect(),
            calls: self.agent.tool_calls_allowed() - self.usage.tool_calls,
            company: self.agent.options.company_context.as_deref(),
            all_tables: (llm::estimate_tokens(&all_tables) <= ALL_TABLES_TOKENS).then_some(all_tables.as_str()),
            context: &composed.used.text,
            examples: &examples,
            corrections: &self.corrections,
        })
    }

    async fn answer_call(&mut self, call: &ToolCall, composed: &Composed) -> Result<Answered, AgentError> {
        if !self.has_calls_left() {
            return Ok(Answered::text(Text::said("No tool call is left.")));
        }
        self.usage.tool_calls += 1;
        let argument = |name: &str| call.arguments.get(name).and_then(Json::as_str).map(str::trim).unwrap_or_default();
        let missing = |name: &'static str| Answered::text(Text::said("The call lacks an argument, a text:").and(name));
        let answered = match call.name.as_str() {
            "search_context" if argument("query").is_empty() => missing("query"),
            "search_context" => Answered::text(tool_reply::search(self.agent, self.source(), argument("query"))),
            "table_details" if argument("table").is_empty() => missing("table"),
            "table_details" => {
                Answered::text(tool_reply::table(self.agent, self.source(), argument("table"), composed))
            }
            "run_sql" if argument("sql").is_empty() => missing("sql"),
            "run_sql" => {
                let candidate = self.attempt(argument("sql")).await?;
                Answered::text(tool_reply::rows(&candidate))
            }
            "web_search" => Answered::text(tool_reply::web(self.agent, argument("query")).await),
            "ask_user" if argument("question").is_empty() => missing("question"),
            "ask_user" => {
                Answered { question: Some(argument("question").to_owned()), ..Answered::text(Text::said("asked")) }
            }
            "submit" => self.submission(call).await?,
            other => Answered::text(Text::said("There is no such tool:").line(other)),
        };
        Ok(answered)
    }

    async fn submission(&mut self, call: &ToolCall) -> Result<Answered, AgentError> {
        let argument = |name: &str| {
            let text = call.arguments.get(name).and_then(Json::as_str).map(|text| text.trim().to_owned());
            text.filter(|text| !text.is_empty())
        };
        let wanted: &[&'static str] = match self.agent.options.shape {
            Shape::Query => &["sql", "analysis", "description"],
            Shape::Finder => &["sql", "description"],
        };
        let lacking: Vec<&'static str> = wanted.iter().copied().filter(|name| argument(name).is_none()).collect();
        let Some(sql) = argument("sql").filter(|_| lacking.is_empty() || !self.has_calls_left()) else {
            return Ok(Answered::text(
                lacking.into_iter().fold(Text::said("`submit` lacks these. Submit again:"), Text::and),
            ));
        };
        let candidate = self.attempt(&sql).await?;
        let text = match &candidate.run {
            Run::Rows(_) | Run::Omitted(_) => Text::said("accepted"),
            _ => tool_reply::rows(&candidate),
        };
        let words = Words { analysis: argument("analysis"), description: argument("description") };
        Ok(Answered { text, question: None, submission: Some((candidate, words)) })
    }

    /// Checks, repairs and runs a statement whose call is counted already.
    async fn attempt(&mut self, sql: &str) -> Result<Candidate, AgentError> {
        let sql = extract::statement(sql).unwrap_or_else(|| sql.to_owned());
        let repaired = self.take_draft(&sql);
        self.try_statement(repaired, Cost::Counted).await
    }
}

/// The reply to a call.
struct Answered {
    text: Text,
    question: Option<String>,
    submission: Option<(Candidate, Words)>,
}

impl Answered {
    fn text(text: Text) -> Self {
        Self { text, question: None, submission: None }
    }
}

/// The calls in a reply. A statement in plain text is taken as submitted: some models forget the tool at the end.
fn calls_of(reply: &ChatReply) -> Option<Vec<ToolCall>> {
    if !reply.tool_calls.is_empty() {
        return Some(reply.tool_calls.clone());
    }
    let sql = extract::statement(&reply.text)?;
    let description = "the query of the model's reply";
    let arguments = serde_json::json!({"sql": sql, "analysis": reply.text, "description": description});
    Some(vec![ToolCall { id: "from_text".to_owned(), name: "submit".to_owned(), arguments }])
}
