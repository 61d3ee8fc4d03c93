/** How /v1/chat/completions is spoken: what is sent, and how its answers are told from others. */
import { dataUrl } from "../attached.ts";
import type { Message } from "./message.ts";
import type { Dialect, ModelRequest } from "./dialect.ts";
import { isFields, type Fields } from "./fields.ts";
import { ReplyBuilder } from "./parse.ts";

export const chatDialect: Dialect = {
  path: "/chat/completions",
  body: ({ model, messages, tools, wantsUsage }: ModelRequest) => ({
    model,
    messages: messages.map(forChat),
    stream: true,
    ...(wantsUsage ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools }),
  }),
  reader: (limits) => new ReplyBuilder(limits),
  isAnswer: (parsed) => isFields(parsed) && Array.isArray(parsed["choices"]),
};

/** What another API gave is not for this one. */
function forChat(message: Message): Message | Fields {
  if (message.role === "user" && message.images !== undefined) {
    const images = message.images.map((image) => ({ type: "image_url", image_url: { url: dataUrl(image) } }));
    return { role: "user", content: [{ type: "text", text: message.content }, ...images] };
  }
  if (message.role !== "assistant" || message.kept === undefined) return message;
  const { kept: _kept, ...rest } = message;
  return rest;
}
