/** A session as a file to keep, streamed as it is made. */
import * as z from "zod";
import { RoundtableError } from "../../protocol/index.ts";
import type { Route, RouteContext } from "../http/policy.ts";
import { pathParam, readPolicy, type ServedHost } from "./policies.ts";

const TERMS_MAX = 100;
const TERM_CHARS_MAX = 200;

const Format = z.enum(["markdown", "html", "jsonl"]);

export function createExportRoute({ host }: { host: ServedHost }): Route {
  return {
    method: "GET",
    path: "/v1/sessions/:id/export",
    policy: readPolicy,
    api: {
      summary: "The session as Markdown, as one HTML file, or as JSON lines that can be imported again.",
      query: {
        format: { description: "markdown when absent.", schema: { type: "string", enum: Format.options } },
        redact: {
          description: "1 takes out keys, tokens, home paths and the user's name.",
          schema: { type: "string", enum: ["0", "1"] },
        },
        word: { description: "With redact, a word to take out, too; may come often.", schema: { type: "string" } },
      },
      answer: "file",
    },
    async handle(c) {
      const made = await host.exportSession(pathParam(c, "id"), optionsOf(c));
      // Never opened under our address: what members wrote is only ever saved.
      const headers = {
        "content-type": made.contentType,
        "content-disposition": `attachment; filename="${made.fileName}"`,
      };
      return new Response(streamOf(made.chunks), { status: 200, headers });
    },
  };
}

function optionsOf(c: RouteContext): Parameters<ServedHost["exportSession"]>[1] {
  const format = Format.safeParse(c.req.query("format") ?? "markdown");
  if (!format.success) throw new RoundtableError("bad_command", `format must be one of ${Format.options.join(", ")}.`);
  const redact = c.req.query("redact") ?? "0";
  if (redact !== "0" && redact !== "1") throw new RoundtableError("bad_command", "redact must be 0 or 1.");
  const terms = c.req.queries("word") ?? [];
  if (terms.length > TERMS_MAX || terms.some((word) => word.length > TERM_CHARS_MAX)) {
    throw new RoundtableError("bad_command", `At most ${TERMS_MAX} words of ${TERM_CHARS_MAX} characters are taken.`);
  }
  return { format: format.data, ...(redact === "1" ? { redact: { terms } } : {}) };
}

/** Made as fast as it is read, and no longer once the reader has left. */
function streamOf(chunks: AsyncGenerator<string, void, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await chunks.return();
    },
  });
}
