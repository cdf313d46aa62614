// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys, and what their absence means, are those of llama.cpp's llama-arch.cpp
// and llama-model.cpp; names of fields are those of transformers.

#include "compiler/Import/Gguf/GgufConfig.h"

#include "compiler/Import/Gguf/GgufArchitectures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;
using namespace heddle;

namespace {
struct Architecture {
  StringLiteral name;       ///< in `general.architecture`
  StringLiteral modelType;  ///< of the family
  StringLiteral modelClass; ///< in `architectures`
  void (*write)(GgufConfigWriter &);
  bool rotatesNeighbours = false;
};
} // namespace

static void writeLlamaLike(GgufConfigWriter &w) {
  w.writeDecoder({});
  w.writeRotary();
}

// Mistral's windows, and Mixtral's experts, are in files of this architecture.
static void writeLlama(GgufConfigWriter &w) {
  writeLlamaLike(w);
  if (w.integer("expert_count").value_or(0) != 0) {
    w.fields["architectures"] = json::Array{"MixtralForCausalLM"};
    w.fields["model_type"] = "mixtral";
    w.writeExperts("num_local_experts", "");
    if (w.slides())
      w.writeInteger("attention.sliding_window", "sliding_window");
    if (auto size = w.integer("expert_feed_forward_length");
        size && *size != w.fields.getInteger("intermediate_size"))
      w.fail("expert_feed_forward_length", "that of feed_forward_length",
             llvm::Twine(*size));
    return;
  }
  w.ask("expert_used_count");
  if (!w.slides())
    return;
  w.fields["architectures"] = json::Array{"MistralForCausalLM"};
  w.fields["model_type"] = "mistral";
  w.writeInteger("attention.sliding_window", "sliding_window");
}

static void writeQwen2MoE(GgufConfigWriter &w) {
  writeLlamaLike(w);
  w.writeExperts("num_experts", "moe_intermediate_size");
  w.fields["shared_expert_intermediate_size"] =
      w.required("expert_shared_feed_forward_length");
}

static void writeQwen3MoE(GgufConfigWriter &w) {
  writeLlamaLike(w);
  w.writeExperts("num_experts", "moe_intermediate_size");
  w.fields["norm_topk_prob"] = true;
}

static void writeCaps(GgufConfigWriter &w) {
  w.writeNumber("attn_logit_softcapping", "attn_logit_softcapping");
  w.writeNumber("final_logit_softcapping", "final_logit_softcapping");
}

static void writeGemma2(GgufConfigWriter &w) {
  writeLlamaLike(w);
  w.writeWindows(2, 4096);
  w.writeScoreChannels(46);
  writeCaps(w);
}

static void writeGemma3(GgufConfigWriter &w) {
  w.writeDecoder({});
  w.writeRotary("rope_theta", /*hasOwnOfWindows=*/true);
  // Without windows all layers are alike.
  if (w.slides())
    w.writeWindows(6);
  else
    w.fields["layer_types"] = json::Array(
        std::vector<json::Value>(std::clamp<int64_t>(w.layers, 0, 65536),
                                 json::Value("full_attention")));
  w.writeScoreChannels(62);
  writeCaps(w);
  w.fields["rope_local_base_freq"] =
      w.number("rope.freq_base_swa").value_or(10000.0);
}

static void writeGranite(GgufConfigWriter &w) {
  writeLlamaLike(w);
  w.fields["attention_multiplier"] =
      w.number("attention.scale")
          .value_or(1 /
                    std::sqrt(double(std::max<int64_t>(w.headChannels, 1))));
  // 0 stands for none.
  for (auto [key, field] :
       {std::pair("embedding_scale", "embedding_multiplier"),
        std::pair("residual_scale", "residual_multiplier"),
        std::pair("logit_scale", "logits_scaling")})
    if (auto factor = w.number(key); factor && *factor != 0)
      w.fields[field] = *factor;
}

static void writeOLMo2(GgufConfigWriter &w) {
  writeLlamaLike(w);
  if (!w.slides())
    return;
  w.fields["architectures"] = json::Array{"Olmo3ForCausalLM"};
  w.fields["model_type"] = "olmo3";
  w.writeWindows(4);
}

static void writePhi3(GgufConfigWriter &w) {
  writeLlamaLike(w);
  if (w.slides())
    w.writeInteger("attention.sliding_window", "sliding_window");
}

static void writeStableLM(GgufConfigWriter &w) {
  writeLlamaLike(w);
  w.fields["use_parallel_residual"] = !w.hasInLayer("ffn_norm.weight");
  w.fields["qk_layernorm"] = w.hasInLayer("attn_q_norm.weight");
  w.ask("use_parallel_residual");
}

static void writeStarCoder2(GgufConfigWriter &w) {
  GgufConfigWriter::SizeFields names;
  names.epsilon = "norm_epsilon";
  w.writeDecoder(names);
  w.writeRotary();
  if (w.slides())
    w.writeInteger("attention.sliding_window", "sliding_window");
}

static void writeCohere(GgufConfigWriter &w) {
  writeLlamaLike(w);
  w.writeNumber("logit_scale", "logit_scale");
  w.fields["use_qk_norm"] = w.hasInLayer("attn_q_norm.weight");
}

static void writeCohere2(GgufConfigWriter &w) {
  writeCohere(w);
  w.writeWindows(4);
}

