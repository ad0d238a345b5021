//! The forward pass of a quantized Qwen2 network.
//!
//! We own these pages instead of depending on `candle-transformers` for three things it can't do: the keys and values
//! lie in buffers that are allocated once, a prompt continues from whatever prefix is already in them, and logits are
//! computed for the last position only. The weights stay quantized; candle multiplies by them as they are.
//! Invariant: after a successful [`Network::forward`] the buffers hold exactly `start + tokens.len()` positions that
//! count; everything behind is leftover and never read.

use std::path::Path;
use std::sync::Arc;

use candle_core::quantized::{QMatMul, QTensor, gguf_file};
use candle_core::{DType, Device, Module, Tensor};
use candle_nn::attention::{AttnMask, flash_attn};
use candle_nn::ops::rms_norm;
use candle_nn::rotary_emb::rope_thd;

use crate::error::LlmError;

/// The sizes that the file's metadata gives.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NetworkShape {
    pub(super) layers: usize,
    pub(super) hidden: usize,
    pub(super) heads: usize,
    pub(super) key_value_heads: usize,
    pub(super) head: usize,
    pub(super) trained_context: usize,
    rope_base: f64,
    norm_epsilon: f32,
}

impl NetworkShape {
    fn read(content: &gguf_file::Content) -> candle_core::Result<Self> {
        let value = |key: &str| {
            content.metadata.get(key).ok_or_else(|| candle_core::Error::Msg(format!("`{key}` is missing"))).cloned()
        };
        let count = |key: &str| Ok::<usize, candle_core::Error>(value(key)?.to_u32()? as usize);
        let architecture = value("general.architecture")?.to_string()?.clone();
        if architecture != "qwen2" {
            candle_core::bail!("its architecture is `{architecture}`, not `qwen2`");
        }
        let (hidden, heads) = (count("qwen2.embedding_length")?, count("qwen2.attention.head_count")?);
        let shape = Self {
            layers: count("qwen2.block_count")?,
            hidden,
            heads,
            key_value_heads: count("qwen2.attention.head_count_kv")?,
            head: hidden.checked_div(heads).unwrap_or(0),
            trained_context: count("qwen2.context_length")?,
            rope_base: f64::from(value("qwen2.rope.freq_base")?.to_f32()?),
            norm_epsilon: value("qwen2.attention.layer_norm_rms_epsilon")?.to_f32()?,
        };
        if shape.head == 0 || shape.key_value_heads == 0 || !heads.is_multiple_of(shape.key_value_heads) {
            candle_core::bail!(
                "{heads} heads and {} key heads don't go with {hidden} dimensions",
                shape.key_value_heads
            );
        }
        Ok(shape)
    }
}

/// A quantized matrix.
struct Matrix(Arc<QTensor>);

impl Matrix {
    fn apply(&self, input: &Tensor) -> candle_core::Result<Tensor> {
        QMatMul::QTensor(self.0.clone()).forward(input)
    }
}

/// Applies matrices of one input; one pass over the threads where candle can fuse them.
fn apply_together<const N: usize>(matrices: [&Matrix; N], input: &Tensor) -> candle_core::Result<[Tensor; N]> {
    let single = input.elem_count() == input.dim(candle_core::D::Minus1)?;
    if single {
        let tensors: Vec<&QTensor> = matrices.iter().map(|matrix| matrix.0.as_ref()).collect();
        if let Some(outputs) = QTensor::gemv_fused_shared_lhs(&tensors, input)?
            && let Ok(outputs) = <[Tensor; N]>::try_from(outputs)
        {
            return Ok(outputs);
        }
    }
    let outputs = matrices.iter().map(|matrix| matrix.apply(input)).collect::<candle_core::Result<Vec<_>>>()?;
    <[Tensor; N]>::try_from(outputs).map_err(|_| candle_core::Error::Msg("an output is missing".into()))
}

struct Layer {
    attention_norm: Tensor,
    query: Matrix,
    key: Matrix,
    value: Matrix,
    query_bias: Tensor,
    key_bias: Tensor,
    value_bias: Tensor,
    output: Matrix,
    feed_norm: Tensor,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
    /// `[context, key_value_heads * head]`, written in place.
    keys: Tensor,
    values: Tensor,
}

/// The network with its key and value buffers.
pub(super) struct Network {
    pub(super) shape: NetworkShape,
    embedding: Arc<QTensor>,
    layers: Vec<Layer>,
    norm: Tensor,
    output: Matrix,
    /// `[context, head / 2]`.
    cosines: Tensor,
    sines: Tensor,
}

impl Network {
    /// Reads the weights. `context`: the positions to make room for.
    pub(super) fn load<R: std::io::Read + std::io::Seek>(
        content: &gguf_file::Content,
        reader: &mut R,
        path: &Path,
        context: usize,
    ) -> Result<Self, LlmError> {
        Self::load_all(content, reader, context)
            .map_err(|error| LlmError::BadModel { path: path.to_path_buf(), reason: error.to_string() })
    }

