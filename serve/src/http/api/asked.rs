//! A question and its answer, at once or step by step as they are taken.

use std::convert::Infallible;

use agent::Step;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json, extract::State, http::HeaderMap, http::header};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::mpsc;
use tracing::Instrument as _;

use super::take::Body;
use super::{Api, Problem};
use crate::caller::Caller;
use crate::error::ToolError;
use crate::reply::Reply;
use crate::session::Session;
use crate::tools::{self, AskBody};

/// The kind of an answer that comes step by step.
pub(super) const EVENTS: &str = "text/event-stream";

pub(super) async fn ask(
    State(api): State<Api>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body(asked): Body<AskBody>,
) -> Result<Response, Problem> {
    let session = api.session(&caller)?;
    let accepts = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    if !accepts.into_iter().any(|accepted| accepted.contains(EVENTS)) {
        let reply = answered(&api, &caller, &session, asked, &mut |_| {}).await?;
        return Ok(Json(reply.structured()).into_response());
    }
    let (sender, receiver) = mpsc::unbounded_channel();
    let answering = async move {
        let work = async {
            let mut told = |step: &Step| drop(sender.send(event("step", step)));
            let last = match answered(&api, &caller, &session, asked, &mut told).await {
                Ok(reply) => event("answer", &reply.structured()),
                Err(error) => event("problem", &Problem::from(error).details()),
            };
            drop(sender.send(last));
        };
        // Who has hung up waits for nothing.
        tokio::select! {
            () = work => {}
            () = sender.closed() => {}
        }
    };
    tokio::spawn(answering.in_current_span());
    let next = async |mut receiver: mpsc::UnboundedReceiver<Event>| {
        let event = receiver.recv().await?;
        Some((Ok::<_, Infallible>(event), receiver))
    };
    Ok(Sse::new(stream::unfold(receiver, next)).keep_alive(KeepAlive::default()).into_response())
}

async fn answered(
    api: &Api,
    caller: &Caller,
    session: &Session,
    asked: AskBody,
    on_step: &mut (dyn FnMut(&Step) + Send),
) -> Result<Reply, ToolError> {
    let mut call = api.calls.begin(&caller.name, "ask").await?;
    let outcome = tools::answer(session, asked, on_step).await;
    call.came_to(outcome.as_ref().map(drop).map_err(|error| error.code));
    tools::answer_of(outcome?, session)
}

fn event(name: &str, document: &impl Serialize) -> Event {
    Event::default().event(name).data(serde_json::to_string(document).unwrap_or_default())
}
