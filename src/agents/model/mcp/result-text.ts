/** The result of a foreign tool as text for a model; what is no text is named, not dropped in silence. */
import type { CallToolResult } from "@modelcontextprotocol/client";

export function resultText({
  content,
  structuredContent,
}: Pick<CallToolResult, "content" | "structuredContent">): string {
  const parts = content.map(partText).filter((text) => text !== "");
  // The protocol wants structured results to be there as text too; some servers leave that out.
  if (parts.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return parts.length === 0 ? "(no content)" : parts.join("\n");
}

function partText(part: CallToolResult["content"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type} ${part.mimeType}, ${bytesOf(part.data)} bytes, not shown]`;
    case "resource_link":
      return `[resource ${part.name}: ${part.uri}]`;
    case "resource":
      return "text" in part.resource
        ? part.resource.text
        : `[resource ${part.resource.uri}, ${bytesOf(part.resource.blob)} bytes, not shown]`;
    default:
      return "[something of an unknown kind, not shown]";
  }
}

/** Of base64 text. */
function bytesOf(data: string): number {
  return Math.floor((data.replace(/=+$/, "").length * 3) / 4);
}
