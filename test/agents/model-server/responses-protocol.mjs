/** OpenAI Responses. */
import { randomUUID } from "node:crypto";
import { argsText, conversation, flatten, now } from "./conversation.mjs";
import { openaiError } from "./chat-protocol.mjs";

export const responses = {
  read(body) {
    const turns = [],
      system = [body.instructions ?? ""],
      tools = [...(body.tools ?? [])];
    const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : (body.input ?? []);
    for (const item of input) {
      if (item.type === "additional_tools") {
        tools.push(...(item.tools ?? []));
      } else if (/^(function|custom_tool|local_shell|tool_search)_call$/.test(item.type ?? "")) {
        const previous = turns.at(-1);
        if (previous?.role === "assistant" && previous.calls) previous.calls++;
        else turns.push({ role: "assistant", text: String(item.arguments ?? item.input ?? ""), calls: 1 });
      } else if (item.type === "tool_search_output") {
        tools.push(...(item.tools ?? []));
        turns.push({ role: "tool", text: JSON.stringify(item.tools ?? []) });
      } else if ((item.type ?? "").endsWith("_output")) {
        turns.push({ role: "tool", text: flatten(item.output) });
      } else if (item.role === "system" || item.role === "developer") {
        system.push(flatten(item.content));
      } else if (item.role === "user" || item.role === "assistant") {
        turns.push({ role: item.role, text: flatten(item.content) });
      }
    }
    return conversation({
      model: body.model,
      stream: Boolean(body.stream),
      system: system.join("\n"),
      turns,
      tools: responsesTools(tools),
      jsonSchema: body.text?.format?.schema,
      maxTokens: body.max_output_tokens,
    });
  },
  cut: { length: "max_output_tokens", refusal: "content_filter" },
  usage(u) {
    return {
      input_tokens: u.input,
      input_tokens_details: { cached_tokens: u.cached },
      output_tokens: u.output,
      output_tokens_details: { reasoning_tokens: u.thinking },
      total_tokens: u.input + u.output,
    };
  },
  item(block, done) {
    const status = done ? "completed" : "in_progress";
    if (block.type === "thinking") {
      return {
        id: block.itemId,
        type: "reasoning",
        summary: done ? [{ type: "summary_text", text: block.text }] : [],
        encrypted_content: null,
      };
    }
    if (block.type === "text") {
      return {
        id: block.itemId,
        type: "message",
        role: "assistant",
        status,
        content: done ? [{ type: "output_text", text: block.text, annotations: [] }] : [],
      };
    }
    if (block.search)
      return {
        id: block.itemId,
        type: "tool_search_call",
        call_id: block.id,
        execution: "client",
        status,
        arguments: done ? block.args : {},
      };
    const common = {
      id: block.itemId,
      call_id: block.id,
      name: block.name,
      status,
      ...(block.namespace ? { namespace: block.namespace } : {}),
    };
    return block.freeform
      ? { ...common, type: "custom_tool_call", input: done ? block.input : "" }
      : { ...common, type: "function_call", arguments: done ? JSON.stringify(block.args) : "" };
  },
  envelope(conv, id, status, extra = {}) {
    return { id, object: "response", created_at: now(), model: conv.model, status, output: [], ...extra };
  },
  writer(conv, sse) {
    const id = `resp_${randomUUID().replaceAll("-", "")}`;
    let seq = 0,
      index = -1;
    const output = [];
    const push = (type, fields) => sse.event(type, { type, sequence_number: seq++, ...fields });
    const open = (block, prefix) => {
      block.itemId = `${prefix}_${randomUUID().replaceAll("-", "")}`;
      push("response.output_item.added", { output_index: ++index, item: responses.item(block, false) });
    };
    const close = (block) => {
      const item = responses.item(block, true);
      output.push(item);
      push("response.output_item.done", { output_index: index, item });
    };
    const at = (block, extra) => ({ item_id: block.itemId, output_index: index, ...extra });
    return {
      begin() {
        push("response.created", { response: responses.envelope(conv, id, "in_progress") });
        push("response.in_progress", { response: responses.envelope(conv, id, "in_progress") });
      },
      ...channels({ push, open, close, at }),
      end(reply, usage) {
        const cut = responses.cut[reply.finish];
        push(cut ? "response.incomplete" : "response.completed", {
          response: responses.envelope(conv, id, cut ? "incomplete" : "completed", {
            output,
            usage: responses.usage(usage),
            ...(cut ? { incomplete_details: { reason: cut } } : {}),
          }),
        });
      },
      streamError: (message) =>
        push("response.failed", {
          response: responses.envelope(conv, id, "failed", { error: { code: "server_error", message } }),
        }),
    };
  },
  whole(conv, reply, usage) {
    const output = reply.blocks.map((b) => responses.item({ ...b, itemId: `it_${randomUUID()}` }, true));
    return responses.envelope(conv, `resp_${randomUUID()}`, "completed", { output, usage: responses.usage(usage) });
  },
  error: openaiError,
};

function responsesTools(list, namespace) {
  return list.flatMap((t) => {
    if (t.type === "namespace") return responsesTools(t.tools ?? [], t.name);
    if (t.type === "custom") return [{ name: t.name, freeform: true, namespace }];
    if (t.type === "tool_search") return [{ name: "tool_search", schema: t.parameters, search: true }];
    if (t.type === "function") return [{ name: t.name, schema: t.parameters, namespace }];
    return [];
  });
}

/** How each kind of block is written. */
function channels({ push, open, close, at }) {
  return {
    thinking: {
      open(b) {
        open(b, "rs");
        push(
          "response.reasoning_summary_part.added",
          at(b, { summary_index: 0, part: { type: "summary_text", text: "" } }),
        );
      },
      delta: (t, b) => push("response.reasoning_summary_text.delta", at(b, { summary_index: 0, delta: t })),
      close(b) {
        push("response.reasoning_summary_text.done", at(b, { summary_index: 0, text: b.text }));
        push(
          "response.reasoning_summary_part.done",
          at(b, { summary_index: 0, part: { type: "summary_text", text: b.text } }),
        );
        close(b);
      },
    },
    text: {
      open(b) {
        open(b, "msg");
        push(
          "response.content_part.added",
          at(b, { content_index: 0, part: { type: "output_text", text: "", annotations: [] } }),
        );
      },
      delta: (t, b) => push("response.output_text.delta", at(b, { content_index: 0, delta: t })),
      close(b) {
        push("response.output_text.done", at(b, { content_index: 0, text: b.text }));
        push(
          "response.content_part.done",
          at(b, { content_index: 0, part: { type: "output_text", text: b.text, annotations: [] } }),
        );
        close(b);
      },
    },
    tool: {
      open: (b) => open(b, b.search ? "tsc" : b.freeform ? "ctc" : "fc"),
      delta: (t, b) =>
        b.search ||
        push(
          b.freeform ? "response.custom_tool_call_input.delta" : "response.function_call_arguments.delta",
          at(b, { delta: t }),
        ),
      close(b) {
        if (!b.search)
          push(
            b.freeform ? "response.custom_tool_call_input.done" : "response.function_call_arguments.done",
            at(b, b.freeform ? { input: b.input } : { arguments: argsText(b) }),
          );
        close(b);
      },
    },
  };
}
