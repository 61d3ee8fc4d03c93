/** Writes its answer one byte at a time, through the middle of 2-, 3- and 4-byte characters. */
import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { onTurn } from "./speak.mjs";

onTurn(async () => {
  for (const byte of Buffer.from('{"say":"ß € 😀 ü"}\n{"done":"completed"}\n')) {
    writeSync(1, Buffer.from([byte]));
    await setTimeout(1);
  }
});
