//! The protocol's own suite against a server with the tools, resources and prompts that the suite asks for, behind everything that
//! stands before ours: whatever a server may do has to come through, what newer revisions deprecate as well.
#![allow(deprecated)]

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Mutex;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, CompletionInfo,
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, InputRequests,
    InputRequiredResult, InputResponses, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, LoggingLevel, LoggingMessageNotificationParam, PaginatedRequestParams,
    ProgressNotificationParam, Prompt, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    RequestStateCodec, ResultType, ServerCapabilities, ServerConfig, ServerRequest, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;

use super::*;
use crate::context::unpoisoned;

/// What each revision requires of a server, by the suite's own lists: 30 and 37 scenarios.
const REVISIONS: [(&str, usize); 2] = [("2025-11-25", 30), ("2026-07-28", 37)];

/// What the suite wants to find, and what each of it answers.
const FIXTURES: &str = include_str!("conformance.json");

#[tokio::test(flavor = "multi_thread")]
async fn the_protocols_own_suite_passes() {
    let Some(modules) = testkit::server_url("PERIPLUS_TEST_CONFORMANCE") else { return };
    let fixtures = Fixtures::default();
    let answering = |_, _| -> Answering<Fixtures> { Box::new(move || Ok(fixtures.clone())) };
    let running = Running::answered_by(answering, Options::default(), SCRIPT, |_| Vec::new(), |_| {}).await;
    for (revision, required) in REVISIONS {
        let output = suite(Path::new(&modules), &running.address, revision).await;
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{revision}: {said}{}", String::from_utf8_lossy(&output.stderr));
        let passed = said.lines().filter(|line| line.starts_with('✓')).count();
        assert!(passed >= required, "{revision}: {passed} of {required} scenarios: {said}");
    }
}

/// Runs what a revision requires; `modules` is a folder with the packages `node` and `@modelcontextprotocol/conformance`.
async fn suite(modules: &Path, address: &str, revision: &str) -> Output {
    let mut packages = modules.read_dir().unwrap();
    let node: PathBuf =
        packages.find_map(|it| Some(it.ok()?.path().join("bin/node")).filter(|it| it.is_file())).unwrap();
    let suite = modules.join("@modelcontextprotocol/conformance/dist/index.js");
    let mut command = tokio::process::Command::new(node);
    command.arg(suite).args(["server", "--url", &format!("http://{address}/mcp"), "--requirements", revision]);
    // It writes its results where it is.
    let folder = tempfile::tempdir().unwrap();
    tokio::time::timeout(Duration::from_secs(300), command.current_dir(folder.path()).output()).await.unwrap().unwrap()
}

#[derive(Clone)]
struct Fixtures {
    all: Arc<Value>,
    states: RequestStateCodec,
    listening: Arc<Mutex<Vec<SubscriptionSink>>>,
}

impl Default for Fixtures {
    fn default() -> Self {
        let all: Value = serde_json::from_str(FIXTURES).unwrap();
        Self {
            all: Arc::new(all),
            states: RequestStateCodec::try_new(*b"it only has to be the same throughout").unwrap(),
            listening: Arc::default(),
        }
    }
}

impl Fixtures {
    /// All of one kind, without what only we read.
    fn all<T: DeserializeOwned>(&self, kind: &str) -> T {
        read(self.filled(&self.all[kind], &JsonObject::new()))
    }

    fn named(&self, kind: &str, name: &str) -> Result<&Value, ErrorData> {
        let all = self.all[kind].as_array().unwrap();
        let found = all.iter().find(|it| it["name"] == name);
        found.ok_or_else(|| ErrorData::invalid_params(format!("there is no `{name}`"), None))
    }

