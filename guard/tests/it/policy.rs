//! Policies: profiles, levels, and what no configuration can weaken.

use catalog::{Catalog, Dialect};
use guard::{Decision, GuardError, Policy, PolicyConfig, Profile, RuleLevel, RuleName, Severity};

use crate::fixture::Fixture;

fn with_rule(rule: &str, level: RuleLevel) -> Result<Policy, GuardError> {
    let rules = [(rule.to_owned(), level)].into();
    Policy::new(PolicyConfig { rules, ..PolicyConfig::default() })
}

#[test]
fn rules_that_read_only_access_rests_on_cannot_be_weakened() {
    for rule in [
        "readable",
        "one_statement",
        "statement_kind",
        "effects",
        "functions",
        "system_catalog",
        "resource_bomb",
        "unknown_table",
        "unknown_column",
        "ambiguous_name",
        "masked_column",
    ] {
        for level in [RuleLevel::Off, RuleLevel::Hint, RuleLevel::Warning] {
            let error = with_rule(rule, level).unwrap_err();
            assert_eq!(error.code(), "fixed_rule", "{rule}");
        }
        with_rule(rule, RuleLevel::Error).unwrap();
    }
}

#[test]
fn a_function_of_unknown_growth_is_refused_in_the_strict_profile_unless_it_is_named() {
    let fixture = Fixture::new();
    let catalog = fixture.catalog(&Dialect::Postgres);
    let mut source = catalog.source("spec").unwrap().clone();
    source.functions.not_volatile = vec!["public.inflate".to_owned()];
    let entries = catalog.tables_of("spec").cloned().collect();
    let catalog = Catalog::new(vec![source], entries, Vec::new(), 1);
    let sql = "SELECT inflate(country) FROM customers ORDER BY 1 LIMIT 5";
    let found = |config: PolicyConfig| {
        let verdict = guard::check(sql, &catalog, "spec", &Policy::new(config).unwrap(), None);
        verdict.errors().any(|finding| finding.code == "unknown_growth")
    };
    let strict = PolicyConfig { profile: Profile::Strict, ..PolicyConfig::default() };
    assert!(found(strict.clone()));
    assert!(!found(PolicyConfig { allow_functions: vec!["inflate".to_owned()], ..strict }));
    assert!(!found(PolicyConfig::default()));
}

#[test]
fn what_is_said_of_a_statement_has_a_length_whatever_the_names_in_it() {
    let fixture = Fixture::new();
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let sql = format!("SELECT {} FROM orders", "n".repeat(500_000));
    let verdict = guard::check(&sql, &catalog, "spec", &Policy::default(), None);
    assert!(!verdict.is_accepted());
    for finding in &verdict.findings {
        let said = finding.message.len() + finding.why.len() + finding.help.len();
        assert!(said < 3 * (guard::LONGEST_SENTENCE + 40), "{said}: {}", finding.code);
    }
    assert!(verdict.findings.iter().any(|finding| finding.message.contains("more letters)")));
}

#[test]
fn an_unknown_rule_is_an_error_that_lists_the_rules() {
    let error = with_rule("no_such_rule", RuleLevel::Off).unwrap_err();
    assert_eq!(error.code(), "unknown_rule");
    assert!(error.hints()[0].contains("literal_value"), "{:?}", error.hints());
}

#[test]
fn a_pattern_that_allows_nearly_every_function_is_an_error() {
    for pattern in ["*", "p*", "**", "a*b*"] {
        let config = PolicyConfig { allow_functions: vec![pattern.to_owned()], ..PolicyConfig::default() };
        assert_eq!(Policy::new(config).unwrap_err().code(), "open_pattern", "{pattern}");
    }
}

#[test]
fn levels_and_profiles_decide_how_severe_a_finding_is() {
    let fixture = Fixture::new();
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let sql = "SELECT count(*) FROM customers WHERE country = 'USA'";
    let severity = |policy: &Policy| {
        let verdict = guard::check(sql, &catalog, "spec", policy, None);
        verdict.findings.iter().find(|it| it.rule == RuleName::LiteralValue).map(|it| it.severity)
    };
    assert_eq!(severity(&Policy::default()), Some(Severity::Warning));
    assert_eq!(severity(&Policy::of_profile(Profile::Strict)), Some(Severity::Error));
    assert_eq!(severity(&with_rule("literal_value", RuleLevel::Hint).unwrap()), Some(Severity::Hint));
    assert_eq!(severity(&with_rule("literal_value", RuleLevel::Off).unwrap()), None);
}

#[test]
fn tables_that_were_not_shown_are_worth_a_finding() {
    let fixture = Fixture::new();
    let catalog = fixture.catalog(&Dialect::Sqlite);
    let shown = [catalog::TableId::new("spec", "orders")];
    let codes = |sql: &str, policy: &Policy| {
        let verdict = guard::check(sql, &catalog, "spec", policy, Some(&shown));
        (verdict.decision, verdict.findings.iter().map(|it| it.code).collect::<Vec<_>>())
    };
    let standard = Policy::default();
    assert_eq!(codes("SELECT total FROM orders", &standard), (Decision::Accept, vec![]));
    assert_eq!(codes("SELECT full_name FROM customers", &standard), (Decision::Accept, vec!["outside_context"]));
    let strict = Policy::of_profile(Profile::Strict);
    assert_eq!(codes("SELECT full_name FROM customers", &strict), (Decision::Refuse, vec!["outside_context"]));
}

#[test]
fn every_rule_has_a_page() {
    let Err(GuardError::UnknownRule { known, .. }) = with_rule("no_such_rule", RuleLevel::Off) else {
        panic!("an unknown rule was accepted");
    };
    let pages = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules");
    let index = std::fs::read_to_string(pages.join("README.md")).unwrap();
    for rule in known {
        let page = std::fs::read_to_string(pages.join(format!("{rule}.md"))).unwrap_or_default();
        assert!(page.starts_with(&format!("# `{rule}`")), "docs/rules/{rule}.md is missing");
        assert!(index.contains(&format!("({rule}.md)")), "docs/rules/README.md doesn't list {rule}");
    }
}

#[test]
fn every_code_of_a_finding_is_on_a_page() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages: String = std::fs::read_dir(folder.join("../docs/rules"))
        .unwrap()
        .map(|page| std::fs::read_to_string(page.unwrap().path()).unwrap())
        .collect();
    let fixture = Fixture::new();
    let catalog = fixture.catalog(&Dialect::Sqlite);
    for statement in crate::specs::all_statements() {
        let verdict = guard::check(&statement, &catalog, "spec", &Policy::default(), None);
        for finding in verdict.findings {
            assert!(pages.contains(&format!("`{}`", finding.code)), "{} is on no page", finding.code);
        }
    }
}
