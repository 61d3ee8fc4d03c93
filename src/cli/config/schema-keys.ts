/** Lookup of configuration keys in the schema. */
import * as z from "zod";
import { ConfigFile } from "./schema.ts";

/** Schema of a key; undefined for an unknown key. */
export function schemaAt(path: readonly (string | number)[]): z.core.$ZodType | undefined {
  let schema: z.core.$ZodType | undefined = ConfigFile;
  for (const part of path) schema = schema === undefined ? undefined : below(schema, String(part));
  return schema === undefined ? undefined : unwrap(schema);
}

/** The keys of the object at `path`. */
export function knownKeys(path: readonly (string | number)[]): string[] {
  return keysOf(schemaAt(path));
}

function keysOf(schema: z.core.$ZodType | undefined): string[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => keysOf(one));
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function below(schema: z.core.$ZodType, key: string): z.core.$ZodType | undefined {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject)
    return Object.hasOwn(inner.shape, key) ? (inner.shape[key] as z.core.$ZodType) : undefined;
  if (inner instanceof z.ZodUnion) {
    return inner.options.map((one) => below(one, key)).find((one) => one !== undefined);
  }
  return inner instanceof z.ZodRecord ? inner.valueType : undefined;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}
