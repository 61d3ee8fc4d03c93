/** A tool's output that is too large for an event: kept whole in a blob, shown by its head and tail. */
import type { BlobRef } from "../../protocol/index.ts";
import { beginningOf, endOf, fitsEncoded } from "../../kit/text/encoded-size.ts";
import { TOOL_HEAD_BYTES, TOOL_RESULT_INLINE_MAX, TOOL_TAIL_BYTES } from "../limits.ts";
import type { ToolResult } from "./tool-calls.ts";

export function isLargeOutput(text: string | undefined): text is string {
  return text !== undefined && !fitsEncoded(text, TOOL_RESULT_INLINE_MAX);
}

/** The result as it is shown; `blob` is undefined when the whole could not be stored. */
export function shortenResult(result: ToolResult, whole: string, blob: BlobRef | undefined): ToolResult {
  const head = beginningOf(whole, TOOL_HEAD_BYTES);
  const tail = endOf(whole.slice(head.length), TOOL_TAIL_BYTES);
  const totalBytes = Buffer.byteLength(whole);
  const shownBytes = Buffer.byteLength(head) + Buffer.byteLength(tail);
  const omission = blob === undefined ? "not kept" : "not shown";
  return {
    ...result,
    result: `${head}\n… ${totalBytes - shownBytes} bytes ${omission} …\n${tail}`,
    truncated: { totalBytes, shownBytes, ...(blob === undefined ? {} : { blob: { ...blob, head, tail } }) },
  };
}
