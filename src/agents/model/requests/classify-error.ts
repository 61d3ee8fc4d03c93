/** Meaning of a model server's error by status, code and message, with a hint. */
import type { Endpoint } from "./endpoint.ts";
import type { ModelErrorFacts } from "./model-error.ts";

/** As reported by the server; empty where it reported nothing. */
export interface ReportedError {
  readonly code: string;
  readonly message: string;
}

interface Case {
  readonly isIt: (status: number, reported: ReportedError) => boolean;
  readonly error: (about: About) => ModelErrorFacts;
}

interface About {
  readonly at: string;
  readonly model: string;
  readonly status: number;
  readonly keyHint: string;
  readonly reported: ReportedError;
}

const NO_MODEL =
  /model.{0,80}(not found|does not exist|not exist|unknown|not available|is not a valid)|no such model|invalid model/i;
const NO_TOOLS =
  /does not support (tools|function)|tools? (is|are) not supported|tool.?(use|choice|calling).{0,40}not (supported|enabled)|requires --enable-auto-tool-choice|no endpoints found that support tool/i;
const NO_IMAGES =
  /image_url is only supported|unknown variant .?image_url|does not support (image|vision)|image input.{0,40}not supported|images? (is|are) not supported|not a multimodal model|at most 0 image|found that support image|required for image input/i;

const ONLY_RESPONSES = /only (supported|available) in v1\/responses|use (the )?v1\/responses/i;
const NO_REASONING =
  /(unsupported|unknown|unrecognized|invalid|not supported)[^.]{0,60}(reasoning|encrypted_content|\binclude\b)|(reasoning\.(summary|effort)|encrypted.content)[^.]{0,60}not (supported|allowed|permitted)|organization must be verified/i;
const WANTS_THOUGHTS =
  /(missing|requires?)[^.]{0,30}reasoning.content|reasoning.content[^.]{0,60}(missing|must be passed|required)/i;
const REFUSED =
  "unsupported|unknown|unrecognized|unexpected|invalid|extra_forbidden|not (?:supported|allowed|permitted)|cannot find field";
/** Mentioned as a field: in quotes, or after the message it belongs to. */
const FIELD = "[\"'`.](reasoning(?:_content|_details)?)\\b";
const NO_FIELD = new RegExp(`(?:${REFUSED}).{0,80}?${FIELD}|${FIELD}.{0,60}?(?:${REFUSED})`, "i");
/** Encrypted for another model or account, or with a key that no longer exists. */
const NOT_OPENED_CODE = "invalid_encrypted_content";
const NOT_OPENED = /encrypted.content .{0,200}could not be (verified|decrypted)/i;
const NO_SIGNATURE = /(invalid|corrupted)[^.]{0,20}signature|signature is not valid/i;
/** Mistral and its chat templates; the latter fail with a 500 on llama.cpp. */
const WANTS_REPLY_AFTER_TOOL = /unexpected role \W?user\W? after role \W?tool|roles must alternate/i;
/** Gemini mentions billing in every rate limit error. */
const RATE = /rate.?limit|retry in \d/i;

/** The first match decides; status 0 is an error in mid-stream. */
const CASES: readonly Case[] = [
  {
    isIt: (status, { message }) => status < 500 && WANTS_THOUGHTS.test(message),
    error: ({ at, model }) => ({
      kind: "wants_thoughts",
      code: "bad_request",
      message: `${at} requires the reasoning of model ${model} in the conversation.`,
    }),
  },
  // First, because some servers quote what they reject, and that may be anything.
  {
    isIt: (status, reported) =>
      (status === 400 || status === 422 || reported.code === NOT_OPENED_CODE) && refusedField(reported) !== undefined,
    error: ({ at, model, reported }) => ({
      kind: "no_reasoning",
      code: "bad_request",
      message: `${at} rejects the reasoning of model ${model} in the conversation.`,
      field: refusedField(reported) ?? "",
    }),
  },
  {
    isIt: (_status, { message }) => WANTS_REPLY_AFTER_TOOL.test(message),
    error: ({ at, model }) => ({
      kind: "wants_reply_after_tool",
      code: "bad_request",
      message: `${at} rejects this order of messages for model ${model}.`,
    }),
  },
  {
    isIt: isTooLong,
    error: ({ model }) => ({
      kind: "context_length",
      code: "context_length",
      message: `The conversation exceeds the context window of model ${model}.`,
      hint: "Ask for something smaller, start a new session, or choose a model with a larger context window.",
    }),
  },
  {
    isIt: (status, { message }) => status < 500 && message.includes("stream_options"),
    error: ({ at }) => ({
      kind: "no_stream_options",
      code: "bad_request",
      message: `${at} does not support stream_options.`,
    }),
  },
  {
    isIt: (status, { message }) => status >= 400 && status < 500 && ONLY_RESPONSES.test(message),
    error: ({ at, model }) => ({
      kind: "only_responses",
      code: "bad_request",
      message: `${at} serves model ${model} through its Responses API only.`,
      hint: 'Set the member\'s api to "responses".',
    }),
  },
  {
    isIt: (status, { message }) => status >= 400 && status < 500 && NO_REASONING.test(message),
    error: ({ at, model }) => ({
      kind: "no_reasoning",
      code: "bad_request",
      message: `${at} does not provide reasoning of model ${model}.`,
    }),
  },
  {
    isIt: (status, { message }) => status < 500 && NO_IMAGES.test(message),
    error: ({ model }) => ({ kind: "no_images", code: "bad_request", message: `Model ${model} cannot see images.` }),
  },
  {
    isIt: (status, { message }) => status < 500 && NO_TOOLS.test(message),
    error: ({ model }) => ({ kind: "no_tools", code: "bad_request", message: `Model ${model} cannot call tools.` }),
  },
  {
    isIt: (status, { code, message }) =>
      status === 404 || code === "model_not_found" || (status < 500 && NO_MODEL.test(message)),
    error: ({ at, model }) => ({
      kind: "model_not_found",
      code: "model_not_found",
      message: `${at} has no model ${model}, or is not a model server.`,
      hint: "Name a model that the server offers as the member's model, check that its baseUrl ends in /v1, and that it speaks the member's api.",
    }),
  },
  {
    isIt: (status) => status === 401 || status === 403,
    error: ({ at, status, keyHint }) => ({
      kind: "final",
      code: "unauthorized",
      message: `${at} refused the request (${status}).`,
      hint: keyHint,
    }),
  },
  {
    isIt: (status, { code, message }) =>
      status === 402 ||
      (status === 429 &&
        (/insufficient_quota/i.test(`${code} ${message}`) || (/billing/i.test(message) && !RATE.test(message)))),
    error: ({ at }) => ({
      kind: "final",
      code: "no_credit",
      message: `The quota of this key at ${at} is used up.`,
      hint: "Check the account's credit and limits.",
    }),
  },
  {
    isIt: (status, { code }) => status === 429 || /rate.?limit/i.test(code),
    error: ({ at }) => ({
      kind: "overloaded",
      code: "rate_limited",
      message: `Rate limit of ${at} reached.`,
      hint: "Wait and ask again.",
    }),
  },
  {
    isIt: (status) => status === 408 || status === 409 || status === 425,
    error: ({ at, status }) => ({
      kind: "transient",
      code: "server_busy",
      message: `${at} could not process the request now (${status}).`,
      hint: "Ask again.",
    }),
  },
  {
    isIt: (status) => status >= 300 && status < 400,
    error: ({ at, status }) => ({
      kind: "final",
      code: "redirected",
      message: `${at} redirects (${status}), and redirects are not followed.`,
      hint: "Give the final address as the member's baseUrl.",
    }),
  },
  {
    isIt: (status) => status >= 400 && status < 500,
    error: ({ at, status }) => ({
      kind: "final",
      code: "bad_request",
      message: `${at} rejected the request (${status}).`,
      hint: "See the detail for the server's message.",
    }),
  },
];

