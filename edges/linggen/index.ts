/** Linggen: an event stream and routes for its clients (`serve --compat 001`). */
import type { Edge } from "../../src/edge/index.ts";

export const linggen: Edge = {
  name: "linggen",
  wire: { name: "001", load: async () => (await import("./routes/linggen-wire.ts")).createLinggenWire },
};
