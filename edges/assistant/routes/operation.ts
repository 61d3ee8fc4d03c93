/** Operations of assistant over HTTP: a JSON object in, `{"ok":true,"result":…}` or `{"error","code"}` out. */
import { toAnswerError, type Json } from "../../../src/protocol/index.ts";
import {
  answer,
  readJson,
  type Policy,
  type Route,
  type RouteContext,
  compatWriting,
} from "../../../src/server/index.ts";
import { OperationError, operationAnswer } from "./wire-errors.ts";

export type Arguments = Readonly<Record<string, unknown>>;

export interface OperationOptions {
  readonly status?: number;
  readonly policy?: Policy;
}

/** A handler may return a Response instead. */
export function operation(
  path: string,
  run: (args: Arguments) => Promise<Response | Json>,
  { status = 200, policy = compatWriting }: OperationOptions = {},
): Route {
  return {
    method: "POST",
    path,
    policy,
    async handle(c) {
      try {
        const done = await run(await readArguments(c));
        return done instanceof Response ? done : answer(status, { ok: true, result: done });
      } catch (thrown) {
        return operationAnswer(thrown, `POST ${path}`);
      }
    },
  };
}

export async function readArguments(c: RouteContext): Promise<Arguments> {
  const body = await readJson(c.req).catch((error: unknown) => {
    throw new OperationError(undefined, toAnswerError(error).message);
  });
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Arguments;
  throw new OperationError(undefined, "The body must be a JSON object.");
}

export function neededText(args: Arguments, name: string): string {
  const value = args[name];
  if (value === undefined) throw new OperationError(undefined, `${name} is required`);
  if (typeof value !== "string") throw new OperationError(undefined, `${name} has invalid type`);
  const text = value.trim();
  if (text !== "") return text;
  throw new OperationError("invalid_arguments", `${name} must not be empty`);
}

/** Undefined when absent, null to clear it. */
export function clearableText(args: Arguments, name: string): string | null | undefined {
  const value = args[name];
  if (value === undefined || value === null || typeof value === "string") return value;
  throw new OperationError(undefined, `${name} has invalid type`);
}
