/** Gemini generateContent. */
import { randomUUID } from "node:crypto";
import { conversation, flatten } from "./conversation.mjs";

export const gemini = {
  read(body, url) {
    const turns = [];
    for (const c of body.contents ?? []) {
      const parts = c.parts ?? [];
      const calls = parts.filter((p) => p.functionCall).length;
      const results = parts.filter((p) => p.functionResponse);
      for (const p of results)
        turns.push({
          role: "tool",
          text: flatten(p.functionResponse.response?.output ?? JSON.stringify(p.functionResponse.response)),
        });
      const texts = parts.filter((p) => typeof p.text === "string" && !p.thought).map((p) => p.text);
      const text = texts.join("\n");
      if (c.role === "model") turns.push({ role: "assistant", text, calls });
      else if (text) turns.push({ role: "user", text, parts: texts });
    }
    const config = body.generationConfig ?? {};
    return conversation({
      model: /models\/([^:/]+):/.exec(url.pathname)?.[1],
      stream: url.pathname.endsWith(":streamGenerateContent"),
      system: flatten(body.systemInstruction),
      turns,
      tools: (body.tools ?? [])
        .flatMap((t) => t.functionDeclarations ?? [])
        .map((f) => ({ name: f.name, schema: f.parametersJsonSchema ?? f.parameters })),
      jsonSchema:
        config.responseMimeType === "application/json"
          ? (config.responseJsonSchema ?? config.responseSchema ?? {})
          : undefined,
      maxTokens: config.maxOutputTokens,
    });
  },
  finish: { length: "MAX_TOKENS", refusal: "SAFETY" },
  usage(u) {
    return {
      promptTokenCount: u.input,
      cachedContentTokenCount: u.cached,
      candidatesTokenCount: u.output - u.thinking,
      thoughtsTokenCount: u.thinking,
      totalTokenCount: u.input + u.output,
    };
  },
  chunk(conv, id, parts, extra = {}, finishReason) {
    return {
      candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason ? { finishReason } : {}) }],
      modelVersion: conv.model,
      responseId: id,
      ...extra,
    };
  },
  part(b) {
    if (b.type === "thinking") return { text: b.text, thought: true };
    if (b.type === "text") return { text: b.text };
    return { functionCall: { id: b.id, name: b.name, args: b.args }, thoughtSignature: "ZmFrZS1zaWduYXR1cmU=" };
  },
  writer(conv, sse) {
    const id = randomUUID();
    const push = (parts, extra, finish) => sse.data(gemini.chunk(conv, id, parts, extra, finish));
    return {
      begin() {},
      thinking: { open() {}, delta: (t) => push([{ text: t, thought: true }]), close() {} },
      text: { open() {}, delta: (t) => push([{ text: t }]), close() {} },
      tool: { open() {}, delta() {}, close: (b) => push([gemini.part(b)]) },
      end: (reply, usage) =>
        push([{ text: "" }], { usageMetadata: gemini.usage(usage) }, gemini.finish[reply.finish] ?? "STOP"),
      streamError: (message) => sse.data({ error: { code: 503, message, status: "UNAVAILABLE" } }),
    };
  },
  whole(conv, reply, usage) {
    return gemini.chunk(
      conv,
      randomUUID(),
      reply.blocks.map((block) => gemini.part(block)),
      { usageMetadata: gemini.usage(usage) },
      "STOP",
    );
  },
  error(status, message) {
    const name =
      {
        400: "INVALID_ARGUMENT",
        401: "UNAUTHENTICATED",
        403: "PERMISSION_DENIED",
        429: "RESOURCE_EXHAUSTED",
        503: "UNAVAILABLE",
      }[status] ?? "INTERNAL";
    return { error: { code: status, message, status: name } };
  },
};
