/** Policies and request helpers shared by the routes. */
import * as z from "zod";
import type { Host } from "../../host/index.ts";
import { RoundtableError, type ApiParameter } from "../../protocol/index.ts";
import type { Policy, RouteContext } from "../http/policy.ts";

/** What the routes need of a host. */
export type ServedHost = Omit<Host, "close" | "isNeeded" | "hostId" | "socketPath">;

/** Longer messages belong into attachments. */
const BODY_BYTES_MAX = 1024 * 1024;

export const readPolicy: Policy = { access: "token", carrier: "http", bodyBytesMax: 0, isLandingPage: false };
export const writePolicy: Policy = { ...readPolicy, bodyBytesMax: BODY_BYTES_MAX };

/** Client id of requests without the header. */
const CLIENT_ID = "http";
const CLIENT_HEADER = "x-roundtable-client";

export const clientParameter: Readonly<Record<string, ApiParameter>> = {
  [CLIENT_HEADER]: {
    description: "Client name shown to others: up to 64 letters, digits, dots, underscores and dashes.",
    schema: { type: "string", pattern: String.raw`^[\w.-]{1,64}$` },
  },
};

const ClientId = z.string().regex(/^[\w.-]{1,64}$/);

export function clientOf(c: RouteContext): string {
  const given = c.req.header(CLIENT_HEADER);
  if (given === undefined) return CLIENT_ID;
  const parsed = ClientId.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new RoundtableError(
    "bad_command",
    `The header ${CLIENT_HEADER} must have 1 to 64 letters, digits, ".", "_" or "-".`,
  );
}

/** The guard admits only well-formed ids, numbers and hashes. */
export function pathParam(c: RouteContext, name: "id" | "n" | "hash"): string {
  const part = c.req.param(name);
  if (part === undefined) throw new Error(`the route ${c.req.path} has no part :${name}`);
  return part;
}
