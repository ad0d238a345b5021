//! Labels that a project gives to models and columns: tags, and `meta`, whose names each project chooses itself.

use serde_json::Value;

/// Words by which projects mark what is personal.
const PERSONAL: [&str; 17] = [
    "ccpa",
    "confidential",
    "dsgvo",
    "gdpr",
    "hipaa",
    "lgpd",
    "masking",
    "personal",
    "phi",
    "pii",
    "privacy",
    "restricted",
    "rgpd",
    "secret",
    "sensitive",
    "sensitivity",
    "spii",
];
/// Words that take it back.
const NEGATED: [&str; 11] = ["0", "excluded", "false", "free", "internal", "low", "no", "non", "none", "not", "public"];

/// What `meta` says in single values, in the order of the file.
pub(super) fn of<'m>(meta: impl Iterator<Item = (&'m String, &'m Value)>) -> Vec<(String, String)> {
    let mut labels: Vec<(String, String)> = Vec::new();
    for (key, value) in meta {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => continue,
        };
        // Newer versions write it in two places.
        if !labels.iter().any(|(known, _)| known == key) {
            labels.push((key.clone(), value));
        }
    }
    labels
}

/// The label that says that a column holds personal data: a tag, a key of `meta`, or a policy of BigQuery's.
pub(super) fn personal_by(column: &Value) -> Option<String> {
    let of = |column: &Value| {
        let tag = column["tags"].as_array().into_iter().flatten().find_map(in_value);
        let policy = column["policy_tags"].as_array().is_some_and(|tags| !tags.is_empty());
        tag.or_else(|| in_value(&column["meta"])).or_else(|| policy.then(|| "policy_tags".to_owned()))
    };
    of(column).or_else(|| of(&column["config"]))
}

/// What speaks of personal data in a value, or in a key with one that doesn't take it back.
fn in_value(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => speaks_of_it(text).then(|| text.clone()),
        Value::Array(values) => values.iter().find_map(in_value),
        Value::Object(object) => object.iter().find_map(|(key, value)| {
            if speaks_of_it(key) { (!takes_back(value)).then(|| key.clone()) } else { in_value(value) }
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Whether what stands under a key says that it isn't so.
fn takes_back(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::String(text) => text.trim().is_empty() || words(text).any(|word| NEGATED.contains(&word.as_str())),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Array(values) => values.iter().all(takes_back),
        Value::Object(object) => object.values().all(takes_back),
    }
}

fn speaks_of_it(text: &str) -> bool {
    let has = |list: &[&str]| words(text).any(|word| list.contains(&word.as_str()));
    has(&PERSONAL) && !has(&NEGATED)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::personal_by;

    #[test]
    fn labels_say_what_is_personal() {
        for (column, expected) in [
            (json!({"tags": ["daily", "PII"]}), Some("PII")),
            (json!({"meta": {"contains_pii": true}}), Some("contains_pii")),
            (json!({"meta": {"classification": "Sensitive"}}), Some("Sensitive")),
            (json!({"config": {"meta": {"privacy": {"pii": "email"}}}}), Some("privacy")),
            (json!({"meta": {"labels": {"pii": "email"}}}), Some("pii")),
            (json!({"policy_tags": ["projects/p/locations/eu/taxonomies/1"]}), Some("policy_tags")),
            (json!({"meta": {"privacy": {"level": "restricted"}}}), Some("privacy")),
            (json!({"meta": {"sensitivity": "high"}}), Some("sensitivity")),
            (json!({"meta": {"masking_policy": "hash"}}), Some("masking_policy")),
            (json!({"meta": {"snowflake_tags": {"PRIVACY_CATEGORY": "IDENTIFIER"}}}), Some("PRIVACY_CATEGORY")),
            (
                json!({"meta": {"privacy": {"level": "public"}, "sensitivity": "low", "classification": "internal"}}),
                None,
            ),
            (json!({"meta": {"pii": false}}), None),
            (json!({"meta": {"pii": "none"}, "tags": ["non-pii"]}), None),
            (json!({"meta": {"owner": "finance"}, "tags": null}), None),
            (json!(null), None),
        ] {
            assert_eq!(personal_by(&column).as_deref(), expected, "{column}");
        }
    }
}
