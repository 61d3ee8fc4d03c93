/**
 * Requests of /v1/responses: the conversation as items, the answer as typed events.
 * Nothing is stored on the server: everything, including encrypted reasoning, is sent with each request.
 */
import { dataUrl } from "../../attached.ts";
import type { Message } from "./message.ts";
import type { Dialect, ModelRequest } from "./dialect.ts";
import { isFields, type Fields } from "../../../kit/fields.ts";
import type { ModelQuirks } from "./quirks.ts";
import { ResponseReader } from "./responses-reader.ts";
import { sealedReasoning } from "./reasoning.ts";

export const responsesDialect: Dialect = {
  path: "/responses",
  body: ({ model, messages, tools, quirks, effort }: ModelRequest) => ({
    model,
    instructions: messages.flatMap((one) => (one.role === "system" ? [one.content] : [])).join("\n\n"),
    input: messages.flatMap((one) => itemsOf(one, model, quirks)),
    stream: true,
    store: false,
    ...reasoningFor(quirks, effort),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ function: { name, description, parameters } }) => ({
            type: "function",
            name,
            description,
            parameters,
            // Strict schemas must list every property as required; ours and those of MCP servers do not.
            strict: false,
          })),
          parallel_tool_calls: true,
        }),
  }),
  reader: (limits) => new ResponseReader(limits),
  isAnswer: (parsed) => isFields(parsed) && Array.isArray(parsed["output"]),
};

function reasoningFor(quirks: ModelQuirks, effort: string | undefined): Fields {
  const wanted = effort === undefined ? {} : { effort };
  if (!quirks.takesReasoning) return effort === undefined ? {} : { reasoning: wanted };
  return { reasoning: { summary: "auto", ...wanted }, include: ["reasoning.encrypted_content"] };
}

function contentParts({ content, images = [] }: Extract<Message, { role: "user" }>): Fields[] {
  const pictures = images.map((image) => ({ type: "input_image", image_url: dataUrl(image) }));
  return [{ type: "input_text", text: content }, ...pictures];
}

function itemsOf(message: Message, model: string, quirks: ModelQuirks): Fields[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ role: "user", content: message.images === undefined ? message.content : contentParts(message) }];
    case "tool":
      return [{ type: "function_call_output", call_id: message.tool_call_id, output: message.content }];
    default: {
      const reply = message.content === null ? [] : [{ role: "assistant", content: message.content }];
      const calls = (message.tool_calls ?? []).map((call) => ({
        type: "function_call",
        call_id: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
      }));
      return [...sealedReasoning(message.providerMetadata ?? [], model, quirks), ...reply, ...calls];
    }
  }
}
