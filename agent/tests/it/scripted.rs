//! What the pipeline does with the drafts of a small model.

use agent::{Ablations, AnswerShape, Feedback, Shape, Status};
use connect::Value;

use crate::world::{Reply, Script, World, told};

fn first_cell(outcome: &agent::Outcome) -> Option<&Value> {
    outcome.rows.as_ref()?.rows.first()?.first()
}

#[tokio::test]
async fn a_good_draft_costs_one_model_call() {
    let world = World::new().await;
    let model = Script::small(vec![Reply::Text("```sql\nSELECT count(*) FROM singer;\n```")]);
    let outcome = world.ask("How many singers are there?", Some(&model)).await.unwrap();
    assert_eq!(
        told(&outcome),
        "triaged: search true\n\
         linked: How many singers are there?\n\
         composed\n\
         asked model: draft\n\
         drafted: SELECT count(*) FROM singer\n\
         checked: accepted\n\
         ran: 1 rows"
    );
    assert_eq!(first_cell(&outcome), Some(&Value::Integer(3)));
    assert_eq!((outcome.usage.model_calls, outcome.usage.tool_calls), (1, 2));
    assert_eq!(outcome.provenance[0].identifier, "singer");
    assert!(!outcome.drafts[0].hallucinated);
    assert!(outcome.confidence > 0.4 && outcome.confidence < 0.98, "{}", outcome.confidence);
}

/// Small models write conditions that contradict each other or the data.
#[tokio::test]
async fn a_count_of_none_by_a_small_model_is_no_answer() {
    let world = World::new().await;
    let sql = "SELECT count(*) FROM singer WHERE country = 'France' AND name IS NULL";
    let replies = || (0..12).map(|_| Reply::Text(sql)).collect();
    let outcome = world.ask("How many singers are from France?", Some(&Script::small(replies()))).await.unwrap();
    assert_eq!(first_cell(&outcome), Some(&Value::Integer(0)));
    assert!(outcome.status != Status::Answered, "{:?}", outcome.against);
    assert!(
        outcome.against.iter().any(|said| said.starts_with("nothing meets its conditions")),
        "{:?}",
        outcome.against
    );
}

#[tokio::test]
async fn a_column_under_the_wrong_alias_is_mended_without_the_model() {
    let world = World::new().await;
    let model = Script::small(vec![Reply::Text(
        "SELECT T2.name FROM singer AS T1 JOIN singer_in_concert AS T2 ON T1.singer_id = T2.singer_id",
    )]);
    let outcome = world.ask("Names of singers in concerts", Some(&model)).await.unwrap();
    let answer = outcome.answer.as_ref().unwrap();
    assert_eq!(
        answer.sql(),
        "SELECT T1.name FROM singer AS T1 JOIN singer_in_concert AS T2 ON T1.singer_id = T2.singer_id"
    );
    assert_eq!(model.calls(), 1);
    assert!(outcome.drafts[0].hallucinated && outcome.drafts[0].repaired.is_some());
    assert!(outcome.assumptions.iter().any(|sentence| sentence.starts_with("Repaired:")), "{:?}", outcome.assumptions);
}

#[tokio::test]
async fn a_key_under_the_name_that_others_refer_to_it_by_is_mended_wherever_it_stands() {
    let world = World::new().await;
    let model = Script::small(vec![Reply::Text(
        "SELECT t.motto, count(*) FROM tour AS t JOIN stop AS s ON t.tour_id = s.tour_id GROUP BY t.tour_id",
    )]);
    let outcome = world.ask("How many stops does the tour have, by motto?", Some(&model)).await.unwrap();
    assert_eq!(
        outcome.drafts[0].repaired.as_deref(),
        Some("SELECT t.motto, count(*) FROM tour AS t JOIN stop AS s ON t.id = s.tour_id GROUP BY t.id")
    );
}

