//! What the model can't know, a client's user is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, Implementation,
};
use rmcp::service::RequestContext;
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceExt};
use serde_json::{Value, json};

use super::{SCRIPT, context, whole_reply};
use crate::http::api::tests::asking::answering;
use crate::served::Served;
use crate::{Serving, mcp};

/// A client whose user says this, whatever is asked.
#[derive(Clone)]
struct Says(Option<&'static str>, Arc<AtomicUsize>);

impl ClientHandler for Says {
    fn get_info(&self) -> ClientConfig {
        let capabilities =
            ClientCapabilities::builder().enable_elicitation_with(ElicitationCapability::default()).build();
        ClientConfig::new(capabilities, Implementation::new("tests", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else { panic!("{request:?}") };
        assert!(message.contains("What should be found out?"), "{message}");
        self.1.fetch_add(1, Ordering::Relaxed);
        Ok(match self.0 {
            Some(text) => ElicitResult::new(ElicitationAction::Accept).with_content(json!({"answer": text})),
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }
}

async fn asked(says: &Says) -> Value {
    let options = answering("SELECT count(*) AS n FROM orders");
    let (context, _database) = context(options, SCRIPT).await;
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(mcp::serve(Arc::new(Served::new(Serving::new(context))), tokio::io::split(ours)));
    let client = says.clone().serve(tokio::io::split(theirs)).await.unwrap();
    let request = CallToolRequestParams::new("ask");
    let arguments = json!({"question": "Tell me something"});
    let result = client.call_tool(request.with_arguments(arguments.as_object().unwrap().clone())).await.unwrap();
    result.structured_content.unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_user_answers_completes_the_question() {
    let says = Says(Some("how many orders there are"), Arc::default());
    let document = asked(&says).await;
    assert_eq!((&document["rows"], says.1.load(Ordering::Relaxed)), (&json!([[2]]), 1), "{document}");
    // Who doesn't answer gets what was asked, and isn't asked again.
    let silent = Says(None, Arc::default());
    let document = asked(&silent).await;
    assert_eq!((&document["status"], silent.1.load(Ordering::Relaxed)), (&json!("declined"), 1), "{document}");
    assert!(document["clarification"].as_str().unwrap().contains("What should be found out?"), "{document}");
    // Nor does anybody who can't be.
    let (context, _database) = context(answering("SELECT 1"), SCRIPT).await;
    let client = super::client_of(context).await;
    let (document, _, _) = whole_reply(&client, "ask", &json!({"question": "Tell me something"})).await;
    assert_eq!(document["status"], "declined");
}
