//! With a network of two layers and arbitrary weights: what it says is noise, but the same noise whichever way the
//! tokens were fed.

#![allow(clippy::unwrap_used)]

use std::io::BufWriter;
use std::sync::Arc;

use candle_core::quantized::gguf_file::Value;
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};

use super::*;

const HIDDEN: usize = 256;
const FEED_WIDTH: usize = 512;
/// 256 bytes and three control tokens, filled up.
const VOCABULARY: usize = 272;

/// The characters by which GPT-2's tokenizer writes the 256 bytes.
fn byte_tokens() -> Vec<String> {
    let printable = |byte: u32| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let mut shifted = 0x100u32..;
    (0..256)
        .map(|byte| if printable(byte) { byte } else { shifted.next().unwrap() })
        .map(|code| char::from_u32(code).unwrap().to_string())
        .collect()
}

fn weights(random: &mut fastrand::Rng, rows: usize, columns: usize, kind: GgmlDType) -> QTensor {
    let values: Vec<f32> = (0..rows * columns).map(|_| (random.f32() - 0.5) * 0.25).collect();
    QTensor::quantize(&Tensor::from_vec(values, (rows, columns), &Device::Cpu).unwrap(), kind).unwrap()
}

fn vector(random: &mut fastrand::Rng, length: usize, around: f32) -> QTensor {
    let values: Vec<f32> = (0..length).map(|_| around + (random.f32() - 0.5) * 0.1).collect();
    QTensor::quantize(&Tensor::from_vec(values, length, &Device::Cpu).unwrap(), GgmlDType::F32).unwrap()
}

fn write_model(path: &Path, architecture: &str) {
    let mut random = fastrand::Rng::with_seed(7);
    let mut tokens = byte_tokens();
    tokens.extend(["<|endoftext|>", "<|im_start|>", "<|im_end|>"].map(str::to_owned));
    tokens.resize_with(VOCABULARY, || "filler".into());
    for (index, token) in tokens.iter_mut().enumerate().skip(259) {
        *token = format!("<|filler{index}|>");
    }
    let kinds = (0..VOCABULARY).map(|index| Value::U32(if index < 256 { 1 } else { 3 })).collect();
    let metadata = [
        ("general.architecture", Value::String(architecture.into())),
        ("qwen2.block_count", Value::U32(2)),
        ("qwen2.embedding_length", Value::U32(HIDDEN as u32)),
        ("qwen2.attention.head_count", Value::U32(4)),
        ("qwen2.attention.head_count_kv", Value::U32(2)),
        ("qwen2.context_length", Value::U32(2048)),
        ("qwen2.rope.freq_base", Value::F32(10_000.0)),
        ("qwen2.attention.layer_norm_rms_epsilon", Value::F32(1e-6)),
        ("tokenizer.ggml.model", Value::String("gpt2".into())),
        ("tokenizer.ggml.pre", Value::String("qwen2".into())),
        ("tokenizer.ggml.tokens", Value::Array(tokens.into_iter().map(Value::String).collect())),
        ("tokenizer.ggml.token_type", Value::Array(kinds)),
        ("tokenizer.ggml.merges", Value::Array(Vec::new())),
    ];
    let mut tensors = vec![
        ("token_embd.weight".to_owned(), weights(&mut random, VOCABULARY, HIDDEN, GgmlDType::Q4K)),
        ("output_norm.weight".to_owned(), vector(&mut random, HIDDEN, 1.0)),
        ("output.weight".to_owned(), weights(&mut random, VOCABULARY, HIDDEN, GgmlDType::Q6K)),
    ];
    for layer in 0..2 {
        let mut add = |name: &str, tensor: QTensor| tensors.push((format!("blk.{layer}.{name}"), tensor));
        add("attn_norm.weight", vector(&mut random, HIDDEN, 1.0));
        add("ffn_norm.weight", vector(&mut random, HIDDEN, 1.0));
        for (part, rows, kind) in
            [("q", HIDDEN, GgmlDType::Q4K), ("k", HIDDEN / 2, GgmlDType::Q4K), ("v", HIDDEN / 2, GgmlDType::Q6K)]
        {
            add(&format!("attn_{part}.weight"), weights(&mut random, rows, HIDDEN, kind));
            add(&format!("attn_{part}.bias"), vector(&mut random, rows, 0.0));
        }
        add("attn_output.weight", weights(&mut random, HIDDEN, HIDDEN, GgmlDType::Q4K));
        add("ffn_gate.weight", weights(&mut random, FEED_WIDTH, HIDDEN, GgmlDType::Q4K));
        add("ffn_up.weight", weights(&mut random, FEED_WIDTH, HIDDEN, GgmlDType::Q4K));
        add("ffn_down.weight", weights(&mut random, HIDDEN, FEED_WIDTH, GgmlDType::Q6K));
    }
    let metadata: Vec<_> = metadata.iter().map(|(name, value)| (*name, value)).collect();
    let tensors: Vec<_> = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    let mut file = BufWriter::new(File::create(path).unwrap());
    gguf_file::write(&mut file, &metadata, &tensors).unwrap();
}

fn tiny() -> LocalModel {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.gguf");
    write_model(&path, "qwen2");
    LocalModel::open_with_context(&path, 1024).unwrap()
}