#[tokio::test]
async fn a_share_that_the_engine_would_cut_off_is_mended_without_the_model() {
    let world = World::new().await;
    let model = Script::small(vec![Reply::Text(
        "SELECT sum(CASE WHEN country = 'France' THEN 1 ELSE 0 END) / count(*) FROM singer",
    )]);
    let outcome = world.ask("What share of the singers is from France?", Some(&model)).await.unwrap();
    assert_eq!(
        outcome.drafts[0].repaired.as_deref(),
        Some("SELECT 1.0 * sum(CASE WHEN country = 'France' THEN 1 ELSE 0 END) / count(*) FROM singer")
    );
    assert_eq!(first_cell(&outcome), Some(&Value::Real(2.0 / 3.0)));
    assert_eq!(model.calls(), 1);
}

#[tokio::test]
async fn a_column_of_a_table_that_was_forgotten_brings_the_table_in() {
    let world = World::new().await;
    let model =
        Script::small(vec![Reply::Text("SELECT title, city FROM concert WHERE year = 2014 ORDER BY title LIMIT 1")]);
    let outcome = world.ask("Title and city of a concert in 2014", Some(&model)).await.unwrap();
    assert_eq!(
        outcome.answer.as_ref().unwrap().sql(),
        "SELECT title, venue.city FROM concert JOIN venue ON concert.venue_id = venue.venue_id WHERE year = 2014 \
         ORDER BY title LIMIT 1"
    );
    assert_eq!(outcome.rows.as_ref().unwrap().rows[0][1], Value::Text("Lyon".into()));
    assert_eq!(model.calls(), 1);
}

#[tokio::test]
async fn a_join_that_is_put_in_leaves_nothing_ambiguous() {
    let world = World::new().await;
    let model = Script::small(vec![Reply::Text("SELECT venue_id, city FROM concert WHERE year = 2015")]);
    let outcome = world.ask("Venue id and city of the concerts in 2015", Some(&model)).await.unwrap();
    assert_eq!(
        outcome.answer.as_ref().unwrap().sql(),
        "SELECT concert.venue_id, venue.city FROM concert JOIN venue ON concert.venue_id = venue.venue_id WHERE year = 2015"
    );
}

#[tokio::test]
async fn an_invented_column_goes_back_to_the_model_with_what_there_is() {
    let world = World::new().await;
    let model = Script::small(vec![
        Reply::Text("SELECT nationality FROM singer"),
        Reply::Text("SELECT country FROM singer"),
        Reply::Text("SELECT singer.country FROM singer"),
    ]);
    let outcome = world.ask("Where do singers come from, by nationality?", Some(&model)).await.unwrap();
    assert_eq!(
        told(&outcome).lines().skip(3).collect::<Vec<_>>().join("\n"),
        "asked model: draft\n\
         drafted: SELECT nationality FROM singer\n\
         checked: refused unknown_column\n\
         asked model: repair\n\
         drafted: SELECT country FROM singer\n\
         checked: accepted\n\
         ran: 3 rows\n\
         asked model: another draft\n\
         drafted: SELECT singer.country FROM singer\n\
         checked: accepted\n\
         ran: 3 rows\n\
         chose: SELECT country FROM singer"
    );
    let repair = model.prompt(1);
    assert!(repair.contains("has no column `nationality`"), "{repair}");
    assert!(repair.starts_with(&model.prompt(0)), "the repair continues the draft's conversation");
    // Nothing says that a nationality is the country, however plausible that is.
    assert_eq!(outcome.status, Status::Declined);
    assert!(outcome.missing[0].contains("`nationality`"), "{:?}", outcome.missing);
}

#[tokio::test]
async fn a_statement_that_writes_is_never_run() {
    let world = World::new().await;
    let model = Script::small(vec![
        Reply::Text("DELETE FROM singer"),
        Reply::Text("DROP TABLE singer"),
        Reply::Text("DELETE FROM singer WHERE 1"),
        Reply::Text("DELETE FROM singer WHERE 2"),
        Reply::Text("REPLACE INTO singer VALUES (1)"),
        Reply::Text("UPDATE singer SET name = ''"),
    ]);
    let outcome = world.ask("Remove all singers", Some(&model)).await.unwrap();
    assert_eq!(outcome.status, Status::Declined);
    assert!(outcome.answer.is_none() && outcome.failure.is_some() && !outcome.findings.is_empty());
    assert!(!told(&outcome).contains("ran:"), "{}", told(&outcome));
    assert_eq!(model.calls(), 6);
}

