/** Requests of /v1/chat/completions, and how to recognise its answers. */
import { dataUrl } from "../../attached.ts";
import type { Message } from "./message.ts";
import type { Dialect, ModelRequest } from "./dialect.ts";
import { isFields, type Fields } from "../../../kit/fields.ts";
import { ReplyBuilder } from "./reply-builder.ts";
import { reasoningFields } from "./reasoning.ts";

/** Inserted between a tool result and a user message for models that reject the sequence. */
const RESULTS_READ = "I have read the results.";

export const chatDialect: Dialect = {
  path: "/chat/completions",
  body: (request: ModelRequest) => ({
    model: request.model,
    messages: messagesFor(request),
    stream: true,
    ...(request.wantsUsage ? { stream_options: { include_usage: true } } : {}),
    ...(request.tools.length === 0 ? {} : { tools: request.tools }),
    ...(request.effort === undefined ? {} : { reasoning_effort: request.effort }),
  }),
  reader: (limits) => new ReplyBuilder(limits),
  isAnswer: (parsed) => isFields(parsed) && Array.isArray(parsed["choices"]),
};

/**
 * Only in the request, and only for models that rejected the sequence: the log keeps the real conversation. After a
 * restart it is rejected once more.
 */
function messagesFor(request: ModelRequest): Fields[] {
  return request.messages.flatMap((message, at) => {
    const isAfterTool = message.role === "user" && request.messages[at - 1]?.role === "tool";
    const between: Message[] =
      isAfterTool && request.quirks.wantsReplyAfterTool ? [{ role: "assistant", content: RESULTS_READ }] : [];
    return [...between, message].map((one) => forChat(one, request));
  });
}

function forChat(message: Message, { model, quirks }: ModelRequest): Fields {
  if (message.role === "user" && message.images !== undefined) {
    const images = message.images.map((image) => ({ type: "image_url", image_url: { url: dataUrl(image) } }));
    return { role: "user", content: [{ type: "text", text: message.content }, ...images] };
  }
  if (message.role !== "assistant") return message;
  const { providerMetadata = [], ...rest } = message;
  return { ...rest, ...reasoningFields(providerMetadata, model, quirks) };
}
