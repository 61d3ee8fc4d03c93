/** JSON schema of every event and command, generated from the definitions. */
import * as z from "zod";
import { commandSchemas } from "./commands.ts";
import { eventDefinitions } from "./events.ts";

export function protocolJsonSchema(): Record<string, unknown> {
  const named = (schema: z.ZodType) => z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Roundtable protocol",
    $defs: {
      events: Object.fromEntries(
        eventDefinitions.map((one) => [one.type, { ...named(one.schema), "x-sync": one.syncClass }]),
      ),
      commands: Object.fromEntries(commandSchemas.map((one) => [one.shape.type.value, named(one)])),
    },
  };
}
