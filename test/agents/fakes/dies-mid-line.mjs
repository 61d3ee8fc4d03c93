/** Dies in the middle of a line, with words on its standard error. */
import { onTurn, say } from "./speak.mjs";

onTurn(() => {
  say({ say: "so far so good" });
  process.stderr.write("\u001b[31mpanic:\u001b[0m out of cheese\u0007\n");
  process.stdout.write('{"say":"and then', () => process.exit(1));
});
