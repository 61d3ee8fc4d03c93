/** Anthropic Messages. */
import { randomUUID } from "node:crypto";
import { conversation, flatten, userWords } from "./conversation.mjs";
import { directivesIn } from "./directives.mjs";

export const anthropic = {
  read(body) {
    const turns = [];
    for (const m of body.messages ?? []) {
      const parts = typeof m.content === "string" ? [{ type: "text", text: m.content }] : (m.content ?? []);
      if (m.role === "assistant") {
        turns.push({
          role: "assistant",
          text: flatten(parts.filter((p) => p.type === "text")),
          calls: parts.filter((p) => p.type === "tool_use").length,
        });
        continue;
      }
      if (m.role === "system") {
        // instructions in the middle of a conversation; some agents wrap steering messages this way
        const text = flatten(parts);
        if (directivesIn(text).length > 0) turns.push({ role: "user", text });
        continue;
      }
      for (const p of parts.filter((p) => p.type === "tool_result"))
        turns.push({ role: "tool", text: flatten(p.content) });
      const words = parts
        .filter((p) => p.type === "text")
        .map((p) => userWords(p.text))
        .filter(Boolean);
      if (words.length > 0) turns.push({ role: "user", text: words.join("\n"), parts: words });
    }
    return conversation({
      model: body.model,
      stream: Boolean(body.stream),
      system: flatten(body.system),
      turns,
      tools: (body.tools ?? []).filter((t) => t.input_schema).map((t) => ({ name: t.name, schema: t.input_schema })),
      jsonSchema: body.output_config?.format?.schema ?? body.output_format?.schema,
      maxTokens: body.max_tokens,
    });
  },
  finish: { stop: "end_turn", tool: "tool_use", length: "max_tokens", refusal: "refusal" },
  usage(u, output = u.output) {
    return {
      input_tokens: u.input - u.cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: u.cached,
      output_tokens: output,
    };
  },
  writer(conv, sse) {
    const id = `msg_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
    let index = -1;
    const push = (type, fields) => sse.event(type, { type, ...fields });
    const open = (content_block) => push("content_block_start", { index: ++index, content_block });
    const delta = (d) => push("content_block_delta", { index, delta: d });
    const close = () => push("content_block_stop", { index });
    return {
      begin(usage) {
        push("message_start", {
          message: {
            id,
            type: "message",
            role: "assistant",
            model: conv.model,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: anthropic.usage(usage, 1),
          },
        });
        push("ping", {});
      },
      thinking: {
        open: () => open({ type: "thinking", thinking: "", signature: "" }),
        delta: (t) => delta({ type: "thinking_delta", thinking: t }),
        close() {
          delta({ type: "signature_delta", signature: "ZmFrZS1zaWduYXR1cmU=" });
          close();
        },
      },
      text: {
        open: () => open({ type: "text", text: "" }),
        delta: (t) => delta({ type: "text_delta", text: t }),
        close,
      },
      tool: {
        open: (b) => open({ type: "tool_use", id: b.id.replace("call_", "toolu_"), name: b.name, input: {} }),
        delta: (t) => delta({ type: "input_json_delta", partial_json: t }),
        close,
      },
      end(reply, usage) {
        push("message_delta", {
          delta: { stop_reason: anthropic.finish[reply.finish ?? "stop"], stop_sequence: null },
          usage: anthropic.usage(usage),
        });
        push("message_stop", {});
      },
      streamError: (message) => push("error", { error: { type: "overloaded_error", message } }),
    };
  },
  whole(conv, reply, usage) {
    const content = reply.blocks.map((b) => {
      if (b.type === "thinking") return { type: "thinking", thinking: b.text, signature: "ZmFrZS1zaWduYXR1cmU=" };
      if (b.type === "text") return { type: "text", text: b.text };
      return { type: "tool_use", id: b.id.replace("call_", "toolu_"), name: b.name, input: b.args };
    });
    return {
      id: `msg_${randomUUID().slice(0, 24)}`,
      type: "message",
      role: "assistant",
      model: conv.model,
      content,
      stop_reason: anthropic.finish[reply.finish ?? "stop"],
      stop_sequence: null,
      usage: anthropic.usage(usage),
    };
  },
  error(status, message) {
    const type =
      {
        400: "invalid_request_error",
        401: "authentication_error",
        403: "permission_error",
        404: "not_found_error",
        429: "rate_limit_error",
        529: "overloaded_error",
      }[status] ?? "api_error";
    return { type: "error", error: { type, message }, request_id: `req_${randomUUID().slice(0, 24)}` };
  },
};
