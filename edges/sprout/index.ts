/** Sprout: its session files, in both directions. */
import type { Edge } from "../../src/edge/index.ts";

export const sprout: Edge = {
  name: "sprout",
  sessionFormats: [{ name: "sprout", label: "sprout", load: async () => (await import("./files.ts")).sproutFiles }],
  directoryExporters: [
    {
      name: "sprout",
      label: "sprout session files",
      load: async () => (await import("./write-sprout.ts")).writeSprout,
    },
  ],
};
