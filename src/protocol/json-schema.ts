/** JSON schema of every event and command, generated from the definitions. */
import { createApiSchemas } from "./api-schemas.ts";
import { commandSchemas } from "./commands.ts";
import { eventDefinitions } from "./events.ts";

export function protocolJsonSchema(): Record<string, unknown> {
  const schemas = createApiSchemas("#/$defs/shared/");
  const events = eventDefinitions.map(({ type, schema, syncClass }) => {
    return [type, { ...schemas.of(schema, "input"), "x-sync": syncClass }];
  });
  const commands = commandSchemas.map((one) => [one.shape.type.value, schemas.of(one, "input")]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Roundtable protocol",
    $defs: { events: Object.fromEntries(events), commands: Object.fromEntries(commands), shared: schemas.named },
  };
}
