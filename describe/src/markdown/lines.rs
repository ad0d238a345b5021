//! What a single line of a page can be: the field of a column, the begin or the end of a code fence.

/// The fields of a column in order, each with the last part of its key.
pub(crate) const FIELDS: [(&str, &str); 5] = [
    ("Type", "type"),
    ("Description", "description"),
    ("Domain", "domain"),
    ("Nullable", "nullable"),
    ("Notes", "notes"),
];

/// The field that a line begins, with the text beside its label.
pub(crate) fn field_of(line: &str) -> Option<(&'static str, &str)> {
    let rest = line.strip_prefix("- **").or_else(|| line.strip_prefix("* **"))?;
    FIELDS.iter().find_map(|(label, field)| {
        let head = rest.get(..label.len()).filter(|head| head.eq_ignore_ascii_case(label))?;
        let text = rest[head.len()..].strip_prefix(":**")?;
        Some((*field, text.trim_start()))
    })
}

/// The fence that a line opens.
pub(crate) fn opens_fence(line: &str) -> Option<String> {
    let trimmed = line.trim_start();
    let mark = trimmed.chars().next().filter(|mark| *mark == '`' || *mark == '~')?;
    let fence: String = trimmed.chars().take_while(|character| *character == mark).collect();
    let rest = &trimmed[fence.len()..];
    (fence.len() >= 3 && !(mark == '`' && rest.contains('`'))).then_some(fence)
}

/// Whether a line closes the fence that was opened with `open`.
pub(crate) fn closes_fence(line: &str, open: &str) -> bool {
    let trimmed = line.trim();
    trimmed.len() >= open.len()
        && open.chars().next().is_some_and(|mark| trimmed.chars().all(|character| character == mark))
}
