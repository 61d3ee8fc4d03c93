/** The HTTP routes as an OpenAPI 3.1 document, made from the table that serves them and the schemas that check them. */
import * as z from "zod";
import { errorCodes } from "./errors.ts";

export interface ApiRoute {
  readonly method: "GET" | "POST";
  /** With `:id` for a session's id and `:n` for a number. */
  readonly path: string;
  readonly access: "public" | "token";
  readonly summary: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: z.ZodType;
  /** What a good answer holds; a stream and a WebSocket have no schema of one body. */
  readonly answer: z.ZodType | "event-stream" | "websocket";
}

/** Every answer that is no success. `code` is absent when the guard refused before anything was looked at. */
export const ApiError = z.object({
  error: z.object({ code: z.enum(errorCodes).optional(), message: z.string(), hint: z.string().optional() }),
});

export interface ApiDescription {
  readonly version: string;
  readonly routes: readonly ApiRoute[];
}

export function openApiDocument({ version, routes }: ApiDescription): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) (paths[openApiPath(route.path)] ??= {})[route.method.toLowerCase()] = operation(route);
  return {
    openapi: "3.1.0",
    info: { title: "Roundtable", version },
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: jsonSchema(ApiError, "output") },
    },
  };
}

/** `/v1/sessions/:id` as `/v1/sessions/{id}`. */
export function openApiPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function operation(route: ApiRoute): Record<string, unknown> {
  const { access, summary, body } = route;
  const parameters = [...pathParameters(route.path), ...queryParameters(route.query ?? {})];
  return {
    summary,
    security: access === "token" ? [{ token: [] }] : [],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body, "input") } } } }),
    responses: {
      ...goodAnswer(route.answer),
      default: {
        description: "Refused, or not possible.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

function goodAnswer(answer: ApiRoute["answer"]): Record<string, unknown> {
  if (answer === "websocket") return { 101: { description: "A WebSocket: one JSON frame a message." } };
  if (answer === "event-stream") {
    return { 200: { description: "Server-sent events.", content: { "text/event-stream": {} } } };
  }
  return { 200: { description: "Done.", content: { "application/json": { schema: jsonSchema(answer, "output") } } } };
}

function pathParameters(path: string): Record<string, unknown>[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: name === "id" ? { type: "string", pattern: "^[0-9A-HJKMNP-TV-Z]{26}$" } : { type: "integer", minimum: 0 },
  }));
}

function queryParameters(query: Readonly<Record<string, string>>): Record<string, unknown>[] {
  return Object.entries(query).map(([name, description]) => ({
    name,
    in: "query",
    description,
    schema: { type: "integer", minimum: 0 },
  }));
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io });
  return rest;
}
