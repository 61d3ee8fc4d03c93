/** Writes as many megabytes as the turn says, in small lines, as fast as the pipe takes them; then it is done. */
import { onTurn, say } from "./speak.mjs";

const MEGABYTE = 1024 * 1024;

onTurn((text) => {
  const line = `${JSON.stringify({ say: "x".repeat(1000) })}\n`;
  const block = Buffer.from(line.repeat(Math.ceil(MEGABYTE / line.length)));
  let left = Number(text);
  const pour = () => {
    if (left-- > 0) process.stdout.write(block, pour);
    else say({ done: "completed" });
  };
  pour();
});
