import { flowOf, type ExportSource, type FlowItem } from "../../../src/host/index.ts";
import { isImage } from "../readable/format-session.ts";
import { createHtmlWriter } from "./html-export.ts";
import { loadMath } from "./markup.ts";

const IMAGE_BYTES_MAX = 4 * 1024 * 1024;

export async function* exportHtml(source: ExportSource): AsyncGenerator<string, void, void> {
  const writer = createHtmlWriter({ head: source.head, remarks: source.report(), seenAs: source.seenAs });
  await loadMath();
  yield writer.begin();
  for await (const item of flowOf(source)) yield writer.item(item, await imagesOf(source, item));
  yield writer.end();
}

async function imagesOf(source: ExportSource, item: FlowItem): Promise<ReadonlyMap<string, Uint8Array>> {
  const images = new Map<string, Uint8Array>();
  if (item.kind !== "user") return images;
  for (const { mime, blob } of item.message.attachments) {
    if (!isImage(mime) || blob.bytes > IMAGE_BYTES_MAX) continue;
    const bytes = await source.blob(blob.sha256);
    if (bytes !== undefined) images.set(blob.sha256, bytes);
  }
  return images;
}
