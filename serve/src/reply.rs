//! What a call is answered with, and the only way from a tool to the wire.
//!
//! A reply's structure is ours; its strings are names, values, comments, descriptions, engines' words, that is, anybody's.
//! So all of a reply is data: as text it stands between marks, as a document its hidden characters are written out, and
//! the places worded like instructions are named. Outside of the marks stands only what is compiled in: a note,
//! and advice that names nothing.
//!
//! Invariant: [`Reply`]'s fields are made here and can't be changed elsewhere.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};
use shown::{NOTE, Text};

use crate::error::ToolError;

/// A tool's answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    structured: Option<Value>,
    text: String,
}

impl Reply {
    /// The answer that these fields make.
    pub(crate) fn of(output: &impl Serialize) -> Result<Self, ToolError> {
        let (fields, is_flagged) = looked_at(written(output)?);
        let text = Text::said(NOTE).json(&fields).warned(is_flagged).to_string();
        Ok(Self { structured: Some(with_note(fields)), text })
    }

    /// The same for a program that reads no text: the fields as they are, which it marks itself where it hands them on to a
    /// model.
    pub(crate) fn document(output: &impl Serialize) -> Result<Self, ToolError> {
        Ok(Self { structured: Some(written(output)?), text: String::new() })
    }

    /// The answer where there is none: what is wrong, and what to do.
    pub(crate) fn failure(error: &ToolError) -> Self {
        let fields = serde_json::to_value(error).unwrap_or_else(|_| json!({"code": error.code}));
        let (fields, is_flagged) = looked_at(fields);
        let mut between = fields.clone();
        let text = match (&error.hint, &mut between) {
            (Some(Cow::Borrowed(hint)), Value::Object(between)) => {
                between.shift_remove("hint");
                Text::said(hint).and(NOTE)
            }
            _ => Text::said(NOTE),
        };
        let text = text.json(&between).warned(is_flagged).to_string();
        Self { structured: Some(with_note(json!({ "error": fields }))), text }
    }

    /// An answer that is read and not taken apart: `data` between marks, and what we say to it. Nothing of it is sent twice.
    pub(crate) fn read(data: &str, said: Text) -> Self {
        Self { structured: None, text: Text::said(NOTE).data(data.trim_end()).followed_by(said).to_string() }
    }

    /// The document, for programs, where there is one.
    pub(crate) fn structured(&self) -> Option<&Value> {
        self.structured.as_ref()
    }

    /// The whole answer for models.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

fn written(output: &impl Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(output)
        .map_err(|error| ToolError::new("internal", format!("the reply can't be written: {error}")))
}

/// The fields with nothing hidden in them and `flagged` beside them, and whether anything is.
fn looked_at(mut fields: Value) -> (Value, bool) {
    let places = shown::flagged(&fields);
    shown::made_visible(&mut fields);
    let is_flagged = !places.is_empty();
    if let Value::Object(fields) = &mut fields
        && is_flagged
    {
        fields.insert("flagged".to_owned(), json!(places));
    }
    (fields, is_flagged)
}

/// The document with the note in front, for clients that show it to a model instead of the text.
fn with_note(document: Value) -> Value {
    let Value::Object(fields) = document else { return document };
    let note = Value::from(NOTE.trim_end_matches(':'));
    Value::Object([("note".to_owned(), note)].into_iter().chain(fields).collect::<Map<_, _>>())
}
