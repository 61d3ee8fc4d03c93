/**
 * Minimal page that shows a session: the text of each turn, unformatted, drawn as often as our page draws and scrolled
 * to the end. A lower bound for any page on this machine.
 */

interface Said {
  readonly type: string;
  readonly turnId?: string;
  readonly text?: string;
}

/** Runs in the browser. */
async function showWords(sessionId: string): Promise<void> {
  const turns = new Map<string, { box: HTMLElement; words: HTMLElement; waiting: string }>();
  let isAsked = false;

  function draw(): void {
    isAsked = false;
    for (const turn of turns.values()) {
      if (turn.waiting !== "") turn.words.append(turn.waiting);
      turn.waiting = "";
    }
    document.documentElement.scrollTop = document.documentElement.scrollHeight;
  }

  function begin(turnId: string): void {
    const box = document.createElement("div");
    box.className = "turn";
    box.dataset["outcome"] = "open";
    const words = document.createElement("pre");
    words.className = "block";
    words.style.whiteSpace = "pre-wrap";
    const markdown = document.createElement("div");
    markdown.className = "markdown";
    markdown.append(words);
    box.append(markdown);
    document.querySelector("main")?.append(box);
    turns.set(turnId, { box, words, waiting: "" });
  }

  function hear({ type, turnId = "", text = "" }: Said): void {
    if (type === "turn_start") begin(turnId);
    const turn = turns.get(turnId);
    if (turn === undefined) return;
    if (type === "text_delta") turn.waiting += text;
    if (type === "turn_end") turn.box.dataset["outcome"] = "done";
    if (!isAsked) requestAnimationFrame(draw);
    isAsked = true;
  }

  const headers = {
    authorization: `Bearer ${sessionStorage.getItem("roundtable.token")}`,
    accept: "text/event-stream",
  };
  const { body } = await fetch(`/v1/sessions/${sessionId}/events?after=0`, { headers });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
    const lines = (rest + read.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: {")) hear(JSON.parse(line.slice(6)) as Said);
  }
}

export function barePage(sessionId: string) {
  const script = `(${showWords.toString()})(${JSON.stringify(sessionId)});`;
  return [
    { path: "/", contentType: "text/html; charset=utf-8", body: page("<main></main><script src=/bare.js></script>") },
    { path: "/bare.js", contentType: "text/javascript; charset=utf-8", body: page(script) },
  ];
}

function page(text: string): Buffer {
  return Buffer.from(text.startsWith("<") ? `<!doctype html><html lang="en"><title>bare</title><body>${text}` : text);
}
