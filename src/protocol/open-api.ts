/**
 * The HTTP routes as an OpenAPI 3.1 document, generated from the route table and the schemas that validate requests.
 */
import * as z from "zod";
import { createApiSchemas, type ApiSchemas, type JsonSchema } from "./json-schema.ts";
import { errorCodes } from "./errors.ts";
import { eventDefinitions } from "./events.ts";

export interface ApiParameter {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly isRequired?: true;
}

export interface ApiRoute {
  readonly method: "GET" | "POST" | "DELETE";
  /** `:id` is a session id, `:n` a number, `:hash` a SHA-256 in hex. */
  readonly path: string;
  readonly access: "public" | "token";
  readonly summary: string;
  readonly query?: Readonly<Record<string, ApiParameter>>;
  readonly headers?: Readonly<Record<string, ApiParameter>>;
  /** JSON of this shape, or raw bytes. */
  readonly body?: z.ZodType | "bytes";
  /** Body of a successful response; streams and WebSockets have no single schema. */
  readonly answer: z.ZodType | "event-stream" | "websocket" | "bytes" | "file";
}

/**
 * Every unsuccessful response. `code` is absent when the guard refused before routing. A refused command adds fields.
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
  // Events known to this version. Readers also meet unknown ones of newer versions and pass them on.
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
        description: "Refused or failed.",
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
  if (answer === "websocket") {
    const description =
      "WebSocket; one JSON frame per message. GET /v1/schema.json has the frames of both sides; a client begins with hello, protocol 1.";
    return { 101: { description } };
  }
  if (answer === "bytes") {
    return { 200: { description: "Raw bytes.", content: { "application/octet-stream": {} } } };
  }
  if (answer === "file") {
    const content = { "text/markdown": {}, "text/html": {}, "application/x-ndjson": {} };
    return { 200: { description: "File download in the requested format.", content } };
  }
  if (answer === "event-stream") {
    const description =
      "Server-sent events with JSON data. Events with an id are log events (schema Event); named ones are not part of the log: heartbeat, store, shutdown, and resync, after which the stream ends and the client reads the session again.";
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
  return Object.entries(parameters).map(([name, { description, schema, isRequired = false }]) => ({
    name,
    in: location,
    required: isRequired,
    description,
    schema,
  }));
}

/** `GET /v1/sessions/:id/events` as `get_sessions_id_events`. */
function operationId({ method, path }: ApiRoute): string {
  const segments = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "v1");
  return [method.toLowerCase(), ...segments].join("_");
}
