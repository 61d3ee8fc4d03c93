/** Content blocks of Pi's messages. */
import type { Usage } from "../../../src/protocol/index.ts";
import { type ExternalImage } from "../../../src/host/index.ts";
import { amountOf, fieldsOf, recordsOf, textOf, type Fields } from "../../../src/kit/fields.ts";

/** The text; other content is named. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content.toWellFormed();
  return recordsOf(content)
    .map((part) => textOf(part["text"]) ?? `[${textOf(part["type"]) ?? "something"}]`)
    .join("\n");
}

export function promptOf(content: unknown): { text: string; images: ExternalImage[] } {
  const parts = recordsOf(content);
  const images = parts.flatMap((part) => {
    const base64 = part["type"] === "image" ? textOf(part["data"]) : undefined;
    return base64 === undefined ? [] : [{ mime: textOf(part["mimeType"]) ?? "application/octet-stream", base64 }];
  });
  const text =
    typeof content === "string" ? contentText(content) : contentText(parts.filter((part) => part["type"] === "text"));
  return { text, images };
}

export function usageOf(value: unknown): Usage | undefined {
  const usage = fieldsOf(value);
  if (usage === undefined) return undefined;
  const count = (key: string): number => amountOf(usage[key]) ?? 0;
  const cost = amountOf(fieldsOf(usage["cost"])?.["total"]);
  return {
    inputTokens: count("input"),
    outputTokens: count("output"),
    cacheReadTokens: count("cacheRead"),
    cacheWriteTokens: count("cacheWrite"),
    reasoningTokens: count("reasoning"),
    ...(cost === undefined ? {} : { costUsd: cost }),
  };
}

export function diffOf(details: Fields | undefined): string | undefined {
  return textOf(details?.["patch"]) ?? textOf(details?.["diff"]);
}
