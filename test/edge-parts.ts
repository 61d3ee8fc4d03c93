/** What the edges of this build offer, loaded, for tests of the core. */
import { edges, exporters, loadSessionFormats } from "../src/cli/edges.ts";
import type { Importer } from "../src/edge/index.ts";
import type { Exporter } from "../src/host/index.ts";

export const externalFormats = await loadSessionFormats();

/** Undefined when no edge imports the format. */
export async function importerOf(format: string): Promise<Importer | undefined> {
  const offers = edges.flatMap((edge) => edge.importers ?? []);
  return await offers.find(({ name }) => name === format)?.load();
}

export function exporterOf(format: string): Exporter {
  const exporter = exporters.find(({ name }) => name === format);
  if (exporter === undefined) throw new Error(`No edge exports ${format}.`);
  return exporter;
}
