/**
 * Outside formats as pure mappings: their files and frames to our events and commands, and back. No file, no socket, no
 * clock: whoever carries a wire does that.
 */
export * as kingdom from "./kingdom/kingdom.ts";
