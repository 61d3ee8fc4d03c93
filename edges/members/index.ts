/** Embedded members: scout, historian and critic. They work by rules, without a model, a key or the network. */
import type { Edge } from "../../src/edge/index.ts";

export const members: Edge = {
  name: "members",
  members: [
    { name: "scout", load: async () => (await import("./scout/scout.ts")).scout },
    { name: "historian", load: async () => (await import("./historian/historian.ts")).historian },
    { name: "critic", load: async () => (await import("./critic/critic.ts")).critic },
  ],
};