static void writeGPT2(GgufConfigWriter &w) {
  GgufConfigWriter::SizeFields names;
  names.hidden = "n_embd";
  names.layers = "n_layer";
  names.heads = "n_head";
  names.positions = "n_positions";
  names.inner = "n_inner";
  names.epsilon = "layer_norm_epsilon";
  w.writeDecoder(names);
}

static void writeGPTNeoX(GgufConfigWriter &w) {
  w.writeDecoder({});
  w.writeRotary("rotary_emb_base");
  w.fields["rotary_pct"] = *w.fields.get("partial_rotary_factor");
  w.fields.erase("partial_rotary_factor");
  w.fields["use_parallel_residual"] =
      w.boolean("use_parallel_residual").value_or(true);
}

static void writeFalcon(GgufConfigWriter &w) {
  GgufConfigWriter::SizeFields names;
  names.kvHeads = "num_kv_heads";
  names.inner = "ffn_hidden_size";
  names.epsilon = "layer_norm_epsilon";
  w.writeDecoder(names);
  w.writeRotary();
  // Two norms are those of the later architecture; the first one has one key.
  bool hasTwo = w.hasInLayer("attn_norm_2.weight");
  bool isSingle = w.fields.getInteger("num_kv_heads") == 1;
  w.fields["new_decoder_architecture"] = hasTwo || !isSingle;
  w.fields["num_ln_in_parallel_attn"] = hasTwo ? 2 : 1;
  w.fields["multi_query"] = true;
}

static void writeGPTOSS(GgufConfigWriter &w) {
  w.writeDecoder({});
  w.writeRotary();
  if (json::Object *scaling = w.fields.getObject("rope_scaling"))
    (*scaling)["truncate"] = false; // as the model was trained
  w.writeWindows(2);
  w.writeExperts("num_local_experts", "intermediate_size");
}

/// In ascending order.
static constexpr Architecture architectures[] = {
    {"bert", "bert", "BertModel", writeBert},
    {"cohere2", "cohere2", "Cohere2ForCausalLM", writeCohere2},
    {"command-r", "cohere", "CohereForCausalLM", writeCohere},
    {"deepseek2", "deepseek_v2", "DeepseekV2ForCausalLM", writeDeepSeek},
    {"falcon", "falcon", "FalconForCausalLM", writeFalcon},
    {"gemma", "gemma", "GemmaForCausalLM", writeLlamaLike},
    {"gemma2", "gemma2", "Gemma2ForCausalLM", writeGemma2},
    {"gemma3", "gemma3_text", "Gemma3ForCausalLM", writeGemma3},
    {"gpt-oss", "gpt_oss", "GptOssForCausalLM", writeGPTOSS},
    {"gpt2", "gpt2", "GPT2LMHeadModel", writeGPT2},
    {"gptneox", "gpt_neox", "GPTNeoXForCausalLM", writeGPTNeoX},
    {"granite", "granite", "GraniteForCausalLM", writeGranite, true},
    {"llama", "llama", "LlamaForCausalLM", writeLlama, true},
    {"modern-bert", "modernbert", "ModernBertModel", writeModernBert},
    {"olmo2", "olmo2", "Olmo2ForCausalLM", writeOLMo2},
    {"phi2", "phi", "PhiForCausalLM", writeLlamaLike},
    {"phi3", "phi3", "Phi3ForCausalLM", writePhi3},
    {"qwen2", "qwen2", "Qwen2ForCausalLM", writeLlamaLike},
    {"qwen2moe", "qwen2_moe", "Qwen2MoeForCausalLM", writeQwen2MoE},
    {"qwen3", "qwen3", "Qwen3ForCausalLM", writeLlamaLike},
    {"qwen3moe", "qwen3_moe", "Qwen3MoeForCausalLM", writeQwen3MoE},
    {"smollm3", "smollm3", "SmolLM3ForCausalLM", writeLlamaLike, true},
    {"stablelm", "stablelm", "StableLmForCausalLM", writeStableLM},
    {"starcoder2", "starcoder2", "Starcoder2ForCausalLM", writeStarCoder2},
    {"t5", "t5", "T5ForConditionalGeneration", writeT5},
};

SmallVector<StringRef> heddle::ggufArchitectures() {
  SmallVector<StringRef> names;
  for (const Architecture &architecture : architectures)
    names.push_back(architecture.name);
  return names;
}

Expected<GgufConfig> heddle::readGgufConfig(const GgufFile &file) {
  constexpr const char *key = "general.architecture";
  const auto *name = file.header.find<std::string>(key);
  const Architecture *known =
      find_if(architectures,
              [&](const Architecture &a) { return name && *name == a.name; });
  if (known == std::end(architectures)) {
    auto found = file.header.metadata.find(key);
    return createStringError(
        file.path + ": key '" + key + "': expected one of " +
        join(ggufArchitectures(), ", ") + ", found " +
        (found == file.header.metadata.end() ? "nothing"
                                             : gguf::describe(found->second)));
  }
  GgufConfigWriter writer(file, known->name);
  writer.fields["architectures"] = json::Array{known->modelClass};
  writer.fields["model_type"] = known->modelType;
  known->write(writer);
  writer.rejectUnasked();
  if (Error error = writer.takeError())
    return error;
  return GgufConfig{std::move(writer.fields), known->rotatesNeighbours,
                    writer.pooling};
}
