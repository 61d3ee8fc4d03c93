import { flowOf, type ExportSource } from "../../../src/host/index.ts";
import { createMarkdownWriter } from "./markdown-export.ts";

export async function* exportMarkdown(source: ExportSource): AsyncGenerator<string, void, void> {
  const writer = createMarkdownWriter({ head: source.head, remarks: source.report(), seenAs: source.seenAs });
  yield writer.begin();
  for await (const item of flowOf(source)) yield writer.item(item);
  yield writer.end();
}
