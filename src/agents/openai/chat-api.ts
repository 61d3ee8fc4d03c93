/** How /v1/chat/completions is spoken: what is sent, and how its answers are told from others. */
import { dataUrl } from "../attached.ts";
import type { Message } from "./message.ts";
import type { Dialect, ModelRequest } from "./dialect.ts";
import { isFields, type Fields } from "./fields.ts";
import { ReplyBuilder } from "./parse.ts";
import { sentThoughts } from "./thoughts.ts";

export const chatDialect: Dialect = {
  path: "/chat/completions",
  body: (request: ModelRequest) => ({
    model: request.model,
    messages: request.messages.map((message) => forChat(message, request)),
    stream: true,
    ...(request.wantsUsage ? { stream_options: { include_usage: true } } : {}),
    ...(request.tools.length === 0 ? {} : { tools: request.tools }),
  }),
  reader: (limits) => new ReplyBuilder(limits),
  isAnswer: (parsed) => isFields(parsed) && Array.isArray(parsed["choices"]),
};

function forChat(message: Message, { model, manners }: ModelRequest): Fields {
  if (message.role === "user" && message.images !== undefined) {
    const images = message.images.map((image) => ({ type: "image_url", image_url: { url: dataUrl(image) } }));
    return { role: "user", content: [{ type: "text", text: message.content }, ...images] };
  }
  if (message.role !== "assistant") return message;
  const { kept = [], ...rest } = message;
  return { ...rest, ...sentThoughts(kept, model, manners) };
}