    /// A fixture with what its placeholders stand for: shared requests, the picture, a caller's arguments.
    fn filled(&self, fixture: &Value, arguments: &JsonObject) -> Value {
        match fixture {
            Value::String(text) if self.all["requests"][text].is_object() => self.all["requests"][text].clone(),
            Value::String(text) => {
                let text = text.replace("{image}", self.all["image"].as_str().unwrap());
                let each =
                    arguments.iter().map(|(name, value)| (format!("{{{name}}}"), value.as_str().unwrap_or_default()));
                each.fold(text, |text, (name, value)| text.replace(&name, value)).into()
            }
            Value::Array(items) => items.iter().map(|item| self.filled(item, arguments)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(name, field)| (name.clone(), self.filled(field, arguments))).collect()
            }
            _ => fixture.clone(),
        }
    }

    /// What is still to be asked before `fixture` can be answered, if anything: round by round, where what has been reached comes
    /// back sealed, or all at once.
    fn to_ask(
        &self,
        fixture: &Value,
        answers: Option<&InputResponses>,
        state: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<InputRequiredResult>, ErrorData> {
        let Some(rounds) = fixture["asks"].as_array() else { return Ok(None) };
        let reached: Option<usize> = state
            .map(|state| self.states.open_json(state))
            .transpose()
            .map_err(|_| ErrorData::invalid_params("requestState isn't what this server has sealed", None))?;
        let round = reached.unwrap_or(0);
        let mut asked: InputRequests = read(self.filled(&rounds[round], &JsonObject::new()));
        let can = json!(context.client_capabilities());
        asked.retain(|_, request| {
            let method = json!(request)["method"].as_str().unwrap().to_owned();
            can[method.split('/').next().unwrap()].is_object()
        });
        let is_answered = |key: &String| answers.is_some_and(|answers| answers.get(key).is_some_and(Value::is_object));
        let next = round + usize::from(asked.keys().all(is_answered));
        if next == rounds.len() {
            return Ok(None);
        }
        if next > round {
            asked = read(self.filled(&rounds[next], &JsonObject::new()));
        }
        let sealed = fixture["sealed"] == true;
        let sealed = sealed.then(|| self.states.seal_json(&next)).transpose();
        let sealed = sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(Some(InputRequiredResult::new(Some(asked), sealed)))
    }

    async fn notify(&self, fixture: &Value, context: &RequestContext<RoleServer>) {
        let asked_for = context.meta.log_level().map(|level| (level, &fixture["logs_if_asked"]));
        let logs = fixture["logs"].as_array().into_iter().flatten().map(|text| (LoggingLevel::Info, text));
        for (level, text) in logs.chain(asked_for.filter(|(_, text)| text.is_string())) {
            let message = LoggingMessageNotificationParam::new(level, text.clone());
            context.peer.notify_logging_message(message).await.unwrap();
        }
        let token = context.meta.get_progress_token();
        for progress in fixture["progress"].as_array().into_iter().flatten() {
            let Some(token) = token.clone() else { return };
            let progress = ProgressNotificationParam::new(token, progress.as_f64().unwrap()).with_total(100.0);
            context.peer.notify_progress(progress).await.unwrap();
        }
        let listening = unpoisoned(&self.listening).clone();
        for client in listening {
            // Whoever hasn't asked for it is told by an error.
            drop(match fixture["changes"].as_str() {
                Some("tools") => client.notify_tool_list_changed().await,
                Some("prompts") => client.notify_prompt_list_changed().await,
                _ => Ok(()),
            });
        }
    }
}

fn result(value: Value) -> CallToolResult {
    let mut result: CallToolResult = read(value);
    result.result_type = Some(ResultType::COMPLETE);
    result
}

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("fixtures", "1"))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.all["tools"].as_array().unwrap().iter();
        Ok(ListToolsResult::with_all_items(tools.map(tool).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.named("tools", name).ok().map(tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let fixture = self.named("tools", &request.name)?;
        let arguments = request.arguments.unwrap_or_default();
        if fixture["needs"]["sampling"].is_object()
            && context.meta.client_capabilities().is_none_or(|it| it.sampling.is_none())
        {
            return Err(ErrorData::missing_required_client_capability(read(fixture["needs"].clone())));
        }
        let (answers, state) = (request.input_responses.as_ref(), request.request_state.as_deref());
        if let Some(asked) = self.to_ask(fixture, answers, state, &context)? {
            return Ok(asked.into());
        }
        self.notify(fixture, &context).await;
        if let Some(asked) = fixture.get("asks_meanwhile") {
            let request: ServerRequest = read(self.filled(asked, &arguments));
            let answer = context.peer.send_request(request).await;
            let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            let answer = json!({ "content": [{ "type": "text", "text": json!(answer).to_string() }] });
            return Ok(result(answer).into());
        }
        Ok(result(self.filled(&fixture["result"], &arguments)).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(self.all("resources")))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(self.all("resource_templates")))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = self.all["contents"].as_array().unwrap().iter().find(|it| it["uri"] == *request.uri);
        let of_template = request.uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let contents = match (contents, of_template) {
            (Some(contents), _) => self.filled(contents, &JsonObject::new()),
            (None, Some(id)) => {
                let text = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") }).to_string();
                json!({ "uri": request.uri, "mimeType": "application/json", "text": text })
            }
            (None, None) => {
                return Err(ErrorData::resource_not_found(
                    "there is no such resource",
                    Some(json!({ "uri": request.uri })),
                ));
            }
        };
        Ok(ReadResourceResult::new(vec![read(contents)]).into())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(self.all::<Vec<Prompt>>("prompts")))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let fixture = self.named("prompts", &request.name)?;
        let (answers, state) = (request.input_responses.as_ref(), request.request_state.as_deref());
        if let Some(asked) = self.to_ask(fixture, answers, state, &context)? {
            return Ok(asked.into());
        }
        let messages = self.filled(&fixture["messages"], &request.arguments.unwrap_or_default());
        Ok(GetPromptResult::new(read(messages)).into())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::new(CompletionInfo::new(vec!["paris".to_owned(), "park".to_owned()]).unwrap()))
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        unpoisoned(&self.listening).push(context.sink().clone());
        context.cancelled().await;
        unpoisoned(&self.listening).retain(|client| client.id() != context.sink().id());
        Ok(())
    }
}

fn tool(fixture: &Value) -> Tool {
    let nothing = json!({ "type": "object", "properties": {} });
    let schema: JsonObject = read(fixture.get("schema").cloned().unwrap_or(nothing));
    let name = fixture["name"].as_str().unwrap().to_owned();
    Tool::new(name, "A tool of the suite's", Arc::new(schema))
}
