//! What approvals and corrections do, with a model and without.

use agent::Status;
use catalog::MemoryKind;
use connect::Value;

use crate::world::{Reply, Script, World, told};

#[tokio::test]
async fn an_approved_question_is_answered_without_a_model() {
    let mut world = World::new().await;
    world.remember(MemoryKind::Approved, "How many singers?", "SELECT count(*) FROM singer;", None);
    let outcome = world.ask("how many  singers", None).await.unwrap();
    assert_eq!(told(&outcome), "remembered: 1 as answer\nchecked: accepted\nran: 1 rows");
    assert_eq!(outcome.rows.as_ref().unwrap().rows[0][0], Value::Integer(3));
    assert!(outcome.confidence > 0.97);
    assert_eq!(outcome.provenance[0].chunk, "memory:1");
}

#[tokio::test]
async fn without_model_and_memory_the_context_is_all_there_is() {
    let world = World::new().await;
    let outcome = world.ask("How many singers?", None).await.unwrap();
    assert_eq!((outcome.status, outcome.status.code()), (Status::NoModel, "no_model"));
    let context = outcome.context.as_ref().unwrap();
    assert!(context.tables.iter().any(|table| table.name == "singer"));
    assert!(context.text.contains("singer"), "{}", context.text);
    assert!(!outcome.hints().is_empty());
}

#[tokio::test]
async fn an_approval_that_no_longer_fits_is_said_and_not_used() {
    let mut world = World::new().await;
    world.remember(MemoryKind::Approved, "How many singers?", "SELECT count(*) FROM singers_2019", None);
    let model = Script::small(vec![Reply::Text("SELECT count(*) FROM singer")]);
    let outcome = world.ask("How many singers?", Some(&model)).await.unwrap();
    assert_eq!(outcome.answer.as_ref().unwrap().sql(), "SELECT count(*) FROM singer");
    assert!(outcome.assumptions[0].contains("no longer fits"), "{:?}", outcome.assumptions);
}

#[tokio::test]
async fn a_similar_approval_is_an_example() {
    let mut world = World::new().await;
    let sql = "SELECT count(*) FROM concert WHERE year = 2014";
    world.remember(MemoryKind::Approved, "How many concerts took place in 2014?", sql, None);
    let model = Script::small(vec![Reply::Text("SELECT count(*) FROM concert WHERE year = 2015")]);
    let outcome = world.ask("How many concerts took place in 2015?", Some(&model)).await.unwrap();
    assert!(told(&outcome).contains("remembered: 1 as example"));
    assert!(model.prompt(0).contains(sql), "{}", model.prompt(0));
}

#[tokio::test]
async fn a_stored_correction_is_used() {
    let mut world = World::new().await;
    let question = "How many countries do singers come from?";
    let wrong = "SELECT count(country) FROM singer";
    world.remember(MemoryKind::Rejected, question, wrong, Some("each country counts once"));
    let model = Script::small(vec![Reply::Text("SELECT count(DISTINCT country) FROM singer")]);
    let outcome = world.ask(question, Some(&model)).await.unwrap();
    assert!(told(&outcome).contains("remembered: 1 as correction"));
    assert!(model.prompt(0).contains("each country counts once"));
}
