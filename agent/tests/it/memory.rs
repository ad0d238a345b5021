//! What approvals and corrections do, with a model and without.

use agent::Status;
use catalog::{MemoryKind, Reach, TableId, Term, TermOrigin, TermState, UsedColumn};
use connect::Value;
use jiff::Timestamp;

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

#[tokio::test]
async fn an_approved_question_may_be_asked_in_other_words() {
    let mut world = World::new().await;
    let sql = "SELECT count(*) FROM concert WHERE year = 2014";
    world.remember(MemoryKind::Approved, "How many concerts took place in 2014?", sql, None);
    let outcome = world.ask("Number of concerts in the year 2014, please", None).await.unwrap();
    assert_eq!(outcome.status, Status::Answered, "{}", told(&outcome));
    assert_eq!(outcome.answer.as_ref().unwrap().sql(), sql);
    assert!(outcome.assumptions[0].contains("How many concerts took place in 2014?"), "{:?}", outcome.assumptions);
    let uses = outcome.uses("Number of concerts …", Some("bo"));
    assert_eq!((uses.len(), uses[0].memory.0, uses[0].used_as.as_str()), (1, 1, "answer"));
    for question in ["How many concerts took place in 2015?", "Which concerts took place in 2014?"] {
        let outcome = world.ask(question, None).await.unwrap();
        assert_eq!(outcome.status, Status::NoModel, "{question}");
        let offered = outcome.clarification.as_ref().unwrap();
        assert!(offered.contains("“How many concerts took place in 2014?”"), "{question}: {offered}");
    }
}

#[tokio::test]
async fn what_somebody_approved_for_themselves_counts_for_nobody_else() {
    let mut world = World::new().await;
    world.remember(MemoryKind::Approved, "How many singers?", "SELECT count(*) FROM singer", None);
    world.change_last(|content| content.reach.private = true);
    for (asker, expected) in [(Some("ana"), Status::Answered), (Some("bo"), Status::NoModel), (None, Status::NoModel)] {
        world.options.asker = asker.map(str::to_owned);
        assert_eq!(world.ask("How many singers?", None).await.unwrap().status, expected, "{asker:?}");
    }
    world.change_last(|content| content.reach = Reach { private: false, expires_at: Some(Timestamp::UNIX_EPOCH) });
    assert_eq!(world.ask("How many singers?", None).await.unwrap().status, Status::NoModel, "expired");
}

#[tokio::test]
async fn an_example_that_fits_no_more_teaches_nothing() {
    let mut world = World::new().await;
    let sql = "SELECT count(*) FROM concerts_2013 WHERE year = 2014";
    world.remember(MemoryKind::Approved, "How many concerts took place in 2014?", sql, None);
    let model = Script::small(vec![Reply::Text("SELECT count(*) FROM concert WHERE year = 2015")]);
    let outcome = world.ask("How many concerts took place in 2015?", Some(&model)).await.unwrap();
    assert!(!told(&outcome).contains("remembered"), "{}", told(&outcome));
    assert!(!model.prompt(0).contains("concerts_2013"), "{}", model.prompt(0));
}

#[tokio::test]
async fn a_correction_is_carried_over_to_a_paraphrase_alone() {
    let mut world = World::new().await;
    let wrong = "SELECT count(country) FROM singer";
    world.remember(MemoryKind::Rejected, "How many countries do singers come from?", wrong, Some("each counts once"));
    for (question, expected) in [
        ("Number of countries that singers come from", true),
        ("How many countries do singers of 2014 come from?", false),
        ("Which countries do singers come from?", false),
    ] {
        let model = Script::small(vec![Reply::Text("SELECT count(DISTINCT country) FROM singer"); 6]);
        let outcome = world.ask(question, Some(&model)).await.unwrap();
        assert_eq!(told(&outcome).contains("as correction"), expected, "{question}: {}", told(&outcome));
    }
}

fn newcomer(condition: &str) -> Term {
    let column = UsedColumn { table: TableId::new("music", "singer"), column: "birth_year".into() };
    Term {
        source: "music".into(),
        name: "newcomer".into(),
        synonyms: vec!["fresh voice".into()],
        definition: Some("born late".into()),
        table: Some(column.table.clone()),
        expression: None,
        condition: Some(condition.into()),
        columns: vec![column],
        origin: TermOrigin::Person,
        evidence: None,
        state: TermState::Approved { by: "ana".into(), at: None },
    }
}

#[tokio::test]
async fn a_term_is_told_to_the_model_and_cited() {
    let mut world = World::new().await;
    world.catalog = world.catalog.clone().with_terms(vec![newcomer("birth_year >= 1988")]);
    let right = "SELECT count(*) FROM singer WHERE birth_year >= 1988";
    for (question, sql, cited) in [
        ("How many newcomers do we have?", right, true),
        ("How many fresh voices do we have?", right, true),
        ("How many newcomers do we have?", "SELECT count(*) FROM singer", false),
    ] {
        let model = Script::small(vec![Reply::Text(sql); 6]);
        let outcome = world.ask(question, Some(&model)).await.unwrap();
        let prompt = model.prompt(0);
        assert!(prompt.contains("newcomer (ana): born late: rows of singer where birth_year >= 1988"), "{prompt}");
        assert!(outcome.missing.is_empty(), "{question}: {:?}", outcome.missing);
        let assumed = outcome.assumptions.iter().any(|it| it.contains("as ana defined it"));
        let against = outcome.against.iter().any(|it| it.contains("doesn't look at `singer.birth_year`"));
        assert_eq!((assumed, against), (cited, !cited), "{sql}: {:?} {:?}", outcome.assumptions, outcome.against);
        assert!(cited || outcome.status == Status::Draft, "{:?}", outcome.status);
        assert_eq!(outcome.context.unwrap().terms.len(), 1);
    }
    // A number of the definition is nobody's invention.
    let model = Script::small(vec![Reply::Text(right)]);
    let outcome = world.ask("How many newcomers do we have?", Some(&model)).await.unwrap();
    assert!(!outcome.against.iter().any(|it| it.contains("1988, which")), "{:?}", outcome.against);
}