#[tokio::test]
async fn a_doubtful_draft_is_outvoted_by_others_of_the_same_prompt() {
    let world = World::new().await;
    let young = "SELECT name FROM singer WHERE birth_year > 1980";
    let model = Script::small(vec![
        Reply::Text("SELECT name FROM singer WHERE birth_year > 2100"),
        Reply::Text(young),
        Reply::Text(young),
    ]);
    let outcome = world.ask("Which singers are young?", Some(&model)).await.unwrap();
    assert!(told(&outcome).contains("ran: 0 rows\nasked model: another draft"), "{}", told(&outcome));
    assert_eq!(outcome.rows.as_ref().unwrap().rows.len(), 2);
    assert_eq!(model.prompt(1), model.prompt(0));
    let (first, second, third) = {
        let asked = model.asked.lock().unwrap();
        (asked[0].temperature, (asked[1].temperature, asked[1].seed), (asked[2].temperature, asked[2].seed))
    };
    assert!(first == 0.0 && second.0 > 0.0 && second != third, "{first} {second:?} {third:?}");
    assert_eq!(outcome.usage.tool_calls, 3, "the second drawn draft is known and not run again");
}

#[tokio::test]
async fn where_every_draft_is_doubtful_the_stored_values_are_shown() {
    let world = World::new().await;
    let nobody = "SELECT name FROM singer WHERE country = 'Atlantis'";
    let model = Script::small(vec![
        Reply::Text(nobody),
        Reply::Text(nobody),
        Reply::Text(nobody),
        Reply::Text(nobody),
        Reply::Text("SELECT name FROM singer WHERE country = 'France'"),
    ]);
    let outcome = world.ask("Which singers are from the sunken land?", Some(&model)).await.unwrap();
    assert!(told(&outcome).contains("asked model: draft with values"), "{}", told(&outcome));
    assert!(model.prompt(4).contains("-- 'France', 'Netherlands'"), "{}", model.prompt(4));
    assert!(!model.prompt(0).contains("Netherlands"));
    assert!(outcome.answer.unwrap().sql().contains("France"));
}

#[tokio::test]
async fn one_figure_for_all_is_doubted_where_one_each_is_asked_for() {
    let world = World::new().await;
    let each = "SELECT country, count(*) FROM singer GROUP BY country";
    let model = Script::small(vec![
        Reply::Text("SELECT count(DISTINCT country) FROM singer"),
        Reply::Text(each),
        Reply::Text(each),
    ]);
    let outcome = world.ask("How many singers does each country have?", Some(&model)).await.unwrap();
    assert_eq!(outcome.answer.unwrap().sql(), each);
}

#[tokio::test]
async fn garbage_from_the_model_is_an_unanswered_question() {
    let world = World::new().await;
    let model = Script::small(vec![
        Reply::Text("🙂 I am not sure."),
        Reply::Text(""),
        Reply::Text("?"),
        Reply::Text("no"),
        Reply::Text("SELECT"),
    ]);
    let outcome = world.ask("How many concerts?", Some(&model)).await.unwrap();
    assert_eq!((outcome.status, outcome.status.code()), (Status::Declined, "declined"));
    assert_eq!(outcome.failure.as_deref(), Some("the model wrote no statement"));
}

#[tokio::test]
async fn a_model_that_is_down_is_an_error_with_a_code() {
    let world = World::new().await;
    let error = world.ask("How many concerts?", Some(&Script::small(vec![Reply::Down]))).await.unwrap_err();
    assert_eq!(error.code(), "model_unreachable");
    assert!(!error.hints().is_empty());
}

#[tokio::test]
async fn a_correction_reaches_the_next_attempt() {
    let world = World::new().await;
    let model = Script::small(vec![Reply::Text("SELECT count(DISTINCT country) FROM singer")]);
    let feedback = Feedback {
        rejected_sql: "SELECT count(country) FROM singer".into(),
        correction: "count each country once".into(),
    };
    let outcome = world.ask_again("How many countries?", Some(&feedback), Some(&model)).await.unwrap();
    assert!(model.prompt(0).contains("count each country once"), "{}", model.prompt(0));
    assert!(model.prompt(0).contains("SELECT count(country) FROM singer"));
    assert_eq!(first_cell(&outcome), Some(&Value::Integer(2)));
}