    fn load_all<R: std::io::Read + std::io::Seek>(
        content: &gguf_file::Content,
        reader: &mut R,
        context: usize,
    ) -> candle_core::Result<Self> {
        let shape = NetworkShape::read(content)?;
        let device = Device::Cpu;
        let mut quantized = |name: &str| content.tensor(reader, name, &device).map(Arc::new);
        let embedding = quantized("token_embd.weight")?;
        let norm = quantized("output_norm.weight")?.dequantize(&device)?;
        let output = match content.tensor_infos.contains_key("output.weight") {
            true => Matrix(quantized("output.weight")?),
            false => Matrix(embedding.clone()),
        };
        let width = shape.key_value_heads * shape.head;
        let mut layers = Vec::with_capacity(shape.layers);
        for index in 0..shape.layers {
            let mut part = |name: &str| quantized(&format!("blk.{index}.{name}"));
            layers.push(Layer {
                attention_norm: part("attn_norm.weight")?.dequantize(&device)?,
                query: Matrix(part("attn_q.weight")?),
                key: Matrix(part("attn_k.weight")?),
                value: Matrix(part("attn_v.weight")?),
                query_bias: part("attn_q.bias")?.dequantize(&device)?,
                key_bias: part("attn_k.bias")?.dequantize(&device)?,
                value_bias: part("attn_v.bias")?.dequantize(&device)?,
                output: Matrix(part("attn_output.weight")?),
                feed_norm: part("ffn_norm.weight")?.dequantize(&device)?,
                gate: Matrix(part("ffn_gate.weight")?),
                up: Matrix(part("ffn_up.weight")?),
                down: Matrix(part("ffn_down.weight")?),
                keys: Tensor::zeros((context, width), DType::F32, &device)?,
                values: Tensor::zeros((context, width), DType::F32, &device)?,
            });
        }
        let (cosines, sines) = rotations(&shape, context)?;
        Ok(Self { shape, embedding, layers, norm, output, cosines, sines })
    }

    /// Feeds `tokens`, of which the first stands at position `start`, and gives the logits behind the last one.
    ///
    /// Positions before `start` must have been fed by earlier calls.
    pub(super) fn forward(&self, tokens: &[u32], start: usize) -> candle_core::Result<Vec<f32>> {
        let hidden = self.hidden(tokens, start)?;
        let last = hidden.narrow(0, tokens.len() - 1, 1)?.contiguous()?;
        let last = rms_norm(&last, &self.norm, self.shape.norm_epsilon)?;
        self.output.apply(&last)?.flatten_all()?.to_vec1::<f32>()
    }

    /// Feeds `tokens` without asking for logits: all but the last piece of a long prompt.
    pub(super) fn feed(&self, tokens: &[u32], start: usize) -> candle_core::Result<()> {
        self.hidden(tokens, start).map(|_| ())
    }

    /// `[tokens, hidden]`, before the last norm.
    fn hidden(&self, tokens: &[u32], start: usize) -> candle_core::Result<Tensor> {
        let count = tokens.len();
        let cosines = self.cosines.narrow(0, start, count)?;
        let sines = self.sines.narrow(0, start, count)?;
        let mut state = self.embedding.embedding(&Tensor::new(tokens, &Device::Cpu)?)?;
        for layer in &self.layers {
            let attended = self.attend(layer, &state, start, (&cosines, &sines))?;
            state = (state + attended)?;
            let normed = rms_norm(&state, &layer.feed_norm, self.shape.norm_epsilon)?;
            let [gate, up] = apply_together([&layer.gate, &layer.up], &normed)?;
            let fed = layer.down.apply(&(candle_nn::ops::silu(&gate)? * up)?)?;
            state = (state + fed)?;
        }
        Ok(state)
    }

    fn attend(
        &self,
        layer: &Layer,
        state: &Tensor,
        start: usize,
        (cosines, sines): (&Tensor, &Tensor),
    ) -> candle_core::Result<Tensor> {
        let NetworkShape { heads, key_value_heads, head, norm_epsilon, .. } = self.shape;
        let count = state.dim(0)?;
        let end = start + count;
        let normed = rms_norm(state, &layer.attention_norm, norm_epsilon)?;
        let [query, key] = apply_together([&layer.query, &layer.key], &normed)?;
        let value = layer.value.apply(&normed)?.broadcast_add(&layer.value_bias)?;
        let query = query.broadcast_add(&layer.query_bias)?.reshape((1, count, heads, head))?;
        let key = key.broadcast_add(&layer.key_bias)?.reshape((1, count, key_value_heads, head))?;
        let query = rope_thd(&query, cosines, sines)?;
        let key = rope_thd(&key, cosines, sines)?.reshape((count, key_value_heads * head))?;
        layer.keys.slice_set(&key, 0, start)?;
        layer.values.slice_set(&value, 0, start)?;
        let seen = |buffer: &Tensor| buffer.narrow(0, 0, end)?.reshape((1, end, key_value_heads, head));
        let attended = flash_attn::<f32>(
            &query,
            &seen(&layer.keys)?,
            &seen(&layer.values)?,
            1.0 / (head as f32).sqrt(),
            AttnMask::causal_with_offset(start),
            None,
            None,
        )?;
        let attended = attended.transpose(1, 2)?.reshape((count, heads * head))?;
        layer.output.apply(&attended)
    }
}

/// The cosines and sines of the rotary position embedding (Su et al., RoFormer, 2021), halves rotated as in GPT-NeoX.
fn rotations(shape: &NetworkShape, context: usize) -> candle_core::Result<(Tensor, Tensor)> {
    let half = shape.head / 2;
    let mut angles = Vec::with_capacity(context * half);
    for position in 0..context {
        for index in 0..half {
            let exponent = 2.0 * index as f64 / shape.head as f64;
            angles.push((position as f64 / shape.rope_base.powf(exponent)) as f32);
        }
    }
    let angles = Tensor::from_vec(angles, (context, half), &Device::Cpu)?;
    Ok((angles.cos()?, angles.sin()?))
}
