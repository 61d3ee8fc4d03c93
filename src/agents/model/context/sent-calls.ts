/** Tool calls of a reply as they are sent back to the model and logged. */
import type { ContextCall, Json } from "../../../protocol/index.ts";
import type { SentCall } from "../requests/message.ts";
import type { Reply } from "../requests/dialect.ts";

/** Valid tool names. */
const NAME = /^[\w-]{1,64}$/;

/** With unique ids and valid JSON arguments: servers reject a conversation without them. */
export function sentCalls(reply: Reply, nextId: () => string): SentCall[] {
  const used = new Set<string>();
  return reply.calls.map(({ id, name, args, extra }) => {
    const own = id === "" || used.has(id) ? nextId() : id;
    used.add(own);
    const call: SentCall = {
      id: own,
      type: "function",
      function: { name: NAME.test(name) ? name : "unknown", arguments: asObject(args) },
    };
    return extra === undefined ? call : Object.assign(call, { extra_content: extra });
  });
}

/** For the log. */
export function contextCall({ id, function: { name, arguments: args }, extra_content: extra }: SentCall): ContextCall {
  return { id, name, args, ...(extra === undefined ? {} : { extra: extra as Json }) };
}

/** From the log. */
export function sentCall({ id, name, args, extra }: ContextCall): SentCall {
  const call: SentCall = { id, type: "function", function: { name, arguments: args } };
  const isFields = typeof extra === "object" && extra !== null && !Array.isArray(extra);
  return isFields ? { ...call, extra_content: extra } : call;
}

function asObject(args: string): string {
  try {
    const parsed: unknown = JSON.parse(args);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? args : "{}";
  } catch {
    // The model sees it in the result of the call.
    return "{}";
  }
}
