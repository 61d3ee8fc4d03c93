/** What historian says of itself. */
export function helpText(): string {
  return `**I am historian**, a small rule-based member. I read the git history of this directory: who wrote the lines that have the words of your question, when they came, why they changed. I ask no model, use no network and change nothing.

Ask for example:

- *who wrote takeLock*, *when was takeLock added*, *why was the retry changed*
- *what happened to parseOptions* (also when it is gone)
- *history of src/main.ts*, *who wrote src/main.ts:40*, *what became of old-name.ts*
- *what changed recently*, *the last 5 commits*, *what changed since 2024-01-31*, *what did Ada change last month*
- *who works on this*, *show abc1234*, and *more* for further commits

A message while I search adds its words; one while I write is answered after. In a discussion I say who wrote the places that others name.
`;
}
