/**
 * Outside formats as pure mappings: their files and frames to our events and commands, and back. No file, no socket, no
 * clock: whoever carries a wire does that.
 */
export * as kingdom from "./kingdom/kingdom.ts";
export * as lemon from "./lemon/lemon.ts";
export * as assistant from "./assistant/assistant.ts";
export * as linggen from "./linggen/linggen.ts";
export * as acpAgent from "./acp-agent/acp-agent.ts";
