/**
 * JSON schemas inside a larger document. A reference in there counts from the root of the document, so what a schema
 * refers to within itself is moved among the document's own schemas, each once.
 */
import * as z from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

const OPEN_API_REF_PREFIX = "#/components/schemas/";
/** Stands for a schema's reference to itself while it has no name yet. */
const SELF = "#self";

export interface ApiSchemas {
  /** What the document lists at its place for schemas. */
  readonly named: Readonly<Record<string, JsonSchema>>;
  of(schema: z.ZodType, io: "input" | "output"): JsonSchema;
  /** Lists the schema under this name; gives a reference to it. */
  name(name: string, schema: JsonSchema): JsonSchema;
}

/** `refPrefix` is the reference to where the document lists its schemas, with a slash at its end. */
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
