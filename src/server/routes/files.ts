/** Routes for files: names for completion, blobs (attachments and large outputs), imports, and exports of a session. */
import * as z from "zod";
import { ATTACHMENT_BYTES_MAX, BlobRef, RoundtableError } from "../../protocol/index.ts";
import { answer, readWhole } from "../http/answer.ts";
import type { Policy, Route, RouteContext } from "../http/policy.ts";
import { pathParam, readPolicy, type ServedHost } from "./policies.ts";
import { ImportResult } from "./schemas.ts";
import type { SessionDefaults } from "./session-defaults.ts";

const LIMIT_MAX = 1000;
const LIMIT_USUAL = 50;
const Limit = z.coerce.number().int().min(1).max(LIMIT_MAX);
const Files = z.object({ files: z.array(z.string()) });

export interface FileRouteDeps {
  readonly host: Pick<ServedHost, "listFiles">;
  readonly defaults: Pick<SessionDefaults, "cwd" | "importFile">;
}

export function createFileRoutes({ host, defaults }: FileRouteDeps): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/files",
      policy: { ...readPolicy, scope: "use" },
      api: {
        summary:
          "File names in the default directory of new sessions, best match first. For an existing session use the command list_files.",
        query: {
          query: { description: "Text to match; omit it to list all files.", schema: { type: "string" } },
          limit: {
            description: `Maximum number of names; ${LIMIT_USUAL} by default.`,
            schema: { type: "integer", minimum: 1, maximum: LIMIT_MAX },
          },
        },
        answer: Files,
      },
      // The guard limits the length of the query.
      async handle(c) {
        const files = await host.listFiles(defaults.cwd, c.req.query("query") ?? "", limitIn(c));
        return answer(200, { files: [...files] });
      },
    },
    createImportRoute(defaults),
  ];
}

/** Larger files are imported on the command line. */
const IMPORT_BYTES_MAX = 64 * 1024 * 1024;
const FileName = z.string().min(1).max(255);

function createImportRoute({ importFile }: FileRouteDeps["defaults"]): Route {
  return {
    method: "POST",
    path: "/v1/import",
    policy: { ...readPolicy, bodyBytesMax: IMPORT_BYTES_MAX, bodyType: "bytes" },
    api: {
      summary:
        "Creates a session from a session file of this or another program. Importing again adds only what is new.",
      query: {
        name: {
          description: "Name of the file; helps to detect its format.",
          schema: { type: "string", maxLength: 255 },
          isRequired: true,
        },
      },
      body: "bytes",
      answer: ImportResult,
    },
    async handle(c) {
      const name = FileName.safeParse(c.req.query("name"));
      if (!name.success) throw new RoundtableError("bad_command", "name must have 1 to 255 characters.");
      const bytes = await readBytes(c, "The file is empty.");
      if (importFile === undefined) throw new RoundtableError("unsupported", "This server cannot import files.");
      return answer(200, await importFile({ name: name.data, bytes }));
    },
  };
}

async function readBytes(c: RouteContext, ifEmpty: string): Promise<Uint8Array<ArrayBuffer>> {
  const body = await readWhole(c.req);
  if (body.byteLength === 0) throw new RoundtableError("bad_command", ifEmpty);
  return new Uint8Array(body);
}

function limitIn(c: RouteContext): number {
  const parsed = Limit.safeParse(c.req.query("limit") ?? LIMIT_USUAL);
  if (parsed.success) return parsed.data;
  throw new RoundtableError("bad_command", `limit must be a whole number from 1 to ${LIMIT_MAX}.`);
}

/** A content type that forms of other sites cannot send. */
const uploadPolicy: Policy = { ...readPolicy, bodyBytesMax: ATTACHMENT_BYTES_MAX, bodyType: "bytes" };

export function createBlobRoutes({ host }: { host: ServedHost }): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions/:id/blobs/:hash",
      policy: readPolicy,
      api: { summary: "Content that is too large for an event, such as a full output, by SHA-256.", answer: "bytes" },
      // Never with its own type: a page written by an agent must not open under our origin.
      async handle(c) {
        const bytes = await host.readBlob(pathParam(c, "id"), pathParam(c, "hash"));
        const headers = { "content-type": "application/octet-stream", "content-disposition": "attachment" };
        return new Response(new Uint8Array(bytes), { status: 200, headers });
      },
    },
    {
      method: "POST",
      path: "/v1/sessions/:id/blobs",
      policy: uploadPolicy,
      api: {
        summary: "Stores an attachment for a message of this session. The type is detected from the content.",
        body: "bytes",
        answer: BlobRef,
      },
      async handle(c) {
        const bytes = await readBytes(c, "The attachment is empty.");
        return answer(200, await host.putBlob(pathParam(c, "id"), bytes));
      },
    },
  ];
}

const TERMS_MAX = 100;
const TERM_CHARS_MAX = 200;

const Format = z.enum(["markdown", "html", "jsonl"]);

export function createExportRoute({ host }: { host: ServedHost }): Route {
  return {
    method: "GET",
    path: "/v1/sessions/:id/export",
    policy: readPolicy,
    api: {
      summary: "Exports the session as Markdown, a single HTML file, or JSON lines that can be imported again.",
      query: {
        format: { description: "markdown by default.", schema: { type: "string", enum: Format.options } },
        redact: {
          description: "1 removes keys, tokens, home paths and the user's name.",
          schema: { type: "string", enum: ["0", "1"] },
        },
        word: { description: "With redact, another word to remove. Can be repeated.", schema: { type: "string" } },
      },
      answer: "file",
    },
    async handle(c) {
      const made = await host.exportSession(pathParam(c, "id"), optionsOf(c));
      // As an attachment: content written by members must not open under our origin.
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
    throw new RoundtableError("bad_command", `At most ${TERMS_MAX} words of ${TERM_CHARS_MAX} characters are allowed.`);
  }
  return { format: format.data, ...(redact === "1" ? { redact: { terms } } : {}) };
}

/** Produces chunks on demand and stops when the reader disconnects. */
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
