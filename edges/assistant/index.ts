/** Assistant: a WebSocket and routes for its clients (`serve --compat 004`), and its session files. */
import type { Edge } from "../../src/edge/index.ts";

export const assistant: Edge = {
  name: "assistant",
  wire: { name: "004", load: async () => (await import("./routes/assistant-wire.ts")).createAssistantWire },
  sessionFormats: [
    { name: "assistant", label: "assistant", load: async () => (await import("./files.ts")).assistantFiles },
  ],
};
