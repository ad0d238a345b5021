//! Talks to the embedded model: reads a prompt from standard input, prints the reply and how fast it came.
//!
//! `cargo run --release -p llm --example chat -- MODEL.gguf [MAX_TOKENS] [REPEATS] < prompt.txt`
//!
//! A repeat asks the same again with another last line, which shows what keeping the common beginning saves.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Instant;

use llm::local::LocalModel;
use llm::{ChatModel, ChatRequest, Message};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().ok_or("usage: chat MODEL.gguf [MAX_TOKENS] [REPEATS] < prompt")?);
    let max_tokens = arguments.next().map_or(Ok(128), |text| text.parse())?;
    let repeats: usize = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let mut prompt = String::new();
    std::io::stdin().read_to_string(&mut prompt)?;

    let begun = Instant::now();
    let model = LocalModel::open(&path)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} opened in {:.2} s", model.info().name, begun.elapsed().as_secs_f32())?;
    for repeat in 0..repeats {
        let question = if repeat == 0 { prompt.clone() } else { format!("{prompt}\n({repeat})") };
        let request = ChatRequest { max_tokens, ..ChatRequest::new(vec![Message::user(question)]) };
        let reply = model
            .chat(&request, &mut |text| {
                // Nothing is lost if the terminal is gone: the reply is whole all the same.
                let _ = std::io::stderr().write_all(text.as_bytes());
            })
            .await?;
        let timing = model.timing();
        let speed = |tokens: usize, time: std::time::Duration| tokens as f32 / time.as_secs_f32().max(1e-6);
        writeln!(
            out,
            "\n{:?}; {} tokens kept, {} read in {:.2} s ({:.1} a second), {} written in {:.2} s ({:.1} a second)",
            reply.stop,
            timing.reused_tokens,
            timing.read_tokens,
            timing.reading.as_secs_f32(),
            speed(timing.read_tokens, timing.reading),
            timing.written_tokens,
            timing.writing.as_secs_f32(),
            speed(timing.written_tokens, timing.writing),
        )?;
    }
    Ok(())
}