#[tokio::test]
async fn the_company_context_is_in_the_system_message() {
    let mut world = World::new().await;
    world.options.company_context = Some("A debut is a singer's first concert.".into());
    let model = Script::small(vec![Reply::Text("SELECT count(*) FROM concert")]);
    world.ask("How many concerts?", Some(&model)).await.unwrap();
    let asked = model.asked.lock().unwrap();
    assert!(asked[0].messages[0].content.contains("A debut is a singer's first concert."));
}

#[tokio::test]
async fn a_question_that_says_nothing_is_asked_back_without_a_model_call() {
    let world = World::new().await;
    let model = Script::small(Vec::new());
    let outcome = world.ask("show me the data", Some(&model)).await.unwrap();
    assert_eq!(outcome.status, Status::Declined);
    assert!(outcome.clarification.as_ref().unwrap().contains("singer_in_concert"), "{:?}", outcome.clarification);
    assert_eq!(model.calls(), 0);
}

#[tokio::test]
async fn converting_a_statement_searches_nothing() {
    let world = World::new().await;
    let model = Script::small(vec![Reply::Text("SELECT name FROM singer LIMIT 5 OFFSET 10")]);
    let question = "Convert to PostgreSQL: SELECT name FROM singer LIMIT 10, 5";
    let outcome = world.ask(question, Some(&model)).await.unwrap();
    assert_eq!(
        told(&outcome),
        "triaged: search false\nasked model: rewrite\ndrafted: SELECT name FROM singer LIMIT 5 OFFSET 10"
    );
    assert!(!model.prompt(0).contains("CREATE TABLE"));
    assert!(outcome.assumptions[0].contains("was not checked"), "{:?}", outcome.assumptions);
}

#[tokio::test]
async fn without_a_verifier_drafts_are_not_mended_and_still_not_run() {
    let mut world = World::new().await;
    world.options.ablations = Ablations { without_verifier: true, ..Ablations::default() };
    let model = Script::small(vec![Reply::Text("SELECT nam FROM singer")]);
    let outcome = world.ask("Names of singers", Some(&model)).await.unwrap();
    assert_eq!(outcome.status, Status::Declined);
    assert_eq!(model.calls(), 1);
    assert!(!told(&outcome).contains("ran:"));
}

#[tokio::test]
async fn a_finder_says_where_the_data_is() {
    let mut world = World::new().await;
    world.options.shape = Shape::Finder;
    let model = Script::small(vec![Reply::Text(
        "SELECT country, count(*) FROM singer WHERE birth_year > 1900 GROUP BY country ORDER BY 2 DESC LIMIT 1",
    )]);
    let outcome = world.ask("Which country has most singers?", Some(&model)).await.unwrap();
    let Some(AnswerShape::Finder { tables, columns, operations, description, .. }) = outcome.answer else {
        panic!("a finder was asked for");
    };
    assert_eq!(tables, ["singer"]);
    assert_eq!(columns, ["singer.country", "singer.birth_year"]);
    assert_eq!(operations, ["filter", "group", "aggregate", "sort", "limit"]);
    assert!(description.starts_with("Returns singer.country"), "{description}");
}

#[tokio::test]
async fn a_statement_of_another_question_is_no_answer_however_sure() {
    let mut world = World::new().await;
    world.options.min_confidence = 0.0;
    let model =
        || Script::small((0..9).map(|_| Reply::Text("SELECT count(*) FROM singer WHERE singer_id = 3")).collect());
    let outcome = world.ask("How many singers are from France?", Some(&model())).await.unwrap();
    let against = outcome.against.join("\n");
    assert_eq!(outcome.status, Status::Draft, "{against}");
    assert!(against.contains("it compares with 3, which the question doesn't say"), "{against}");
    assert!(against.contains("`France` is stored as 'France' in singer.country"), "{against}");
    let outcome = world.ask("What is singer 3 from France called?", Some(&model())).await.unwrap();
    assert!(!outcome.against.join("\n").contains("it compares with"), "{:?}", outcome.against);
}
