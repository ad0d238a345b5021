//! *How good is it?* Packs of questions with gold answers, and what linking, the guard and answering make of them.
//!
//! A pack is a folder with `questions.jsonl` and `databases/*.sqlite` or `snapshots/*.json`. Each measurement writes one
//! JSON line a question, so that figures can be computed again by others, and returns its figures.
//!
//! Invariant: gold answers are read here and nowhere else; what is measured never sees one.
//!
//! ```ignore
//! let run = eval::LinkRun { pack: "packs/mine".into(), ..run };
//! let report = eval::run_link(&run, llm::static_embedder()).await?;
//! println!("full@5 {:.3}", report.all.full_at[1]);
//! ```

mod ask;
mod exploration;
mod guard;
mod lineage;
mod link;
mod metrics;
mod pack;
mod rows;
mod scale;
mod tokens;

pub use ask::{
    Accuracy, Answered, AskQuestion, AskReport, AskRun, CalibrationReport, CoveragePoint, JudgedAnswers, Order,
    OwnQuestion, Prediction, QuestionResult, QuestionsReport, QuestionsRun, RiskCoverage, Rows, Tally, accuracy,
    calibrate, order_of, read_questions, run_ask, run_questions, same_result,
};
pub use exploration::Exploration;
pub use guard::{
    Agreement, CorpusReport, Labelled, PackOptions, PackReport, StatementsReport, run_corpus, run_pack as run_guard,
    run_statements,
};
pub use lineage::{DbtReport, LineageReport, SuiteReport, run_dbt, run_lineage};
pub use link::{LinkReport, LinkRun, LinkScope, Wording, link_questions, run_link};
pub use metrics::{DEPTHS, Judgement, Ranked, RankingMetrics, judge, judge_best, percentile, summarize};
pub use pack::{Pack, PackDatabase, PackQuestion, QUESTIONS_FILE, catalog_of};
pub use rows::{RowsRun, Stage, write_rows};
pub use scale::{ScaleReport, ScaleRun, run_scale};
pub use tokens::{TokensReport, TokensRun, Tools, run_tokens};
