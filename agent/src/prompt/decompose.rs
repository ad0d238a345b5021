//! The prompt that takes a question apart, for models large enough to be worth asking.

use llm::{ChatRequest, Role};
use serde_json::json;
use shown::Text;

use super::message;
use crate::question::MOST_INTENTS;

/// The request; the reply is read by [`intents`].
pub(crate) fn request(question: &str) -> ChatRequest {
    let schema = json!({
        "type": "object",
        "properties": {"intents": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_INTENTS}},
        "required": ["intents"],
        "additionalProperties": false
    });
    ChatRequest {
        messages: vec![
            message(Role::System, &Text::said(include_str!("decompose_system.txt").trim_end())),
            message(Role::User, &Text::asked(question.trim())),
        ],
        json_schema: Some(schema),
        max_tokens: 200,
        ..ChatRequest::default()
    }
}

/// The parts in a reply; `None` where it isn't what was asked for.
pub(crate) fn intents(reply: &str) -> Option<Vec<String>> {
    let body = &reply[reply.find('{')?..=reply.rfind('}')?];
    let value: serde_json::Value = serde_json::from_str(body).ok()?;
    let mut intents: Vec<String> = Vec::new();
    for intent in value.get("intents")?.as_array()? {
        let intent = intent.as_str()?.trim().to_owned();
        if !intent.is_empty() && !intents.contains(&intent) {
            intents.push(intent);
        }
    }
    intents.truncate(MOST_INTENTS);
    (!intents.is_empty()).then_some(intents)
}

#[cfg(test)]
mod tests {
    use super::intents;

    #[test]
    fn reads_the_parts_and_refuses_what_is_not_them() {
        assert_eq!(intents("```json\n{\"intents\": [\"a\", \"b\", \"a\"]}\n```"), Some(vec!["a".into(), "b".into()]));
        for reply in ["", "}{", "{\"intents\": []}", "{\"intents\": [1]}", "{\"intents\": \"a\"}", "no idea"] {
            assert_eq!(intents(reply), None, "{reply}");
        }
    }
}
