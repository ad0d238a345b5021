//! `periplus search`: the pieces of documentation nearest to some words.

use std::process::ExitCode;

use serde_json::json;

use crate::args::SearchArguments;
use crate::output::{self, Output};
use crate::project::Project;

pub(super) fn run(arguments: &SearchArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    let index = project.index(&catalog)?;
    let hits = index.search(&arguments.query.join(" "), arguments.top, project.embedder());
    let documents: Vec<_> = hits
        .iter()
        .map(|hit| {
            json!({
                "chunk": hit.chunk.name(), "table": hit.chunk.table.to_string(), "column": hit.chunk.column,
                "score": hit.score, "lexical_rank": hit.lexical_rank, "dense_rank": hit.dense_rank,
                "tokens": hit.chunk.tokens, "text": hit.chunk.text,
            })
        })
        .collect();
    output.json(&documents);
    let header = ["chunk", "score", "words", "meaning", "text"].map(str::to_owned);
    let rank = |rank: Option<usize>| rank.map_or_else(|| "–".to_owned(), |rank| format!("#{rank}"));
    let rows = hits.iter().map(|hit| {
        let text: String = hit.chunk.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect();
        vec![hit.chunk.name(), format!("{:.3}", hit.score), rank(hit.lexical_rank), rank(hit.dense_rank), text]
    });
    output.line(output::table(&header, rows));
    if hits.iter().all(|hit| hit.lexical_rank.is_none()) {
        output.say("No word of it is known here; these are the nearest in meaning.");
    }
    Ok(ExitCode::SUCCESS)
}
