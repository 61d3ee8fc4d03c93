/** What the edges of this build offer, loaded, for tests of the core. */
import { exporters, loadSessionFormats } from "../src/cli/edges.ts";
import type { Exporter } from "../src/host/index.ts";

export const externalFormats = await loadSessionFormats();

export function exporterOf(format: string): Exporter {
  const exporter = exporters.find(({ name }) => name === format);
  if (exporter === undefined) throw new Error(`No edge exports ${format}.`);
  return exporter;
}
