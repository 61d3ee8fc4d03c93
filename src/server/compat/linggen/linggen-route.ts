/** Routes as linggen's clients ask them; what goes wrong is `{"error": "…"}` with a status. */
import * as z from "zod";
import { RoundtableError, toAnswerError } from "../../../protocol/index.ts";
import { answer, answerErrorOf, statusOf } from "../../answer.ts";
import type { Policy, Route, RouteContext } from "../../policy.ts";
import { compatReading, compatWriting } from "../compat-wire.ts";

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

function guarded(handle: Handle): Handle {
  return async (c) => {
    try {
      return await handle(c);
    } catch (thrown) {
      const { code } = toAnswerError(thrown);
      const { message } = answerErrorOf(thrown, `${c.req.method} ${c.req.path}`);
      return answer(statusOf(code), { error: message });
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