export function classify(endpoint: Endpoint, status: number, reported: ReportedError, model: string): ModelErrorFacts {
  const about: About = { at: endpoint.shown, model, status, keyHint: endpoint.keyHint, reported };
  const facts = CASES.find((one) => one.isIt(status, reported))?.error(about) ?? failed(about);
  if (reported.message === "") return facts;
  // Shown before the hint, so it ends like a sentence.
  const quote = /\p{P}$/u.test(reported.message) ? reported.message : `${reported.message}.`;
  return { ...facts, message: `${facts.message} It said: ${quote}` };
}

/** The rejected field that carried reasoning, if that is the cause. */
function refusedField({ code, message }: ReportedError): string | undefined {
  if (code === NOT_OPENED_CODE || NOT_OPENED.test(message)) return "encrypted_content";
  const [, one, other] = NO_FIELD.exec(message) ?? [];
  return one ?? other ?? (NO_SIGNATURE.test(message) ? "reasoning_details" : undefined);
}

function failed({ at, status }: About): ModelErrorFacts {
  const what = status === 0 ? "broke off with an error" : `failed (${status})`;
  return {
    kind: "overloaded",
    code: "server_error",
    message: `${at} ${what}.`,
    hint: "Ask again, or choose another model.",
  };
}

// Tells context overflow, which needs a shorter conversation, from rate limits, which need a delay.
const CODE = /context_?(length|size|window)|max_prompt_tokens|tokens_limit_reached/i;
const RATE_CODE = /rate.?limit|throttl|quota/i;

const OVERFLOW_PATTERNS = [
  /context.{0,20}(length|window|size)/,
  /maximum (context|prompt|input) ?(length|tokens)?/,
  /too many (input )?tokens|total tokens?.{0,40}exceeds?/,
  /(prompt|input) (is )?too long|(prompt|input|messages?).{0,60}(exceeds?|longer than|too large for) .{0,40}(limit|length|tokens|model)/,
  /exceeds? the (available )?context|n_ctx|exceeds? the maximum number of tokens/,
  /input token count.{0,40}exceeds|exceeded model token limit|range of input length|tokens. ?\+ .?.?max_new_tokens/,
] as const;
const CONTEXT = new RegExp(OVERFLOW_PATTERNS.map(({ source }) => source).join("|"), "i");

/** For servers that answer overflow with a 500: mentioning a context is not enough. */
const BEYOND = /exceed|overflow|longer than|larger than|too (long|large|many)/i;
const RATE_LIMIT = /rate.?limit|per.?(minute|min|hour|day)\b|\bTPM\b|throttl|please wait|retry in \d/i;
/** A single request above the rate limit: only a shorter one helps. */
const ABOVE_THE_RATE = /request (body )?(is )?too large/i;
/** Auth, quota, network and timeout errors: do not trust their text. */
const OF_SOMETHING_ELSE = new Set([401, 402, 403, 404, 408, 409, 425]);

export function isTooLong(status: number, { code, message }: ReportedError): boolean {
  if (status === 413 || CODE.test(code)) return true;
  if (ABOVE_THE_RATE.test(message)) return true;
  if (status === 429 || RATE_CODE.test(code) || RATE_LIMIT.test(message) || OF_SOMETHING_ELSE.has(status)) return false;
  return CONTEXT.test(message) && (status < 500 || BEYOND.test(message));
}
