/** Writes bytes that are no UTF-8 between good ones, NULs, a byte order mark, CRLF and a line separator. */
import { onTurn, say } from "./speak.mjs";

process.stdout.write("\ufeff");
onTurn(() => {
  process.stdout.write(bytes('{"say":"a', [0xff, 0xc3], 'b", "x": 1}\r\n'));
  process.stdout.write(bytes('{"say":"', [0xa4, 0x40], '"}\n'));
  process.stdout.write(bytes('{"say":"', [0xf0, 0x9f], '"}\n'));
  process.stdout.write('{"say":"lone \\ud83d half"}\n');
  process.stdout.write('{"say":"line\u2028separator"}\n');
  process.stdout.write(bytes('{"say":"', [0x00], '"}\n'));
  process.stdout.write('{"say":"good ✓"}\r\n');
  say({ done: "completed" });
});

function bytes(...parts) {
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}
