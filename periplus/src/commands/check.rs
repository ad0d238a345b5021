//! `periplus check` and `periplus query`: what the guard says about a statement, and the rows where it may run.

use std::io::Read;
use std::process::ExitCode;

use connect::Limits;
use guard::{Answer, Decision, Finding, GuardError, Severity, Verdict};
use serde_json::json;

use crate::args::{CheckArguments, Level, QueryArguments, RowFormat};
use crate::diagnostics;
use crate::output::{self, Output};
use crate::project::Project;
use crate::role;

pub(super) async fn run(arguments: &CheckArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let source = project.source(arguments.statement.source.as_deref())?;
    let sql = statement(&arguments.statement.sql)?;
    let (catalog, policy) = (project.catalog()?, project.policy()?);
    let (verdict, not_asked) = match role::connect_checked(project, source).await {
        Ok(connector) => (guard::verify(&sql, &catalog, connector.as_ref(), &policy).await?, None),
        Err(error) => (guard::check(&sql, &catalog, &source.id, &policy, None), Some(format!("{error:#}"))),
    };
    print(&sql, &verdict, not_asked.as_deref(), output);
    let level = arguments.fail_on.map(|level| match level {
        Level::Hint => Severity::Hint,
        Level::Warning => Severity::Warning,
    });
    let is_found = level.is_some_and(|level| verdict.findings.iter().any(|finding| finding.severity >= level));
    Ok(match verdict.decision {
        Decision::Refuse => ExitCode::FAILURE,
        Decision::Accept if is_found => ExitCode::from(diagnostics::FOUND),
        Decision::Accept => ExitCode::SUCCESS,
    })
}

pub(super) async fn run_query(
    arguments: &QueryArguments,
    project: &Project,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let source = project.source(arguments.statement.source.as_deref())?;
    let sql = statement(&arguments.statement.sql)?;
    let catalog = project.catalog()?;
    let connector = role::connect_checked(project, source).await?;
    let limits = project.limits();
    let limits = Limits { rows: arguments.max_rows.unwrap_or(limits.rows), ..limits };
    let answer = guard::run(&sql, &catalog, connector.as_ref(), &project.policy()?, &limits).await;
    let is_cut = answer.as_ref().is_ok_and(|answer| answer.result.truncated.is_some());
    let code = print_answer(&sql, answer, arguments.format, output)?;
    // Other programs take what they read for all there is, unless somebody asked for so many.
    let is_taken_for_whole = arguments.format == Some(RowFormat::Csv) && arguments.max_rows.is_none();
    Ok(if is_cut && is_taken_for_whole { ExitCode::FAILURE } else { code })
}

/// Prints rows with what was found about their statement, or why there are none.
pub(super) fn print_answer(
    sql: &str,
    answer: Result<Answer, GuardError>,
    format: Option<RowFormat>,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    match answer {
        Ok(answer) => {
            let (result, findings) = (&answer.result, &answer.verdict.findings);
            if format == Some(RowFormat::Csv) {
                output.export(&output::result_csv(result));
                let cut = result.truncated.iter().map(|reason| format!("truncated: {reason}"));
                cut.chain((!findings.is_empty()).then(|| findings_text(findings)))
                    .for_each(|text| diagnostics::note(&diagnostics::indented(&text)));
                return Ok(ExitCode::SUCCESS);
            }
            output.json(&json!({"result": output::result_json(result), "findings": findings}));
            output.line(output::result_text(result, format));
            if !findings.is_empty() {
                output.line(findings_text(findings));
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(GuardError::Refused(verdict)) => {
            match format {
                Some(RowFormat::Csv) => diagnostics::note(&diagnostics::indented(&text(&verdict))),
                _ => print(sql, &verdict, None, output),
            }
            Ok(ExitCode::FAILURE)
        }
        Err(error) => Err(error.into()),
    }
}

/// Prints a verdict, and why the engine could not be asked for its own.
pub(super) fn print(sql: &str, verdict: &Verdict, engine_not_asked: Option<&str>, output: &Output) {
    let accepted = verdict.decision == Decision::Accept;
    output.json(&json!({
        "sql": sql, "verdict": if accepted { "accept" } else { "refuse" }, "findings": verdict.findings,
        "engine_not_asked": engine_not_asked,
    }));
    output.line(text(verdict));
    if let Some(reason) = engine_not_asked {
        output.line(format!("note: the engine was not asked: {reason}"));
    }
}

/// A verdict for people.
pub(super) fn text(verdict: &Verdict) -> String {
    let word = if verdict.decision == Decision::Accept { "accepted" } else { "refused" };
    if verdict.findings.is_empty() { word.to_owned() } else { format!("{word}\n{}", findings_text(&verdict.findings)) }
}

/// Findings for people: what, why, what to do.
pub(super) fn findings_text(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|finding| {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "hint",
        };
        let mut line = format!("{severity}[{}]: {}", finding.code, finding.message);
        if !finding.why.is_empty() {
            line.push_str(&format!("\n  why: {}", finding.why));
        }
        if !finding.help.is_empty() {
            line.push_str(&format!("\n  do: {}", finding.help));
        }
        if let Some(rewrite) = &finding.rewrite {
            line.push_str(&format!("\n  as: {rewrite}"));
        }
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The statement that was typed, or standard input for `-`.
fn statement(argument: &str) -> std::io::Result<String> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}
