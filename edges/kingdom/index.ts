/** Kingdom (`kd`): its thread files beside sessions (`council mirror`), and as a source of imports. */
import type { Edge, EdgeCommands } from "../../src/edge/index.ts";
import type { MirrorFlags } from "./council-mirror.ts";

export const kingdom: Edge = {
  name: "kingdom",
  importers: [
    { name: "kingdom", label: "kingdom (kd)", load: async () => (await import("./importer.ts")).threadImporter },
  ],
  mirror: {
    load: async () => (await import("./mirror/mirror-switch.ts")).openMirror,
    loadOffer: async () => (await import("./offer.ts")).offerMirror,
  },
  addCouncilCommands: addCouncilMirror,
};

function addCouncilMirror({ parent, addCommonOptions, addExamples, run }: EdgeCommands): void {
  const mirror = parent
    .command("mirror")
    .description("mirror a session in thread files of kingdom (kd), in both directions")
    .argument("[id]", "session id, part of an id, or title (default: the last session of this directory)")
    .option("--kd <path>", "a .kd directory, a directory that contains one, or a thread in one (default: the nearest)")
    .option("--new", "continue in a new thread")
    .option("--off", "stop mirroring the session")
    .option("--json", "print JSON");
  addCommonOptions(mirror);
  addExamples(mirror, [
    "roundtable council mirror",
    "roundtable council mirror q5mgaw --kd ~/src/project/.kd",
    "roundtable council mirror --off",
  ]);
  mirror.action(async (id: string | undefined, flags: MirrorFlags) =>
    run(flags, async (all, context) => {
      const { mirrorCouncil } = await import("./council-mirror.ts");
      return await mirrorCouncil(id, all, context);
    }),
  );
}
