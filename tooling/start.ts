/** `npm start`: runs the packed program, packed first when the sources have changed since. */
import { pathToFileURL } from "node:url";
import { packedProgram } from "./packed-program.ts";

const program = await packedProgram(() =>
  process.stderr.write("Building Roundtable, once after each change of its sources …\n"),
);
// The program starts itself in the background by this name.
process.argv[1] = program;
await import(pathToFileURL(program).href);
