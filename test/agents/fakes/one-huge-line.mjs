/** Writes one line of as many bytes as the turn says, then a normal one; then it is done. */
import { onTurn, say } from "./speak.mjs";

const CHUNK = 1024 * 1024;

onTurn((text) => {
  const head = '{"say":"';
  const tail = '"}\n';
  let left = Number(text) - head.length - tail.length + 1;
  const block = Buffer.alloc(CHUNK, "y");
  const pour = () => {
    if (left <= 0) {
      process.stdout.write(tail);
      say({ say: "after it" });
      say({ done: "completed" });
      return;
    }
    const size = Math.min(left, CHUNK);
    left -= size;
    process.stdout.write(block.subarray(0, size), pour);
  };
  process.stdout.write(head, pour);
});
