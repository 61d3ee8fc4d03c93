/**
 * Routes as linggen's clients ask them. What goes wrong has a status, and `{"error": "…"}` unless the page takes the body
 * as it is, whatever its status: then what does no harm there.
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

/** For a list or a tree that the page draws as it comes: a refusal has nothing in it. */
export function readsOrEmpty(path: string, nothing: object, handle: Handle): Route {
  return { method: "GET", path, policy: compatReading, handle: guarded(handle, (status) => answer(status, nothing)) };
}

/** For a route of which the page takes any JSON for a yes. */
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
  throw new RoundtableError("bad_command", `The query must have ${name}.`);
}

export const Text = z.string().max(4_096);
export const OptionalText = Text.nullish();