fn request(question: &str) -> ChatRequest {
    let messages = vec![Message::system("The schema stands here, once for all questions."), Message::user(question)];
    ChatRequest { max_tokens: 24, ..ChatRequest::new(messages) }
}

async fn ask(model: &LocalModel, request: &ChatRequest) -> ChatReply {
    model.chat(request, &mut |_| {}).await.unwrap()
}

#[tokio::test]
async fn a_prompt_that_continues_another_is_answered_as_if_it_were_read_whole() {
    let model = tiny();
    let (first, second) = (request("How many ships?"), request("How many ports are there?"));
    ask(&model, &first).await;
    let continued = ask(&model, &second).await;
    let timing = model.timing();
    assert!(timing.reused_tokens > 60 && timing.read_tokens < 60, "{timing:?}");
    assert_eq!(continued, ask(&tiny(), &second).await);
    // And back again: what the second question has left behind is not seen.
    assert_eq!(ask(&model, &first).await, ask(&tiny(), &first).await);
}

#[tokio::test]
async fn the_same_prompt_again_reads_one_token() {
    let model = tiny();
    let replies = [ask(&model, &request("q")).await, ask(&model, &request("q")).await];
    assert_eq!(replies[0], replies[1]);
    assert_eq!(model.timing().read_tokens, 1);
}

#[test]
fn tokens_fed_in_pieces_give_the_same_logits() {
    let model = tiny();
    let engine = model.engine.lock().unwrap();
    let tokens: Vec<u32> = (0..300).map(|index| (index * 31 + 7) % 256).collect();
    let whole = engine.network.forward(&tokens, 0).unwrap();
    let tolerance = 0.02 * whole.iter().fold(0f32, |top, logit| top.max(logit.abs()));
    for cut in [1, 17, 256, 299] {
        engine.network.feed(&tokens[..cut], 0).unwrap();
        let pieces = engine.network.forward(&tokens[cut..], cut).unwrap();
        let difference = whole.iter().zip(&pieces).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
        // Kernels for one row and for many round differently.
        assert!(difference < tolerance, "cut at {cut}: {difference} of {tolerance}");
    }
    let other = engine.network.forward(&tokens[1..], 0).unwrap();
    let difference = whole.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
    assert!(difference > tolerance, "the logits depend on what was read: {difference}");
}

#[tokio::test]
async fn the_pieces_that_are_shown_join_up_to_the_reply() {
    let model = tiny();
    let mut shown = String::new();
    let reply = model.chat(&request("q"), &mut |text| shown.push_str(text)).await.unwrap();
    assert!(!reply.text.is_empty());
    assert_eq!(shown, reply.text);
    assert!(reply.usage.completion_tokens > 0 && reply.usage.prompt_tokens > 60, "{:?}", reply.usage);
}

#[tokio::test]
async fn a_reply_ends_before_a_stop_string_and_at_its_limit() {
    let model = tiny();
    let whole = ask(&model, &request("q")).await;
    assert_eq!((whole.stop, whole.usage.completion_tokens), (StopReason::Length, 24));
    let start = whole.text.char_indices().nth(3).unwrap().0;
    let stop: String = whole.text[start..].chars().take(2).collect();
    let expect = &whole.text[..whole.text.find(&stop).unwrap()];
    let stopped = ask(&model, &ChatRequest { stop: vec![stop], ..request("q") }).await;
    assert_eq!((stopped.text.as_str(), stopped.stop), (expect, StopReason::End));
}

#[tokio::test]
async fn what_does_not_fit_is_refused_with_its_size() {
    let long = request(&"x".repeat(1200));
    let error = tiny().chat(&long, &mut |_| {}).await.unwrap_err();
    assert_eq!(error.code(), "context_too_long");
    assert!(error.to_string().contains("1024"), "{error}");
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_stops_and_leaves_the_model_usable() {
    let model = Arc::new(tiny());
    let dropped = {
        let model = model.clone();
        let request = ChatRequest { max_tokens: 900, ..request("q") };
        tokio::spawn(async move { model.chat(&request, &mut |_| {}).await })
    };
    tokio::time::sleep(Duration::from_millis(30)).await;
    dropped.abort();
    assert_eq!(ask(&model, &request("other")).await, ask(&tiny(), &request("other")).await);
}

#[test]
fn control_tokens_in_a_message_are_read_as_text() {
    let model = tiny();
    let count = |text: &str| model.count_tokens(&[Message::system("s"), Message::user(text)]).unwrap();
    assert_eq!(count("<|im_end|>") - count(""), "<|im_end|>".len());
}

#[test]
fn files_that_are_no_model_are_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, code: &str, part: &str| {
        let error = LocalModel::open(&folder.path().join(name)).err().unwrap();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    check("missing.gguf", "model_not_found", "missing");
    std::fs::write(folder.path().join("text.gguf"), "not a model").unwrap();
    check("text.gguf", "model_bad_file", "text.gguf");
    write_model(&folder.path().join("other.gguf"), "llama");
    check("other.gguf", "model_bad_file", "its architecture is `llama`");
    let cut = folder.path().join("cut.gguf");
    write_model(&cut, "qwen2");
    let whole = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    check("cut.gguf", "model_bad_file", "cut.gguf");
}
