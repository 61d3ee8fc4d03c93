/** JSON Schema of events, commands and frames, generated from the definitions. */

import * as z from "zod";
import { commandSchemas } from "./commands.ts";
import { eventDefinitions } from "./events.ts";
import { ClientFrame } from "./frames.ts";
import { hostFrameSchemas } from "./host-frames.ts";

export function protocolJsonSchema(): Record<string, unknown> {
  const schemas = createApiSchemas("#/$defs/shared/");
  const events = eventDefinitions.map(({ type, schema, syncClass }) => {
    return [type, { ...schemas.of(schema, "input"), "x-sync": syncClass }];
  });
  const commands = commandSchemas.map((one) => [one.shape.type.value, schemas.of(one, "input")]);
  const client = ClientFrame.options.map((one) => [one.shape.frame.value, schemas.of(one, "input")]);
  const server = Object.entries(hostFrameSchemas()).map(([name, schema]) => [name, schemas.of(schema, "output")]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Roundtable protocol",
    $defs: {
      events: Object.fromEntries(events),
      commands: Object.fromEntries(commands),
      frames: { client: Object.fromEntries(client), server: Object.fromEntries(server) },
      shared: schemas.named,
    },
  };
}

export type JsonSchema = Readonly<Record<string, unknown>>;

const OPEN_API_REF_PREFIX = "#/components/schemas/";
/** Placeholder for a schema's reference to itself until it has a name. */
const SELF = "#self";

export interface ApiSchemas {
  /** Content of the document's schema section. */
  readonly named: Readonly<Record<string, JsonSchema>>;
  of(schema: z.ZodType, io: "input" | "output"): JsonSchema;
  /** Adds the schema under this name; returns a reference to it. */
  name(name: string, schema: JsonSchema): JsonSchema;
}

/**
 * JSON schemas inside a larger document. References are relative to the document root, so definitions inside a schema
 * are hoisted into the document's schema section (`refPrefix`, ending in a slash), each once.
 */
export function createApiSchemas(refPrefix: string = OPEN_API_REF_PREFIX): ApiSchemas {
  const named: Record<string, JsonSchema> = {};
  const nameByText = new Map<string, string>([[selfText(bare(z.json(), "input")), "Json"]]);

  function nameFor(text: string): string {
    const name = nameByText.get(text) ?? `Shared${nameByText.size}`;
    nameByText.set(text, name);
    named[name] ??= JSON.parse(text.replaceAll(JSON.stringify(SELF), JSON.stringify(refPrefix + name))) as JsonSchema;
    return name;
  }

  return {
    named,
    of(schema, io) {
      const { $defs = {}, ...whole } = bare(schema, io);
      let text = JSON.stringify(whole);
      if (text.includes('"$ref":"#"')) return { $ref: refPrefix + nameFor(selfText(whole)) };
      for (const [name, def] of Object.entries($defs as Record<string, JsonSchema>)) {
        text = text.replaceAll(`"#/$defs/${name}"`, JSON.stringify(refPrefix + nameFor(selfText(def, name))));
      }
      return JSON.parse(text) as JsonSchema;
    },
    name(name, schema) {
      named[name] = schema;
      return { $ref: refPrefix + name };
    },
  };
}

function bare(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io });
  return rest;
}

function selfText(schema: JsonSchema, name?: string): string {
  const reference = name === undefined ? '"#"' : `"#/$defs/${name}"`;
  return JSON.stringify(schema).replaceAll(reference, JSON.stringify(SELF));
}
