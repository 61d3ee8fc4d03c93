/** Sprout: its session files, in both directions. */
import type { Edge } from "../../src/edge/index.ts";

export const sprout: Edge = {
  name: "sprout",
  sessionFormats: [{ name: "sprout", load: async () => (await import("./files.ts")).sproutFiles }],
  directoryExporters: [{ name: "sprout", load: async () => (await import("./write-sprout.ts")).writeSprout }],
};
