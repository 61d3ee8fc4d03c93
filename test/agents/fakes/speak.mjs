/** Shared by the fakes: one JSON value a line, in and out; what is said names the turn it belongs to. */
let turn;

export function say(value) {
  process.stdout.write(`${JSON.stringify({ ...value, turn })}\n`);
}

export function onMessage(handle) {
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("error", () => {});
  process.stdin.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.do === "turn") turn = message.id;
      handle(message);
    }
  });
}

export function onTurn(handle) {
  onMessage((message) => {
    if (message.do === "turn") handle(message.text);
  });
}

/** Keeps the program alive whatever happens to its streams. */
export function stay() {
  setInterval(() => {}, 60_000);
}
