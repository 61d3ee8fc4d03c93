/**
 * The visible state of assistant's own chat panel: what runs, what is marked as
 * interrupted, and whether it shows activity. Its releases place thinking in two ways.
 */
import type { ChatEvent, ServerFrame } from "./frame-schemas.ts";

interface PanelTool {
  readonly name: string;
  state: "running" | "done" | "failed" | "interrupted";
  shown: string;
}

interface Passage {
  thinking: string;
  text: string;
  readonly tools: PanelTool[];
}

interface PanelTurn {
  readonly users: string[];
  readonly notes: string[];
  readonly passagees: Map<string, Passage>;
  isEnded: boolean;
}

/** Key of all thinking of a turn, drawn before everything else. */
const WHOLE = "whole";

const AT_WORK = new Set(["user_message", "assistant_chunk", "thinking_chunk", "tool_call"]);
const AT_REST = new Set(["assistant_done", "turn_end", "interrupt", "error"]);

export class Panel {
  readonly #thinkingBy: "response" | "passage";
  readonly #tools = new Map<string, PanelTool>();
  readonly #passageOf = new Map<string, number>();
  readonly #broken = new Set<string>();
  #turns = new Map<string, PanelTurn>();
  isBusy = false;

  constructor(thinkingBy: "response" | "passage") {
    this.#thinkingBy = thinkingBy;
  }

  hear(frame: ServerFrame): void {
    if (frame.type === "session_cleared") this.#clear();
    else if (frame.type === "output_cancelled") {
      this.isBusy = false;
      this.#interruptRunning();
    } else if (frame.type === "chat_event") {
      if (AT_WORK.has(frame.event.type)) this.isBusy = true;
      else if (AT_REST.has(frame.event.type)) this.isBusy = false;
      this.draw(frame.event);
    }
  }

  draw(event: ChatEvent): void {
    const turn = this.#turnOf(event.turnId ?? event.id);
    switch (event.type) {
      case "turn_end":
        turn.isEnded = true;
        return;
      case "user_message":
        turn.users.push(event.payload.text);
        return;
      case "assistant_chunk":
      case "assistant_done": {
        // Events without a response are not drawn.
        if (event.responseId === undefined) return;
        const passage = this.#passage(event, turn);
        passage.text = (event.type === "assistant_chunk" ? passage.text : "") + event.payload.text;
        return;
      }
      case "thinking_chunk":
      case "thinking_done": {
        const passage = this.#thinkingBy === "passage" ? this.#passage(event, turn) : passageIn(turn, WHOLE);
        passage.thinking = (event.type === "thinking_chunk" ? passage.thinking : "") + event.payload.text;
        return;
      }
      case "interrupt":
        if (!this.#interruptRunning()) turn.notes.push("interrupted");
        return;
      case "error":
      case "custom_message":
      case "summary_message":
        turn.notes.push(JSON.stringify(event.payload));
        return;
      default:
        this.#drawTool(event, turn);
    }
  }

  /** The stop button exists only while something runs. */
  get canStop(): boolean {
    const turns = [...this.#turns.values()].filter((turn) => !turn.isEnded);
    const tools = turns.flatMap((turn) => [...turn.passagees.values()].flatMap((passage) => passage.tools));
    return this.isBusy || tools.some((tool) => tool.state === "running");
  }

  /** Without empty parts, and ignoring the order within a passage. */
  get picture(): unknown {
    return [...this.#turns].map(([turnId, { users, notes, passagees, isEnded }]) => ({
      turnId,
      users,
      notes,
      isEnded,
      said: [...passagees]
        .filter(([, one]) => one.text !== "" || one.thinking !== "" || one.tools.length > 0)
        .toSorted(([a], [b]) => Number(b === WHOLE) - Number(a === WHOLE)),
    }));
  }

  #drawTool(event: ChatEvent, turn: PanelTurn): void {
    if (event.type === "tool_call") {
      const { toolCallId, toolName } = event.payload;
      if (this.#tools.has(toolCallId)) return;
      const tool: PanelTool = { name: toolName, state: "running", shown: "" };
      this.#tools.set(toolCallId, tool);
      passageIn(turn, this.#keyOf(event)).tools.push(tool);
      this.#broken.add(event.responseId ?? "");
    } else if (event.type === "tool_output_chunk") {
      const tool = this.#tools.get(event.payload.toolCallId);
      if (tool !== undefined && event.payload.offset > tool.shown.length) tool.shown += event.payload.chunk;
    } else if (event.type === "tool_result") {
      const tool = this.#tools.get(event.payload.toolCallId);
      if (tool === undefined) throw new Error(`a result of ${event.payload.toolCallId}, which was never called`);
      const { error, result } = event.payload;
      tool.state = error === undefined ? "done" : "failed";
      tool.shown = error?.message ?? (typeof result === "string" ? result : JSON.stringify(result));
    }
  }

  #interruptRunning(): boolean {
    const running = [...this.#tools.values()].filter((tool) => tool.state === "running");
    for (const tool of running) tool.state = "interrupted";
    return running.length > 0;
  }

  #passage(event: ChatEvent, turn: PanelTurn): Passage {
    const responseId = event.responseId ?? "";
    if (this.#broken.delete(responseId)) this.#passageOf.set(responseId, (this.#passageOf.get(responseId) ?? 0) + 1);
    return passageIn(turn, this.#keyOf(event));
  }

  #keyOf({ responseId = "" }: ChatEvent): string {
    return `${responseId} ${this.#passageOf.get(responseId) ?? 0}`;
  }

  #turnOf(turnId: string): PanelTurn {
    const turn = this.#turns.get(turnId) ?? { users: [], notes: [], passagees: new Map(), isEnded: false };
    this.#turns.set(turnId, turn);
    return turn;
  }

  #clear(): void {
    this.#turns = new Map();
    this.#tools.clear();
    this.#passageOf.clear();
    this.#broken.clear();
  }
}

function passageIn({ passagees }: PanelTurn, key: string): Passage {
  const passage = passagees.get(key) ?? { thinking: "", text: "", tools: [] };
  passagees.set(key, passage);
  return passage;
}
