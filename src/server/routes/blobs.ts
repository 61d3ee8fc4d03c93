/** What is too large for an event, in and out: attachments are stored here before a message names them. */
import { ATTACHMENT_BYTES_MAX, BlobRef, RoundtableError } from "../../protocol/index.ts";
import { answer } from "../http/answer.ts";
import type { Policy, Route } from "../http/policy.ts";
import { pathParam, readPolicy, type ServedHost } from "./policies.ts";

/** Not a type that a form of another site could send, and nothing that is read as anything. */
const uploadPolicy: Policy = { ...readPolicy, bodyBytesMax: ATTACHMENT_BYTES_MAX, bodyType: "bytes" };

export function createBlobRoutes({ host }: { host: ServedHost }): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions/:id/blobs/:hash",
      policy: readPolicy,
      api: { summary: "What was too large for an event, such as a whole output, by its hash.", answer: "bytes" },
      // Never as what it says it is: a page that an agent wrote must not open under our address.
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
        summary: "Stores an attachment for a message of this session; its type is found by looking at it.",
        body: "bytes",
        answer: BlobRef,
      },
      async handle(c) {
        const body = await c.req.arrayBuffer().catch(() => {
          throw new RoundtableError("bad_command", "The attachment ended before it was whole.");
        });
        const bytes = new Uint8Array(body);
        if (bytes.length === 0) throw new RoundtableError("bad_command", "The attachment is empty.");
        return answer(200, await host.putBlob(pathParam(c, "id"), bytes));
      },
    },
  ];
}
