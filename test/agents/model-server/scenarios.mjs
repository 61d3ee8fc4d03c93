/** What the model server can play, one function each: from the options of a tag and the conversation to a reply. */
import { toolBlock } from "./tool-block.mjs";

const LOREM =
  "Here is a plain answer streamed in many small pieces. It has more than one sentence, " +
  "a list:\n\n- first item\n- second item\n\nand a code block:\n\n```js\nconst answer = 42\n```\n\nThat is all.";

const MUSING =
  "The user wants a short reply. I should weigh the options first. " +
  "Option one is direct; option two is verbose. I will pick option one.";

/** Marks that make a request end early or badly. */
export const FAULT = { DROP: "drop", STALL: "stall", STREAM_ERROR: "stream-error", GARBAGE: "garbage" };

/**
 * Every scenario maps (options, conversation) to a reply:
 *   { blocks, finish }                   normal reply
 *   { blocks, fault }                    reply broken off after its blocks
 *   { status, message, code, headers }   HTTP error instead of a reply
 *   { hang: true }                       no answer at all
 */
export const SCENARIOS = {
  text: (o) => say(o.text ?? LOREM),

  /** Repeats what it was told: handy to prove that history survived a resume. */
  echo: (o, c) => say(`turn ${c.userTexts.length}; you said: ${c.userTexts.join(" | ")}`),

  /** Echoes the newest tool result. */
  "echo-tool": (o, c) => say(`tool said: ${c.lastToolResult ?? "(nothing)"}`),

  thinking: (o) => ({
    blocks: [
      { type: "thinking", text: o.thinking ?? MUSING },
      { type: "text", text: o.text ?? LOREM },
    ],
  }),

  tool: (o, c) => ({ blocks: [...leadIn(o), toolBlock(o, c)], finish: "tool" }),

  /** n calls in one reply (default 2). */
  "parallel-tools": (o, c) => ({
    blocks: [...leadIn(o), ...Array.from({ length: Number(o.n ?? 2) }, () => toolBlock(o, c))],
    finish: "tool",
  }),

  /**
   * Anything, in any order: `list=[{"type":"text","text":"a"},{"type":"tool","command":"ls"}] fault=drop finish=length`.
   * A tool takes the options of `tool`.
   */
  blocks(o, c) {
    const blocks = (o.list ?? []).map((one) => (one.type === "tool" ? toolBlock(one, c) : one));
    const finish = o.finish ?? (blocks.some(({ type }) => type === "tool") ? "tool" : "stop");
    return { blocks, finish, ...(o.fault === undefined ? {} : { fault: o.fault }) };
  },

  /** About a minute of output, for interrupts and steering. */
  slow: (o) => ({
    ...say(o.text ?? numbered(Number(o.n ?? 600))),
    pace: { chunk: 8, delay: Number(o.delay ?? 100) },
  }),

  "slow-thinking": (o) => ({
    blocks: [
      { type: "thinking", text: numbered(Number(o.n ?? 300)) },
      { type: "text", text: "Done thinking." },
    ],
    pace: { chunk: 8, delay: Number(o.delay ?? 100) },
  }),

  /** HTTP error. `times=2` fails twice and then answers with text. */
  error: (o) => ({
    status: Number(o.status ?? 500),
    message: o.message,
    headers: o.retry_after === undefined ? {} : { "retry-after": String(o.retry_after) },
  }),
  "rate-limit": (o) => SCENARIOS.error({ status: 429, retry_after: 1, ...o }),
  overloaded: (o) => SCENARIOS.error({ status: 529, ...o }),
  unauthorized: (o) => SCENARIOS.error({ status: 401, ...o }),
  "context-overflow": (o) =>
    SCENARIOS.error({
      status: 400,
      message: "prompt is too long: 250000 tokens > 200000 maximum; this exceeds the context window",
      ...o,
    }),

  /** Some text, then the socket is destroyed. */
  drop: (o) => ({ ...say(o.text ?? LOREM.slice(0, Number(o.after ?? 60))), fault: FAULT.DROP }),
  /** Some text, then silence with the connection open. */
  stall: (o) => ({ ...say(o.text ?? LOREM.slice(0, Number(o.after ?? 60))), fault: FAULT.STALL }),
  /** Some text, then the protocol's own in-band error event. */
  "stream-error": (o) => ({ ...say(o.text ?? LOREM.slice(0, Number(o.after ?? 60))), fault: FAULT.STREAM_ERROR }),
  /** Some text, then bytes that are not valid JSON. */
  garbage: (o) => ({ ...say(o.text ?? LOREM.slice(0, Number(o.after ?? 60))), fault: FAULT.GARBAGE }),
  /** The request is accepted and never answered. */
  hang: () => ({ hang: true }),

  /** Cut off at the output token limit. */
  length: (o) => ({ ...say(o.text ?? LOREM), finish: "length" }),
  /** Stopped by the provider's safeguards. */
  refusal: (o) => ({ ...say(o.text ?? LOREM.slice(0, 60)), finish: "refusal" }),
  empty: () => ({ blocks: [] }),
};

export function say(text) {
  return { blocks: [{ type: "text", text: String(text) }] };
}

function numbered(n) {
  return Array.from({ length: n }, (_, i) => `word${i + 1} `).join("");
}

function leadIn(o) {
  const blocks = [];
  if (o.thinking) blocks.push({ type: "thinking", text: o.thinking === true ? MUSING : String(o.thinking) });
  if (o.text) blocks.push({ type: "text", text: String(o.text) });
  return blocks;
}
