/** What can be imported, one entry a format: the importers of the edges, and their session formats behind one importer. */
import type { Importer } from "../../../edge/index.ts";
import { edges, loadSessionFormats } from "../../edges.ts";
import { createSessionImporters } from "./external-sessions.ts";

export async function loadImporters(): Promise<readonly Importer[]> {
  const offers = edges.flatMap((edge) => edge.importers ?? []);
  const importers = await Promise.all(offers.map(({ load }) => load()));
  return [...importers, ...createSessionImporters(await loadSessionFormats())];
}
