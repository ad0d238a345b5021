//! `periplus manual`: the pages that hints point to, for those who have the binary and not the repository.

use std::process::ExitCode;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use serde_json::json;

use crate::args::ManualArguments;
use crate::output::Output;

/// A page: what it is called, what it is about, its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    name: &'static str,
    about: Option<&'static str>,
    text: &'static str,
}

/// The pages of one folder.
macro_rules! pages {
    ($folder:literal: $($name:literal $($file:literal)? $(=> $about:literal)?),+ $(,)?) => {
        [$(Page {
            name: $name,
            about: pages!(@about $($about)?),
            text: include_str!(concat!("../../../docs/", $folder, "/", pages!(@file $name $($file)?), ".md")),
        }),+]
    };
    (@about $about:literal) => { Some($about) };
    (@about) => { None };
    (@file $name:literal $file:literal) => { $file };
    (@file $name:literal) => { $name };
}

const REFERENCE: [Page; 4] = pages!("reference":
    "cli" => "Every command with its options",
    "configuration" => "Every key of periplus.toml",
    "evaluation" => "Measuring it on your own questions, and the files that `eval` reads and writes",
    "engines" => "What is the same on all engines, and what isn't",
);
const GUIDES: [Page; 4] = pages!("guides":
    "databases" "your-own-database" => "Connecting to a database of your own",
    "agents" => "Plugging it into agents",
    "documenting" => "Letting an agent document the database",
    "team" => "Serving a team over HTTP: tokens, roles, the interface for programs",
);
const CONCEPTS: [Page; 13] = pages!("concepts":
    "directives" => "Why some tables are marked irrelevant, and what it means",
    "facts" => "What rows say that names and types don't, and what it rests on",
    "glossary" => "What the words of the company mean, and who says so",
    "how-sure" => "When an answer is one, a draft, or declined, and what that is reckoned from",
    "lineage" => "What tables and columns are made from, and where that is read",
    "masked-columns" => "What may be done with a masked column",
    "memory" => "What was approved and corrected, and what that does",
    "models" => "Which model drafts, what small ones reach, and what they cost",
    "personal-data" => "What is taken for personal, and why",
    "reading-only" => "Why nothing is written",
    "record" => "The record of statements, and what it proves",
    "usage" => "What people usually do with tables, by the query logs, and what is kept of those",
    "whose-words" => "Whose words are whose in what is shown",
);
/// A page for each rule, under the code that stands beside its findings.
const RULES: [Page; 32] = pages!("rules":
    "rules" "README" => "All rules of the guard; each has a page of its own, under its name",
    "aggregated_type",
    "ambiguous_name",
    "bare_word",
    "catalog_unreadable",
    "cost",
    "effects",
    "fan_out",
    "functions",
    "integer_division",
    "join_mismatch",
    "last_day",
    "literal_value",
    "masked_column",
    "missing_join",
    "missing_limit",
    "one_statement",
    "outside_context",
    "readable",
    "resource_bomb",
    "slow_filter",
    "stale_table",
    "statement_kind",
    "summed_levels",
    "system_catalog",
    "type_mismatch",
    "ungrouped_column",
    "unheeded_fact",
    "unknown_column",
    "unknown_table",
    "unreadable_table",
    "usual_filter",
);

fn pages() -> impl Iterator<Item = Page> {
    REFERENCE.into_iter().chain(GUIDES).chain(CONCEPTS).chain(RULES)
}

impl Page {
    /// The codes of findings that the page of a rule explains: the first cells of its table.
    fn codes(self) -> impl Iterator<Item = &'static str> {
        let table = self.text.split_once("\n## Codes\n").map_or("", |(_, behind)| behind);
        let table = table.split("\n## ").next().unwrap_or_default();
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(code, _)| code)
    }
}

/// Reads the name of a page, or the code of a finding that one explains.
pub(crate) fn page() -> impl clap::builder::TypedValueParser<Value = Page> {
    let value = |page: Page| PossibleValue::new(page.name).aliases(page.codes().filter(move |code| *code != page.name));
    let values = pages().map(|page| match page.about {
        Some(about) => value(page).help(about),
        None => value(page).hide(true),
    });
    PossibleValuesParser::new(values).try_map(|name| {
        let explains = |page: &Page| page.name == name || page.codes().any(|code| code == name);
        pages().find(explains).ok_or_else(|| format!("there is no page {name}"))
    })
}

/// All pages, where none is asked for.
static LIST: LazyLock<String> = LazyLock::new(|| {
    let width = pages().filter(|page| page.about.is_some()).map(|page| page.name.len()).max().unwrap_or_default();
    let lines = pages().filter_map(|page| Some(format!("  {:width$}  {}\n", page.name, page.about?)));
    let rules: Vec<&str> = pages().filter(|page| page.about.is_none()).map(|page| page.name).collect();
    format!(
        "`periplus manual PAGE` shows one of these:\n{}and of the rules, under the code of a finding as well: {}",
        lines.collect::<String>(),
        rules.join(", ")
    )
});

pub(super) fn run(arguments: &ManualArguments, output: &Output) -> ExitCode {
    let text = arguments.page.map_or(LIST.as_str(), |page| page.text);
    output.json(&json!({"text": text}));
    output.say(text);
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{CONCEPTS, RULES, pages};

    #[test]
    fn codes_of_findings_lead_to_the_page_of_their_rule() {
        let page_of = |code: &str| pages().find(|page| page.codes().any(|known| known == code)).map(|page| page.name);
        assert_eq!(page_of("value_unknown"), Some("literal_value"));
        assert_eq!(page_of("nothing_of_the_kind"), None);
    }

    #[test]
    fn every_page_of_rules_and_concepts_is_in_the_binary() {
        for (folder, pages) in [("rules", RULES.as_slice()), ("concepts", CONCEPTS.as_slice())] {
            let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(folder);
            let files = std::fs::read_dir(docs).unwrap().count();
            assert_eq!(files, pages.len(), "docs/{folder} and the manual");
        }
    }
}
