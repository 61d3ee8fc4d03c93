/** A conversation as the scenarios see it, whatever protocol it came by. */
import { directivesIn } from "./directives.mjs";

/** Context that agents wrap around or next to the words of the user. */
const WRAPPERS = [
  "system-reminder",
  "environment_context",
  "user_instructions",
  "permissions instructions",
  "collaboration_mode",
  "session_context",
  "skills_instructions",
  "apps_instructions",
  "plugins_instructions",
  "env",
  "turn_aborted",
  "local-command-caveat",
  "command-name",
  "INSTRUCTIONS",
  "model_switch",
  "personality_spec",
];
const WRAPPER_RE = new RegExp(`<(${WRAPPERS.join("|")})(?:\\s[^>]*)?>[\\s\\S]*?</\\1>`, "g");

export function userWords(text) {
  const bare = text.replace(WRAPPER_RE, "").trim();
  return bare.startsWith("# AGENTS.md instructions") ? "" : bare;
}

/**
 * turns: [{ role: 'user' | 'assistant' | 'tool', text, parts?, calls? }] in order.
 * `step` counts model replies since the user last spoke. When an agent merges two user messages into one
 * (after a failed turn), the newest part that carries a tag decides.
 */
export function conversation({ model, stream, system, tools, turns, jsonSchema, maxTokens, includeUsage }) {
  const userTexts = [];
  let step = 0,
    lastToolResult,
    lastUserText = "";
  for (const turn of turns) {
    if (turn.role === "user") {
      const words = userWords(turn.text);
      if (!words) continue;
      userTexts.push(words);
      lastUserText = turn.parts?.map(userWords).findLast((p) => directivesIn(p).length > 0) ?? words;
      step = 0;
      lastToolResult = undefined;
    } else if (turn.role === "tool") {
      lastToolResult = turn.text;
    } else if (turn.calls) {
      step++;
    }
  }
  const chars = turns.reduce((n, t) => n + t.text.length, 0) + system.length;
  return {
    model: model ?? "fake-text",
    stream,
    system,
    tools,
    turns,
    jsonSchema,
    maxTokens,
    includeUsage,
    userTexts,
    lastUserText,
    lastToolResult,
    step,
    inputTokens: Math.ceil(chars / 4),
  };
}

export function flatten(content) {
  if (content == null) return "";
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(flatten).filter(Boolean).join("\n");
  return flatten(content.text ?? content.output ?? content.content ?? content.parts ?? "");
}

export function usageOf(conv, blocks) {
  const size = (b) => (b.type === "tool" ? JSON.stringify(b.args ?? b.input ?? "").length : b.text.length);
  const thinking = Math.ceil(blocks.filter((b) => b.type === "thinking").reduce((n, b) => n + size(b), 0) / 4);
  const rest = Math.ceil(blocks.filter((b) => b.type !== "thinking").reduce((n, b) => n + size(b), 0) / 4);
  return { input: conv.inputTokens, output: thinking + rest, thinking, cached: Math.floor(conv.inputTokens / 2) };
}

export const argsText = (b) => (b.freeform ? b.input : JSON.stringify(b.args));

export const now = () => Math.floor(Date.now() / 1000);
export const textOf = (reply, type) =>
  reply.blocks
    .filter((b) => b.type === type)
    .map((b) => b.text)
    .join("");
