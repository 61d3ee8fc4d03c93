/** The HTTP routes as an OpenAPI 3.1 document, made from the table that serves them and the schemas that check them. */
import * as z from "zod";
import { createApiSchemas, type ApiSchemas, type JsonSchema } from "./api-schemas.ts";
import { errorCodes } from "./errors.ts";
import { eventDefinitions } from "./events.ts";

export interface ApiParameter {
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface ApiRoute {
  readonly method: "GET" | "POST" | "DELETE";
  /** With `:id` for a session's id, `:n` for a number and `:hash` for a SHA-256 in hex. */
  readonly path: string;
  readonly access: "public" | "token";
  readonly summary: string;
  readonly query?: Readonly<Record<string, ApiParameter>>;
  readonly headers?: Readonly<Record<string, ApiParameter>>;
  /** JSON of this shape, or bytes as they are. */
  readonly body?: z.ZodType | "bytes";
  /** What a good answer holds; a stream and a WebSocket have no schema of one body. */
  readonly answer: z.ZodType | "event-stream" | "websocket" | "bytes" | "file";
}

/**
 * Every answer that is no success. `code` is absent when the guard refused before anything was looked at. A refused
 * command says more beside it.
 */
export const ApiError = z.looseObject({
  error: z.object({ code: z.enum(errorCodes).optional(), message: z.string(), hint: z.string().optional() }),
});

export interface ApiDescription {
  readonly version: string;
  readonly routes: readonly ApiRoute[];
}

export function openApiDocument({ version, routes }: ApiDescription): Record<string, unknown> {
  const schemas = createApiSchemas();
  schemas.name("Error", schemas.of(ApiError, "output"));
  // Those this version knows. A reader meets others too, of newer versions, and passes them on.
  schemas.name("Event", { anyOf: eventDefinitions.map((one) => schemas.of(one.schema, "input")) });
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    (paths[openApiPath(route.path)] ??= {})[route.method.toLowerCase()] = operation(route, schemas);
  }
  const securitySchemes = { token: { type: "http", scheme: "bearer" } };
  return {
    openapi: "3.1.0",
    info: { title: "Roundtable", version },
    paths,
    components: { securitySchemes, schemas: schemas.named },
  };
}

/** `/v1/sessions/:id` as `/v1/sessions/{id}`. */
export function openApiPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function operation(route: ApiRoute, schemas: ApiSchemas): Record<string, unknown> {
  const { access, summary, body } = route;
  const parameters = [
    ...pathParameters(route.path),
    ...namedParameters("query", route.query ?? {}),
    ...namedParameters("header", route.headers ?? {}),
  ];
  return {
    operationId: operationId(route),
    summary,
    security: access === "token" ? [{ token: [] }] : [],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: bodyContent(body, schemas) } }),
    responses: {
      ...goodAnswer(route.answer, schemas),
      default: {
        description: "Refused, or not possible.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

function bodyContent(body: NonNullable<ApiRoute["body"]>, schemas: ApiSchemas): Record<string, unknown> {
  if (body === "bytes") return { "application/octet-stream": {} };
  return { "application/json": { schema: schemas.of(body, "input") } };
}

function goodAnswer(answer: ApiRoute["answer"], schemas: ApiSchemas): Record<string, unknown> {
  if (answer === "websocket") return { 101: { description: "A WebSocket: one JSON frame a message." } };
  if (answer === "bytes") {
    return { 200: { description: "The bytes.", content: { "application/octet-stream": {} } } };
  }
  if (answer === "file") {
    const content = { "text/markdown": {}, "text/html": {}, "application/x-ndjson": {} };
    return { 200: { description: "A file to save, of the type that was asked for.", content } };
  }
  if (answer === "event-stream") {
    const description =
      "Server-sent events, their data JSON. One with an id is an event of the log (schema Event); the others have a name and are no part of it.";
    return { 200: { description, content: { "text/event-stream": { schema: { type: "string" } } } } };
  }
  const schema = schemas.of(answer, "output");
  return { 200: { description: "Done.", content: { "application/json": { schema } } } };
}

function pathParameters(path: string): Record<string, unknown>[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: PATH_SCHEMAS[name ?? ""] ?? { type: "integer", minimum: 0 },
  }));
}

const PATH_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  id: { type: "string", pattern: "^[0-9A-HJKMNP-TV-Z]{26}$" },
  hash: { type: "string", pattern: "^[0-9a-f]{64}$" },
};

function namedParameters(
  location: "query" | "header",
  parameters: Readonly<Record<string, ApiParameter>>,
): Record<string, unknown>[] {
  return Object.entries(parameters).map(([name, { description, schema }]) => ({
    name,
    in: location,
    description,
    schema,
  }));
}

/** `GET /v1/sessions/:id/events` as `get_sessions_id_events`. */
function operationId({ method, path }: ApiRoute): string {
  const segments = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "v1");
  return [method.toLowerCase(), ...segments].join("_");
}
