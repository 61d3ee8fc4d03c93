/**
 * Outside formats as pure mappings: their files and frames to our events and commands, and back. No file, no socket, no
 * clock: whoever carries a wire does that.
 */
export * as kingdom from "./kingdom/kingdom.ts";
export * as assistant from "./assistant/assistant.ts";
export * as linggen from "./linggen/linggen.ts";
export * as sprout from "./sprout/sprout.ts";
export * as readable from "./readable/readable.ts";
export * as sessionLines from "./session-lines/session-lines.ts";
/** Loaded when somebody exports: these two bring a reader of Markdown along. */
export const loadMarkdownExport = () => import("./markdown-export/markdown-export.ts");
export const loadHtmlExport = () => import("./html-export/html-export.ts");
export * as sessionFiles from "./session-files/session-files.ts";
export * as claudeSession from "./claude-session/claude-session.ts";
export * as codexSession from "./codex-session/codex-session.ts";
export * as piSession from "./pi-session/pi-session.ts";
export * as sproutSession from "./sprout-session/sprout-session.ts";
export * as assistantSession from "./assistant-session/assistant-session.ts";
