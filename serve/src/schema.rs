//! JSON schemas of tool inputs and outputs, small enough to be sent with every conversation.
//!
//! Inputs keep what an agent needs to call a tool right. Outputs keep their top-level fields with their types: an
//! agent reads the reply itself, and a client can still check it. None of them is required: a call that fails answers with
//! `error` alone, and some clients, the official one in TypeScript among them, hold that against the schema too. Fields
//! that are missing are never null.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of a tool's arguments.
pub(crate) fn input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = whole::<T>(SchemaSettings::draft2020_12());
    for key in ["title", "description"] {
        schema.remove(key);
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(lighten);
    }
    schema
}

/// The schema of a tool's structured reply.
pub(crate) fn output<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = whole::<T>(SchemaSettings::draft2020_12().for_serialize());
    let mut properties = Map::new();
    if let Some(Value::Object(all)) = schema.get_mut("properties") {
        for (name, property) in all {
            lighten(property);
            properties.insert(name.clone(), property.get("type").map_or_else(|| json!({}), |of| json!({ "type": of })));
        }
    }
    let mut light = Map::new();
    light.insert("type".into(), json!("object"));
    light.insert("properties".into(), Value::Object(properties));
    light
}

/// The schema of a document as it is written, with all that its fields hold.
pub(crate) fn document<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = whole::<T>(SchemaSettings::draft2020_12().for_serialize());
    schema.remove("title");
    schema
}

fn whole<T: JsonSchema>(settings: SchemaSettings) -> Map<String, Value> {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    match settings.into_generator().into_root_schema_for::<T>().to_value() {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Takes off what says nothing to an agent: number formats, `null` as another type of an optional argument.
fn lighten(property: &mut Value) {
    let Value::Object(property) = property else { return };
    for key in ["format", "default", "title"] {
        property.remove(key);
    }
    if let Some(Value::Array(types)) = property.get("type")
        && let Some(only) = types.iter().find(|of| *of != "null")
    {
        let only = only.clone();
        property.insert("type".into(), only);
    }
    if let Some(items) = property.get_mut("items") {
        lighten(items);
    }
}
