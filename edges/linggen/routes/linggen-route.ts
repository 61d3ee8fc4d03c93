/**
 * Routes for linggen's clients. Errors have a status and `{"error": "…"}`, unless the page uses the body whatever its
 * status: then a harmless body.
 */
import * as z from "zod";
import { RoundtableError, toAnswerError } from "../../../src/protocol/index.ts";
import {
  answer,
  answerErrorOf,
  statusOf,
  type Policy,
  type Route,
  type RouteContext,
  compatReading,
  compatWriting,
} from "../../../src/server/index.ts";

type Handle = (context: RouteContext) => Response | Promise<Response>;

export function reads(path: string, handle: Handle): Route {
  return { method: "GET", path, policy: compatReading, handle: guarded(handle) };
}

export function writes(
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  handle: Handle,
  policy: Policy = compatWriting,
): Route {
  return { method, path, policy, handle: guarded(handle) };
}

/** For a list or tree that the page draws unchecked: an error is empty. */
export function readsOrEmpty(path: string, nothing: object, handle: Handle): Route {
  return { method: "GET", path, policy: compatReading, handle: guarded(handle, (status) => answer(status, nothing)) };
}

/** For a route where the page treats any JSON as success. */
export function writesOrText(path: string, handle: Handle, policy: Policy): Route {
  const says = (status: number, message: string) =>
    new Response(message, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
  return { method: "POST", path, policy, handle: guarded(handle, says) };
}

type Refuse = (status: number, message: string) => Response;

const refused: Refuse = (status, message) => answer(status, { error: message });

function guarded(handle: Handle, refuse = refused): Handle {
  return async (c) => {
    try {
      return await handle(c);
    } catch (thrown) {
      const { code } = toAnswerError(thrown);
      const { message } = answerErrorOf(thrown, `${c.req.method} ${c.req.path}`);
      return refuse(statusOf(code), message);
    }
  };
}

export function queryOf(c: RouteContext, name: string): string {
  const value = c.req.query(name);
  if (value !== undefined && value !== "") return value;
  throw new RoundtableError("bad_command", `The query needs the parameter ${name}.`);
}

export const Text = z.string().max(4_096);
export const OptionalText = Text.nullish();
