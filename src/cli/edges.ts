/** The edges of this build. The only file of the core that names them: delete an edge's folder and its lines here. */
import type { Edge } from "../edge/index.ts";
import type { ExternalFormat } from "../host/index.ts";
import type { MemberSpec } from "../protocol/index.ts";
import type { OpenCompatWire } from "../server/index.ts";
import { acpAgent } from "../../edges/acp-agent/index.ts";
import { assistant } from "../../edges/assistant/index.ts";
import { interchange } from "../../edges/interchange/index.ts";
import { kingdom } from "../../edges/kingdom/index.ts";
import { lemon } from "../../edges/lemon/index.ts";
import { linggen } from "../../edges/linggen/index.ts";
import { members } from "../../edges/members/index.ts";
import { sprout } from "../../edges/sprout/index.ts";

/** In the order in which commands and formats are listed. */
export const edges: readonly Edge[] = [kingdom, lemon, acpAgent, interchange, sprout, linggen, assistant, members];

export const exporters = edges.flatMap((edge) => edge.exporters ?? []);
export const directoryExporters = edges.flatMap((edge) => edge.directoryExporters ?? []);
/** Everything that can be exported and imported, for help texts. */
export const exportLabels = [...exporters, ...directoryExporters].map(({ label }) => label);
export const importLabels = edges.flatMap((edge) =>
  [...(edge.importers ?? []), ...(edge.sessionFormats ?? [])].map(({ label }) => label),
);

export const mirror = edges.find((edge) => edge.mirror !== undefined)?.mirror;

const wires = edges.flatMap((edge) => edge.wire ?? []);
/** The names that `serve --compat` takes. */
export const compatWireNames: readonly string[] = wires.map(({ name }) => name);

export async function loadWires(names: readonly string[] = compatWireNames): Promise<OpenCompatWire[]> {
  return await Promise.all(wires.filter(({ name }) => names.includes(name)).map(({ load }) => load()));
}

export async function loadSessionFormats(): Promise<ExternalFormat[]> {
  return await Promise.all(edges.flatMap((edge) => edge.sessionFormats ?? []).map(({ load }) => load()));
}

/** Members that need no model, no key and no network. */
export const embedded = edges.flatMap((edge) => edge.members ?? []);
export const embeddedMembers: readonly MemberSpec[] = embedded.map(({ name }) => ({ name, kind: "embedded" }));
