/** One JSON line for each thing that happens on a node: ids and codes, never what people or agents wrote. */
export type NodeLog = (event: string, fields?: Readonly<Record<string, string | number>>) => void;

export function createNodeLog(write: (line: string) => void, now: () => number = Date.now): NodeLog {
  return (event, fields = {}) => write(`${JSON.stringify({ ts: new Date(now()).toISOString(), event, ...fields })}\n`);
}
