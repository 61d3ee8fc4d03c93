/**
 * Source text of our extension, which Pi loads: it adds the host tools and guards Pi's own.
 * Guarantees: a call that would act runs only after the user allowed exactly that call, or not at all in a read-only
 * session without a sandbox; a tool with the name of one of Pi's own is not trusted as such; its requests carry a mark
 * that no model can know; it depends on nothing but Pi.
 */
import type { HostToolSchema } from "../../../protocol/index.ts";

export interface ExtensionSetup {
  readonly mark: string;
  readonly isWritable: boolean;
  readonly tools: readonly HostToolSchema[];
  /** Tools that need no approval. */
  readonly free: readonly string[];
  /** Tools that a read-only session has because a sandbox contains them. */
  readonly walled: readonly string[];
}

export const READ_ONLY_REFUSAL =
  "This session is read-only: files cannot be changed and commands cannot be run. Look with read, grep, find and ls, and tell the user what you would do.";

export const NOT_ALLOWED = "The user did not allow this call.";

export function extensionSource(setup: ExtensionSetup): string {
  const constants = {
    ...setup,
    readOnlyRefusal: READ_ONLY_REFUSAL,
    notAllowed: NOT_ALLOWED,
    beforeBytesMax: 256 * 1024,
  };
  return `const setup = ${JSON.stringify(constants)};\n${BODY}`;
}

/** Pi runs a CommonJS module as it is. Anything else it transpiles first, and the transpiler stays in its memory. */
const BODY = `
const { readFileSync, realpathSync, statSync } = require("node:fs");
const { homedir } = require("node:os");
const path = require("node:path");
const { fileURLToPath } = require("node:url");

async function ask(ui, signal, question) {
  const answer = await ui.input(setup.mark, JSON.stringify(question), signal ? { signal } : undefined);
  return answer === undefined ? undefined : JSON.parse(answer);
}

/** Current content of a file to be written: null when there is none, undefined when it cannot be shown. */
function contentBefore(tool, input, cwd) {
  if (tool !== "write" || typeof input.path !== "string") return undefined;
  const file = path.resolve(cwd, input.path);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  return stats.isFile() && stats.size <= setup.beforeBytesMax ? readFileSync(file, "utf8") : undefined;
}

/** Pi reads "@x", "~/x", addresses and unusual blanks in its own way. An absolute path means the same to everybody. */
function plainPath(name, cwd) {
  let plain = name.replace(/[\\u00A0\\u2000-\\u200A\\u202F\\u205F\\u3000]/g, " ").replace(/^@/, "");
  if (process.platform === "win32") plain = plain.replace(/^\\/(?:mnt\\/|cygdrive\\/)?([a-z])(?=\\/|$)/i, "$1:");
  if (/^~(?:[/\\\\]|$)/.test(plain)) plain = path.join(homedir(), plain.slice(1));
  else if (plain.startsWith("file://")) plain = fileURLToPath(plain);
  return plain === name ? name : path.resolve(cwd, plain);
}

/** Freezes the call, so that exactly what was allowed runs. */
function freeze(value) {
  if (typeof value !== "object" || value === null) return;
  Object.values(value).forEach(freeze);
  Object.freeze(value);
}

function before(event, ctx) {
  try {
    return contentBefore(event.toolName, event.input, ctx.cwd);
  } catch {
    // The approval is requested without it.
    return undefined;
  }
}

/** Extensions may replace a built-in tool. A Pi without source information has no such tools. */
function isGenuine(pi, name) {
  const all = typeof pi.getAllTools === "function" ? pi.getAllTools() : [];
  const source = all.find((tool) => tool.name === name)?.sourceInfo;
  if (source === undefined) return true;
  if (!setup.tools.some((tool) => tool.name === name)) return source.source === "builtin";
  return realpathSync(source.path) === realpathSync(__filename);
}

module.exports = function (pi) {
  // An older Pi rejects unknown flags.
  pi.registerFlag("no-approve", { description: "Ignores extensions and settings of the project.", type: "boolean" });

  pi.on("session_start", (_event, ctx) => ctx.ui.setStatus(setup.mark, "ready"));

  pi.on("tool_call", async (event, ctx) => {
    const isOwn = isGenuine(pi, event.toolName);
    if (isOwn && setup.free.includes(event.toolName)) return undefined;
    if (!setup.isWritable && !(isOwn && setup.walled.includes(event.toolName))) {
      return { block: true, reason: setup.readOnlyRefusal };
    }
    if (isOwn && typeof event.input.path === "string") {
      try {
        event.input.path = plainPath(event.input.path, ctx.cwd);
      } catch {
        return { block: true, reason: "This path cannot be resolved. Give a plain path instead of a URL." };
      }
    }
    const question = { kind: "approval", callId: event.toolCallId, tool: event.toolName, args: event.input };
    freeze(event.input);
    const answer = await ask(ctx.ui, ctx.signal, { ...question, before: before(event, ctx) });
    if (answer !== undefined && answer.isAllowed === true) return undefined;
    return { block: true, reason: answer?.why ?? setup.notAllowed };
  });

  for (const tool of setup.tools) {
    pi.registerTool({
      name: tool.name,
      label: tool.name,
      description: tool.description,
      promptSnippet: tool.description,
      parameters: tool.inputSchema,
      async execute(callId, args, signal, _onUpdate, ctx) {
        const answer = await ask(ctx.ui, signal, { kind: "call", callId, tool: tool.name, args });
        if (answer === undefined) throw new Error("The call was cancelled.");
        if (answer.error !== null) throw new Error(answer.error);
        return { content: [{ type: "text", text: answer.text }], details: {} };
      },
    });
  }

  pi.registerCommand(setup.mark, {
    description: "Sends a Roundtable message verbatim.",
    async handler(said, ctx) {
      const { text, isSteer } = JSON.parse(said);
      if (isSteer !== true) return pi.sendUserMessage(text, { deliverAs: "followUp" });
      if (!ctx.isIdle()) pi.sendUserMessage(text, { deliverAs: "steer" });
    },
  });
};
`;
