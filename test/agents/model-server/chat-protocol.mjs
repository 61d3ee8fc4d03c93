/** OpenAI Chat Completions. */
import { randomUUID } from "node:crypto";
import { argsText, conversation, flatten, now, textOf } from "./conversation.mjs";

export const chat = {
  read(body) {
    const turns = [],
      system = [];
    for (const m of body.messages ?? []) {
      if (m.role === "system" || m.role === "developer") system.push(flatten(m.content));
      else if (m.role === "tool" || m.role === "function") turns.push({ role: "tool", text: flatten(m.content) });
      else if (m.role === "assistant")
        turns.push({ role: "assistant", text: flatten(m.content), calls: m.tool_calls?.length });
      else turns.push({ role: "user", text: flatten(m.content) });
    }
    return conversation({
      model: body.model,
      stream: Boolean(body.stream),
      system: system.join("\n"),
      turns,
      tools: (body.tools ?? [])
        .filter((t) => t.function)
        .map((t) => ({ name: t.function.name, schema: t.function.parameters })),
      jsonSchema: body.response_format?.json_schema?.schema,
      maxTokens: body.max_tokens ?? body.max_completion_tokens,
      includeUsage: body.stream_options?.include_usage,
    });
  },
  finish: { stop: "stop", tool: "tool_calls", length: "length", refusal: "content_filter" },
  usage(u) {
    return {
      prompt_tokens: u.input,
      completion_tokens: u.output,
      total_tokens: u.input + u.output,
      prompt_tokens_details: { cached_tokens: u.cached },
      completion_tokens_details: { reasoning_tokens: u.thinking },
    };
  },
  writer(conv, sse) {
    const head = { id: `chatcmpl-${randomUUID()}`, object: "chat.completion.chunk", created: now(), model: conv.model };
    const push = (delta, finish_reason = null) => sse.data({ ...head, choices: [{ index: 0, delta, finish_reason }] });
    let toolIndex = -1;
    return {
      begin: () => push({ role: "assistant", content: "" }),
      thinking: { open() {}, delta: (t) => push({ reasoning_content: t }), close() {} },
      text: { open() {}, delta: (t) => push({ content: t }), close() {} },
      tool: {
        open: (b) =>
          push({
            tool_calls: [{ index: ++toolIndex, id: b.id, type: "function", function: { name: b.name, arguments: "" } }],
          }),
        delta: (t) => push({ tool_calls: [{ index: toolIndex, function: { arguments: t } }] }),
        close() {},
      },
      end(reply, usage) {
        push({}, chat.finish[reply.finish ?? "stop"]);
        if (conv.includeUsage) sse.data({ ...head, choices: [], usage: chat.usage(usage) });
        sse.raw("data: [DONE]\n\n");
      },
      streamError: (message) => sse.data({ error: { message, type: "server_error", code: "server_error" } }),
    };
  },
  whole(conv, reply, usage) {
    const calls = reply.blocks.filter((b) => b.type === "tool");
    return {
      id: `chatcmpl-${randomUUID()}`,
      object: "chat.completion",
      created: now(),
      model: conv.model,
      choices: [
        {
          index: 0,
          finish_reason: chat.finish[reply.finish ?? "stop"],
          message: {
            role: "assistant",
            content: textOf(reply, "text") || null,
            ...(textOf(reply, "thinking") ? { reasoning_content: textOf(reply, "thinking") } : {}),
            ...(calls.length
              ? {
                  tool_calls: calls.map((b) => ({
                    id: b.id,
                    type: "function",
                    function: { name: b.name, arguments: argsText(b) },
                  })),
                }
              : {}),
          },
        },
      ],
      usage: chat.usage(usage),
    };
  },
  error: openaiError,
};

export function openaiError(status, message) {
  const badRequest = /context window/.test(message) ? "context_length_exceeded" : "invalid_value";
  const code = { 401: "invalid_api_key", 429: "rate_limit_exceeded", 400: badRequest }[status] ?? "server_error";
  const type =
    { 401: "invalid_request_error", 400: "invalid_request_error", 429: "rate_limit_error" }[status] ?? "server_error";
  return { error: { message, type, param: null, code } };
}
